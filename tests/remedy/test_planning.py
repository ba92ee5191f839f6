"""What holds for the plans of both founding incidents: digests, dry runs, commands for people, no such option."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import pytest

from bot.model.diagnosis import Diagnosis
from bot.model.refs import Ref
from bot.remedy import planning
from bot.remedy.drafting import CannotPlan
from bot.remedy.plan import Earlier, Note, Target
from bot.remedy.runbook import MUTATIONS, Verb
from tests.remedy.founding import AGENT, KARPENTER, PLAIN, diagnosis_of, offered, steps, with_config


def test_what_a_dry_run_showed_is_bound(swap: Diagnosis) -> None:
    class Shown(msgspec.Struct, frozen=True):
        target: Target
        fingerprint: Mapping[str, str]
        diff: str
        earlier: tuple[Earlier, ...] = ()
        notes: tuple[Note, ...] = ()

    offer = offered(swap)
    made = planning.drafts(offer, "host-cuda", {})
    target = Target(ref=Ref("node", "omen2"), uid="uid-omen2")
    budget, own = Note("repair-evict-no-budget"), Note("repair-own-pods")
    fields = {"metadata.labels[x]": "vm"}
    shown = {"guard-card": Shown(target=target, fingerprint=fields, diff="- vm + container", notes=(budget,))}
    notes = {"guard-card": (own,), "host-off": (own,)}
    bound = planning.build_steps(made, shown, notes=notes, runbook=offer.runbook, cluster="lab", nonce="n")
    assert [one.notes for one in bound[:3]] == [(own, budget), (own,), ()]
    assert (bound[0].action.target.uid, bound[0].action.diff) == ("uid-omen2", "- vm + container")
    assert bound[0].digest != steps(offer, "host-cuda")["guard-card"].digest


@pytest.mark.parametrize("scenario", ["swap-kubelet", "replacement-loop"])
def test_digests_are_stable_and_hang_on_everything_before(scenario: str) -> None:
    offer = offered(diagnosis_of(scenario))
    option = next(one.id for one in offer.options if not one.refused)
    first, again, other = (steps(offer, option, nonce=one) for one in ("n", "n", "m"))
    assert [one.digest for one in first.values()] == [one.digest for one in again.values()]
    assert not {one.digest for one in first.values()} & {one.digest for one in other.values()}
    assert all(len(one.action.runbook_sha256) == 64 for one in first.values())


@pytest.mark.parametrize("scenario", ["swap-kubelet", "replacement-loop"])
def test_every_step_that_changes_something_can_be_typed_by_a_person(scenario: str) -> None:
    offer = offered(with_config(diagnosis_of(scenario)))
    owners = dict.fromkeys((AGENT, KARPENTER), PLAIN)
    usable = [one.id for one in offer.options if not one.refused]
    assert usable
    for option in usable:
        for step in steps(offer, option, owners).values():
            assert bool(step.action.commands) is (step.action.verb is not Verb.OBSERVE)
            assert not step.action.commands or step.action.verb in {*MUTATIONS, Verb.HOST, Verb.HAND_OVER}


def test_an_option_that_is_none(swap: Diagnosis) -> None:
    with pytest.raises(CannotPlan, match="plan-no-such-option"):
        planning.drafts(offered(swap), "both", {})
