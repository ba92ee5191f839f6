"""A person with two names is one person. Axes: what several people are needed for, and which name comes first."""

from __future__ import annotations

import msgspec
import pytest

from bot.remedy.freezing import unfreeze
from bot.remedy.plan import Actor, Plan, StepState
from bot.remedy.runbook import Risk, Verb
from tests.support.repairs import (
    ANN,
    AT,
    BEN,
    CLEO,
    FROZEN,
    MAY,
    POLICY,
    active,
    approve,
    begin,
    break_glass,
    decided,
    outcome,
    played,
    report,
    resolve,
    step,
)

#: Ben and Ann in the terminal.
BEN_TOO, ANN_TOO = Actor("k8s:ben"), Actor("k8s:ann")
TWO_NAMES = msgspec.structs.replace(POLICY, also_known_as={BEN_TOO.id: BEN.id, ANN_TOO.id: ANN.id})
EITHER_FIRST = pytest.mark.parametrize(("first", "second"), [(BEN, BEN_TOO), (BEN_TOO, BEN)], ids=["slack", "terminal"])


def destructive() -> Plan:
    return active(step(risk=Risk.DESTRUCTIVE))


@EITHER_FIRST
def test_two_approvals_of_one_person_are_one(first: Actor, second: Actor) -> None:
    plan = destructive()
    plan = decided(plan, approve(plan, first), policy=TWO_NAMES).plan
    again = decided(plan, approve(plan, second), policy=TWO_NAMES)
    assert (again.changed, again.reason) == (False, "repair-voted-already")
    assert decided(plan, approve(plan, CLEO), policy=TWO_NAMES).plan.step("guard").state is StepState.APPROVED


def test_without_the_configuration_two_names_would_be_two_people() -> None:
    plan = destructive()
    plan = played(plan, approve(plan, BEN), approve(plan, BEN_TOO))
    assert plan.step("guard").state is StepState.APPROVED


def test_the_requester_is_excluded_by_any_name() -> None:
    plan = destructive()
    assert plan.requester == ANN
    refused = decided(plan, approve(plan, ANN_TOO), policy=TWO_NAMES)
    assert (refused.changed, refused.reason) == (False, "repair-requester-excluded")
    alone = decided(plan, break_glass(plan, ANN_TOO), policy=TWO_NAMES)
    assert (alone.changed, alone.reason) == (False, "repair-glass-requester")


def test_nobody_is_skipped_by_another_name_of_their_own() -> None:
    plan = destructive()
    broken = decided(plan, break_glass(plan, BEN_TOO, skipped=(BEN, CLEO)), policy=TWO_NAMES)
    assert broken.plan.step("guard").skipped == (CLEO,)


@EITHER_FIRST
def test_one_person_is_no_second_witness(first: Actor, second: Actor) -> None:
    plan = active(step(verb=Verb.HOST))
    plan = decided(plan, report("none", by=first), policy=TWO_NAMES).plan
    again = decided(plan, report("none", by=second), policy=TWO_NAMES)
    assert (again.changed, again.reason) == (False, "repair-told-already")
    assert decided(plan, report("none", by=CLEO), policy=TWO_NAMES).plan.step("guard").state is StepState.ATTESTED


@EITHER_FIRST
def test_one_person_settles_no_unknown_step(first: Actor, second: Actor) -> None:
    plan = active(step())
    plan = played(plan, approve(plan, BEN), begin(), outcome("unclear"))
    for who in (first, second):
        plan = decided(plan, resolve("happened", by=who), policy=TWO_NAMES).plan
    assert plan.step("guard").state is StepState.UNKNOWN
    assert decided(plan, resolve("happened", by=CLEO), policy=TWO_NAMES).plan.step("guard").state is StepState.ATTESTED


@EITHER_FIRST
def test_one_person_lifts_no_freeze(first: Actor, second: Actor) -> None:
    voted = unfreeze(FROZEN, first, MAY, AT, TWO_NAMES, pressed=AT).freeze
    again = unfreeze(voted, second, MAY, AT, TWO_NAMES, pressed=AT)
    assert (again.changed, again.freeze.frozen) == (False, True)
    assert not unfreeze(voted, CLEO, MAY, AT, TWO_NAMES, pressed=AT).freeze.frozen
