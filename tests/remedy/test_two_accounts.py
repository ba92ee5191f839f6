"""Two accounts of one person are one person. Axes: what takes several, who asked, what could be told and when."""

from __future__ import annotations

import msgspec
import pytest

from bot.remedy.decision import Policy
from bot.remedy.events import Person
from bot.remedy.freezing import unfreeze
from bot.remedy.plan import Actor, Identity, Plan, StepState
from bot.remedy.runbook import Risk, Verb
from tests.support.repairs import (
    ANN,
    AT,
    BEN,
    CLEO,
    FROZEN,
    KNOWN,
    POLICY,
    SOLO,
    active,
    approve,
    begin,
    break_glass,
    choose,
    choosing,
    decided,
    dispatch,
    outcome,
    played,
    report,
    resolve,
    step,
)

BEN_TOO, ANN_TOO = Actor("slack:T0TEAM/W0BEN"), Actor("slack:T0TEAM/W0ANN")
K_BEN, K_CLEO, K_DORA = Actor("k8s:b"), Actor("k8s:c"), Actor("k8s:d")
ONE = dict.fromkeys(Risk, 1)


def person(*names: str, unknown: str = "", vouched: bool = False) -> Person:
    return Person(may=True, identity=Identity(names=names, unknown=unknown, vouched=vouched))


OF_BEN, OF_ANN, OF_CLEO = person("email:ben", "enterprise:1"), person("email:ann"), person("email:cleo")
NOBODY = person(unknown="approver-no-email")
SILENT = person(unknown="approver-lookup-failed", vouched=True)


def destructive(risk: Risk = Risk.DESTRUCTIVE, **more: object) -> Plan:
    one = step(risk=risk, **more)
    return decided(choosing(), choose(one, person=OF_ANN)).plan


@pytest.mark.parametrize("shared", ["email:ben", "enterprise:1"])
def test_the_second_account_of_one_person_is_no_second_approval(shared: str) -> None:
    plan = destructive()
    plan = played(plan, approve(plan, BEN, person=OF_BEN))
    again = decided(plan, approve(plan, BEN_TOO, person=person(shared, "email:other")))
    assert (again.changed, again.reason, again.values["other"]) == (False, "repair-same-person", BEN.id)
    assert again.entries[-1].type == "refused"
    assert decided(plan, approve(plan, CLEO, person=OF_CLEO)).plan.step("guard").state is StepState.APPROVED


def test_whoever_asked_does_not_approve_by_another_account() -> None:
    plan = destructive()
    refused = decided(plan, approve(plan, ANN_TOO, person=OF_ANN))
    assert (refused.changed, refused.reason, refused.values["other"]) == (False, "repair-requester-same-person", ANN.id)
    alone = decided(plan, break_glass(plan, ANN_TOO, person=OF_ANN))
    assert (alone.changed, alone.reason) == (False, "repair-glass-requester")


@pytest.mark.parametrize("vote", [approve, break_glass])
def test_who_cannot_be_told_does_not_approve_what_takes_two(vote) -> None:  # type: ignore[no-untyped-def]
    plan = destructive()
    refused = decided(plan, vote(plan, BEN, person=NOBODY))
    assert (refused.changed, refused.reason) == (False, "repair-person-unknown")
    assert refused.values == {"who": BEN.id, "why": "approver-no-email"}


def test_what_takes_one_person_needs_no_name() -> None:
    easy = destructive(Risk.REVERSIBLE)
    assert played(easy, approve(easy, BEN, person=NOBODY)).step("guard").state is StepState.APPROVED
    alone = destructive()
    assert played(alone, approve(alone, BEN, person=NOBODY), policy=SOLO).step("guard").state is StepState.APPROVED


def old(*voters: Actor) -> Plan:
    """A plan as it was stored before anybody kept who its people are."""
    plan = destructive()
    plan = played(plan, *(approve(plan, one, person=person(one.id)) for one in voters))
    return msgspec.structs.replace(plan, known={})


def test_approvals_of_an_old_plan_are_compared_when_it_runs() -> None:
    plan = old(BEN, BEN_TOO)
    assert decided(plan, begin(known={})).reason == "repair-people-unsure"
    one = {ANN.id: OF_ANN.identity, BEN.id: OF_BEN.identity, BEN_TOO.id: OF_BEN.identity}
    assert decided(plan, begin(known=one)).reason == "repair-quorum-missing"
    two = {**one, BEN_TOO.id: OF_CLEO.identity}
    assert decided(plan, begin(known=two)).reason == "repair-begun"


