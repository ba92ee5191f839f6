from __future__ import annotations

import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.model.refs import node
from bot.remedy.digest import digest_of, exec_id_of
from bot.remedy.plan import Action, Target
from bot.remedy.runbook import Probe, ProbeCall, Risk, Verb
from tests.support.repairs import step

ACTION = step("guard", step("first")).action
#: Another value for every field; a field that is missing here fails the test below.
OTHER = {
    "runbook": "other",
    "runbook_sha256": "1" * 64,
    "step": "other",
    "verb": Verb.CORDON,
    "cluster": "other",
    "target": Target(ref=node("omen2"), uid="uid-2"),
    "params": {"label": "mode", "value": "vm-passthrough"},
    "risk": Risk.DESTRUCTIVE,
    "precondition": (ProbeCall(probe=Probe.SANDBOX_ON),),
    "fingerprint": {},
    "diff": "",
    "verify": ProbeCall(probe=Probe.LABEL_IS, params={"label": "mode"}, within=121),
    "commands": ("kubectl get nodes",),
    "predecessors": (),
    "temporary_for": 86400,
    "nonce": "n2",
}


@pytest.mark.parametrize("field", Action.__struct_fields__)
def test_everything_of_an_action_is_in_its_digest(field: str) -> None:
    assert digest_of(msgspec.structs.replace(ACTION, **{field: OTHER[field]})) != digest_of(ACTION)


def test_the_order_in_which_parameters_were_written_is_not() -> None:
    turned = dict(reversed(ACTION.params.items()))
    assert digest_of(msgspec.structs.replace(ACTION, params=turned)) == digest_of(ACTION)


def test_the_digest_outlives_storing() -> None:
    stored = msgspec.json.decode(msgspec.json.encode(ACTION), type=Action)
    assert digest_of(stored) == digest_of(ACTION)


def test_the_digest_is_sha256_in_hex() -> None:
    assert re.fullmatch(r"[0-9a-f]{64}", digest_of(ACTION))


def test_a_text_that_is_no_unicode_has_no_digest() -> None:
    with pytest.raises(ValueError, match="no canonical form"):
        digest_of(msgspec.structs.replace(ACTION, diff="\ud800"))


@given(st.text(), st.text(), st.text())
def test_an_exec_id_fits_the_name_of_an_object(plan: str, name: str, digest: str) -> None:
    assert re.fullmatch(r"[a-z2-7]{26}", exec_id_of(plan, name, digest))


def test_an_exec_id_is_of_one_step_of_one_plan() -> None:
    ids = {
        exec_id_of(*parts)
        for parts in (("p", "s", "d"), ("p", "s", "e"), ("p", "t", "d"), ("q", "s", "d"), ("ps", "", "d"))
    }
    assert len(ids) == 5