def test_an_old_plans_requester_is_compared_when_it_runs() -> None:
    plan = old(BEN, CLEO)
    voters = {BEN.id: OF_BEN.identity, CLEO.id: OF_CLEO.identity}
    assert decided(plan, begin(known=voters)).values["unsure"] == ANN.id
    assert decided(plan, begin(known={**voters, ANN.id: OF_BEN.identity})).reason == "repair-quorum-missing"


def test_what_slack_tells_later_counts_until_the_request_goes_out() -> None:
    plan = destructive()
    plan = played(plan, approve(plan, BEN, person=OF_BEN), approve(plan, CLEO, person=OF_CLEO), begin(known={}))
    late = decided(plan, dispatch(known={CLEO.id: OF_BEN.identity}))
    assert (late.plan.step("guard").state, late.reason) == (StepState.FAILED, "repair-not-sent")


def test_who_was_known_once_stays_known_when_slack_is_silent() -> None:
    plan = destructive()
    plan = played(plan, approve(plan, BEN, person=OF_BEN), approve(plan, CLEO, person=OF_CLEO))
    silent = dict.fromkeys(KNOWN, NOBODY.identity)
    assert decided(plan, begin(known=silent)).reason == "repair-begun"


def test_the_configuration_tells_the_terminals_people_apart_among_each_other_only() -> None:
    plan = decided(choosing(requester=K_BEN), choose(step(risk=Risk.DESTRUCTIVE), by=K_BEN, person=SILENT)).plan
    both = played(plan, approve(plan, K_CLEO, person=SILENT), approve(plan, Actor("k8s:d"), person=SILENT))
    assert decided(both, begin(known={})).reason == "repair-begun"
    one = played(plan, approve(plan, K_CLEO, person=SILENT))
    kept = decided(one, approve(plan, CLEO, person=OF_CLEO))
    assert (kept.reason, kept.plan.step("guard").state) == ("repair-word-kept", StepState.AWAITING)
    assert kept.values.items() >= {"have": "1", "need": "2", "unsure": f"{K_CLEO.id}, {K_BEN.id}"}.items()
    third = decided(kept.plan, approve(plan, Actor("k8s:d"), person=SILENT)).plan
    assert decided(third, begin(known={})).reason == "repair-begun"


HEAVY = [Verb.LABEL_NODE, Verb.HOST, Verb.HAND_OVER]


@pytest.mark.parametrize("verb", HEAVY)
def test_whom_the_terminal_cannot_tell_from_the_first_is_no_second(verb: Verb) -> None:
    """Nobody asks again before people carry out what they do themselves: its commands are shown with the last word."""
    plan = destructive(verb=verb)
    plan = played(plan, approve(plan, BEN, person=OF_BEN))
    kept = decided(plan, approve(plan, K_BEN, person=SILENT))
    assert (kept.reason, kept.plan.step("guard").state) == ("repair-word-kept", StepState.AWAITING)
    assert kept.values.items() >= {"have": "1", "unsure": K_BEN.id, "doubt": "approver-lookup-failed"}.items()
    vouched = person("email:ben", vouched=True)
    assert decided(plan, approve(plan, K_BEN, person=vouched)).reason == "repair-same-person"
    assert decided(kept.plan, approve(plan, K_BEN, person=SILENT)).reason == "repair-voted-already"


@pytest.mark.parametrize("verb", HEAVY)
def test_whom_nobody_told_from_the_first_keeps_no_two_others_from_approving(verb: Verb) -> None:
    plan = destructive(verb=verb)
    plan = played(plan, approve(plan, K_BEN, person=SILENT), approve(plan, BEN, person=OF_BEN))
    assert plan.step("guard").state is StepState.AWAITING
    done = decided(plan, approve(plan, CLEO, person=OF_CLEO))
    assert (done.reason, done.values["have"]) == ("repair-approved", "2")


@pytest.mark.parametrize("verb", HEAVY)
def test_three_on_the_list_are_two_beside_whoever_asked(verb: Verb) -> None:
    """Whoever asked may be one of the three, and no more than one of them."""
    plan = destructive(verb=verb)
    for have, who in enumerate(("k8s:b", "k8s:c", "k8s:d")):
        decision = decided(plan, approve(plan, Actor(who), person=SILENT))
        plan = decision.plan
        assert decision.values["have"] == str(have)
    assert plan.step("guard").state is StepState.APPROVED


@pytest.mark.parametrize("verb", HEAVY)
def test_whom_the_terminal_cannot_tell_from_who_asked_breaks_no_glass(verb: Verb) -> None:
    plan = destructive(verb=verb)
    refused = decided(plan, break_glass(plan, K_CLEO, person=SILENT))
    assert (refused.changed, refused.reason, refused.values["need"]) == (False, "repair-people-unsure", "1")
    other = played(plan, approve(plan, BEN, person=OF_BEN))
    assert decided(other, break_glass(plan, K_CLEO, person=SILENT)).reason == "repair-people-unsure"
    told = decided(plan, break_glass(plan, K_CLEO, person=OF_CLEO))
    assert told.plan.step("guard").state is StepState.APPROVED


def test_whom_slack_tells_by_now_counts_with_the_next_approval() -> None:
    plan = destructive(verb=Verb.HOST)
    plan = played(plan, approve(plan, K_CLEO, person=SILENT))
    kept = decided(plan, approve(plan, BEN, person=OF_BEN))
    assert kept.reason == "repair-word-kept"
    told = {K_CLEO.id: OF_CLEO.identity}
    again = decided(kept.plan, approve(plan, BEN, person=OF_BEN, known=told))
    assert (again.reason, again.plan.step("guard").state) == ("repair-approved", StepState.APPROVED)
    assert played(plan, approve(plan, BEN, person=OF_BEN, known=told)).step("guard").state is StepState.APPROVED
    same = decided(plan, approve(plan, BEN, person=OF_BEN, known={K_CLEO.id: OF_BEN.identity}))
    assert same.reason == "repair-same-person"


def test_one_person_with_two_accounts_is_no_second_witness() -> None:
    plan = active(step(verb=Verb.HOST))
    plan = decided(plan, report("none", by=BEN, person=OF_BEN)).plan
    again = decided(plan, report("none", by=BEN_TOO, person=OF_BEN))
    assert (again.changed, again.reason) == (False, "repair-told-already")
    assert decided(plan, report("none", by=CLEO, person=NOBODY)).reason == "repair-person-unknown"
    assert decided(plan, report("good", by=CLEO, person=NOBODY)).plan.step("guard").state is StepState.ATTESTED


def test_one_person_with_two_accounts_settles_no_unknown_step() -> None:
    plan = active(step())
    plan = played(plan, approve(plan, BEN), begin(), outcome("unclear"))
    plan = decided(plan, resolve("happened", by=BEN, person=OF_BEN)).plan
    plan = decided(plan, resolve("happened", by=BEN_TOO, person=OF_BEN)).plan
    assert plan.step("guard").state is StepState.UNKNOWN
    assert decided(plan, resolve("happened", by=K_CLEO, person=NOBODY)).reason == "repair-person-unknown"
    assert decided(plan, resolve("happened", by=CLEO, person=OF_CLEO)).plan.step("guard").state is StepState.ATTESTED


def test_one_person_with_two_accounts_lifts_no_freeze() -> None:
    voted = unfreeze(FROZEN, BEN, OF_BEN, AT, POLICY, pressed=AT).freeze
    assert unfreeze(voted, BEN_TOO, OF_BEN, AT, POLICY, pressed=AT).freeze.frozen
    assert unfreeze(voted, CLEO, NOBODY, AT, POLICY, pressed=AT).reason == "repair-person-unknown"
    assert not unfreeze(voted, CLEO, OF_CLEO, AT, POLICY, pressed=AT).freeze.frozen


@pytest.mark.parametrize(("told", "is_lifted"), [(OF_CLEO, True), (OF_BEN, False)])
def test_whom_slack_tells_by_now_counts_for_the_unfreeze(told: Person, is_lifted: bool) -> None:
    voted = unfreeze(FROZEN, K_CLEO, SILENT, AT, POLICY, pressed=AT).freeze
    kept = unfreeze(voted, BEN, OF_BEN, AT, POLICY, pressed=AT)
    assert (kept.reason, kept.freeze.unfreeze_votes, kept.entry.type) == (
        "repair-word-kept",
        (K_CLEO, BEN),
        "unfreeze-vote",
    )
    assert kept.values.items() >= {"have": "1", "need": "2", "unsure": K_CLEO.id}.items()
    then = unfreeze(voted, BEN, OF_BEN, AT, POLICY, pressed=AT, known={K_CLEO.id: told.identity})
    assert (then.freeze.frozen, then.freeze.unfreeze_votes) == (not is_lifted, () if is_lifted else (K_CLEO,))
    again = unfreeze(kept.freeze, BEN, OF_BEN, AT, POLICY, pressed=AT, known={K_CLEO.id: told.identity})
    assert again.freeze.frozen is not is_lifted


@pytest.mark.parametrize("first", [(BEN, OF_BEN), (K_CLEO, SILENT)], ids=["of Slack", "of the terminal"])
def test_an_earlier_vote_keeps_no_two_others_from_lifting_a_freeze(first: tuple[Actor, Person]) -> None:
    freeze = unfreeze(FROZEN, *first, AT, POLICY, pressed=AT).freeze
    others = [(K_BEN, SILENT), (K_DORA, SILENT)] if first[0] == BEN else [(ANN, OF_ANN), (BEN, OF_BEN)]
    for still, other in zip((True, False), others, strict=True):
        freeze = unfreeze(freeze, *other, AT, POLICY, pressed=AT).freeze
        assert freeze.frozen is still


@pytest.mark.parametrize(("told", "is_done"), [(OF_CLEO, True), (OF_BEN, False)])
def test_whom_slack_tells_by_now_counts_for_what_is_told(told: Person, is_done: bool) -> None:
    later = {K_CLEO.id: told.identity}
    host, lost = active(step(verb=Verb.HOST)), active(step())
    host = played(host, report("none", by=K_CLEO, person=SILENT))
    assert decided(host, report("none", by=BEN, person=OF_BEN)).reason == "repair-word-kept"
    lost = played(lost, approve(lost, BEN), begin(), outcome("unclear"))
    lost = played(lost, resolve("happened", by=K_CLEO, person=SILENT))
    assert decided(lost, resolve("happened", by=BEN, person=OF_BEN)).reason == "repair-word-kept"
    done = decided(host, report("none", by=BEN, person=OF_BEN, known=later)).plan.step("guard")
    settled = decided(lost, resolve("happened", by=BEN, person=OF_BEN, known=later)).plan.step("guard")
    assert [one.state is StepState.ATTESTED for one in (done, settled)] == [is_done, is_done]


@pytest.mark.parametrize("tell", [report, resolve])
@pytest.mark.parametrize("first", [(BEN, OF_BEN), (K_CLEO, SILENT)], ids=["of Slack", "of the terminal"])
def test_an_earlier_word_keeps_no_two_others_from_telling(first: tuple[Actor, Person], tell) -> None:  # type: ignore[no-untyped-def]
    others = [(K_BEN, SILENT), (K_DORA, SILENT)] if first[0] == BEN else [(ANN, OF_ANN), (BEN, OF_BEN)]
    plan = active(step(verb=Verb.HOST))
    if tell is resolve:
        plan = active(step())
        plan = played(plan, approve(plan, BEN), begin(), outcome("unclear"))
    word = "none" if tell is report else "happened"
    for still, (by, who) in zip((True, True, False), (first, *others), strict=True):
        plan = played(plan, tell(word, by=by, person=who))
        assert (plan.step("guard").state is not StepState.ATTESTED) is still
    assert [one.id for one in plan.step("guard").told_by] == [one.id for one, _ in (first, *others)]


@pytest.mark.parametrize(("policy", "is_refused"), [(SOLO, False), (Policy(mutations=True, quorum=ONE), True)])
def test_only_a_team_of_one_needs_no_address_at_all(policy: Policy, is_refused: bool) -> None:
    """A quorum of one everywhere is not enough: what nobody saw takes two, and so does going on."""
    host, lost = active(step(verb=Verb.HOST)), active(step())
    lost = played(lost, approve(lost, BEN), begin(), outcome("unclear"))
    told = (
        unfreeze(FROZEN, BEN, NOBODY, AT, policy, pressed=AT),
        decided(host, report("none", by=BEN, person=NOBODY), policy=policy),
        decided(lost, resolve("happened", by=BEN_TOO, person=NOBODY), policy=policy),
    )
    assert [one.reason == "repair-person-unknown" for one in told] == [is_refused] * 3


def test_three_names_that_lead_to_each_other_are_one_person() -> None:
    known = {BEN.id: Identity(names=("1",)), CLEO.id: Identity(names=("2",)), BEN_TOO.id: Identity(names=("1", "2"))}
    assert POLICY.persons(known).people((ANN, BEN, CLEO, BEN_TOO)) == (ANN, BEN)
