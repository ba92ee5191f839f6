"""Axes: card, state of step and plan, language, outcome, hostile or endless text. Limits hold by construction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.model.cards import ButtonKind, Token
from bot.model.message import Message
from bot.model.refs import Ref
from bot.remedy.decision import Freeze
from bot.remedy.plan import Actor, Holder, Plan, PlanState, PlanStep, StepState, Target
from bot.remedy.rules import names
from tests.entry.cards import AT_CLEAR, AT_HOST, DIAGNOSIS, FREEZE, OFFERED, buttons, kinds, offer
from tests.support.answers import words
from tests.support.blockkit import problems, written
from tests.support.cards import (
    AT,
    CLEAR,
    FIRST,
    GUARD,
    HOST,
    INCIDENT,
    cards,
    changed,
    plan,
    seen,
    vote,
)
from tests.support.slack_limits import broken_view

DO_NOT = {lang: words(lang).code("do-not-start-kubelet").title.format(name="omen2") for lang in ("en", "ko")}
NOTHING = offer(**{"host-cuda": "plan-parameter-unknown", "vms": "plan-option-unsafe"})


def every_card(one: Plan, **how: Any) -> Iterator[Message]:
    made = cards(**how)
    yield made.choice(msgspec.structs.replace(one, state=PlanState.CHOOSING), OFFERED, INCIDENT, DIAGNOSIS)
    for step in one.steps:
        yield made.step(one, step.action.step, INCIDENT)
        yield made.outcome(one, step.action.step, INCIDENT)
        yield made.broken_glass(one, step.action.step, INCIDENT)
    yield made.unoffered(NOTHING, INCIDENT)
    yield made.choice_changed(one, NOTHING, INCIDENT, ("vms",))
    yield made.refusal(one, "repair-voted-already", {"who": FIRST.id, "step": "guard-card", "mention": "U0FIRST"})
    yield made.not_yet(one, "repair-told-second-needed", {**names(GUARD), "who": FIRST.id, "mention": "U0FIRST"})
    yield made.finished(one, INCIDENT)
    if one.steps:
        yield made.reminder(one, one.steps[0].action.step, INCIDENT)
        yield made.closing(one, one.steps[0].action.step, INCIDENT)
        yield made.abandoned(one, one.steps[0].action.step, INCIDENT)
        yield made.gone(one, one.steps[0].action.step, INCIDENT)
        yield made.gap(one, one.steps[0].action.step, INCIDENT)
    yield made.freeze(one, FREEZE)
    yield made.freeze(one, Freeze(frozen=False))
    yield made.open_list((), Freeze(frozen=True, why="no more today", by=FIRST))


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("one", [plan(), AT_HOST, AT_CLEAR, plan(dry=True)], ids=["guard", "host", "clear", "dry"])
def test_every_card_is_one_that_slack_takes(one: Plan, lang: str) -> None:
    for message in every_card(one, lang=lang):
        assert problems(message) == []


@pytest.mark.parametrize("state", StepState)
@pytest.mark.parametrize("over", PlanState)
def test_every_state_has_its_words(state: StepState, over: PlanState) -> None:
    one = plan(changed(GUARD, state=state), state=over)
    for message in every_card(one):
        assert problems(message) == []
        assert "…" not in message.text.splitlines()[0][:20]


@pytest.mark.parametrize("one", [plan(), AT_CLEAR, plan(dry=True)], ids=["guard", "clear", "dry"])
def test_a_team_of_one_is_said_on_every_card(one: Plan) -> None:
    for message in every_card(one, solo=True):
        assert "*SOLO MODE*" in written(message), message.text
    for message in every_card(one):
        assert "SOLO MODE" not in written(message)


@pytest.mark.parametrize(("lang", "file"), [("en", "kubelet-swap.md"), ("ko", "kubelet-swap.ko.md")])
def test_that_nothing_can_be_offered_is_told_with_the_reasons_and_the_way_by_hand(lang: str, file: str) -> None:
    message = cards(lang).unoffered(NOTHING, INCIDENT)
    shown = written(message)
    assert buttons(message) == []
    assert all(told in shown for told in ("“Label the node for containers”", "node", DO_NOT[lang], f"runbooks/{file}"))
    assert shown.count("→") == 1, "the steps of what is unsafe are not named"


def test_a_broken_glass_stands_on_the_card_and_in_the_end() -> None:
    broken = changed(GUARD, state=StepState.VERIFIED, break_glass="the room burns", votes=(vote(FIRST),))
    one = plan(broken, state=PlanState.DONE)
    for message in (cards().step(one, "guard-card", INCIDENT), cards().finished(one, INCIDENT)):
        assert "*BREAK GLASS: one person approved alone*\nthe room burns\n<@U0FIRST>" in written(message)


@pytest.mark.parametrize(
    ("step_id", "told"),
    [("guard-card", "0 of 1 approved"), ("host-off", "nobody knows how far it got")],
)
def test_a_window_that_closes_calls_people_once_and_says_what_follows(step_id: str, told: str) -> None:
    one = plan(*(changed(one, state=StepState.AWAITING, expires_at=AT) for one in (GUARD, HOST)))
    message = cards().closing(one, step_id, INCIDENT)
    assert message.text.startswith("TIME RUNS OUT")
    assert told in written(message)
    assert message.text.count("<@U0FIRST>") == 1


@pytest.mark.parametrize(
    ("state", "told"),
    [
        (StepState.INTENT, "its request was not sent"),
        (StepState.DISPATCHED, "may have been sent"),
        (StepState.APPLIED, "The change of step"),
    ],
)
def test_a_step_that_no_executor_goes_on_with_calls_people_and_says_what_to_look_for(
    state: StepState, told: str
) -> None:
    one = plan(changed(GUARD, state=state, lease_until=AT, expires_at=AT))
    message = cards().abandoned(one, "guard-card", INCIDENT)
    assert message.text.startswith("NO EXECUTOR")
    assert told in written(message)
    assert GUARD.action.diff.splitlines()[0] in written(message)
    assert message.text.count("<@U0FIRST>") == 1


def test_a_refusal_calls_who_pressed_and_nobody_else() -> None:
    values = {"who": FIRST.id, "step": "guard-card", "mention": "U0FIRST"}
    message = cards().refusal(plan(), "repair-voted-already", values)
    assert problems(message) == []
    assert written(message).count("<@") == 1
    assert message.text.startswith("REFUSED lab node/omen2: U0FIRST")


def test_a_word_that_is_not_enough_calls_who_said_it_and_says_whom_nobody_could_tell() -> None:
    doubt = {"have": "1", "need": "2", "unsure": "k8s:ops", "doubt": "approver-not-asked-here\napprover-no-email"}
    message = cards().not_yet(plan(), "repair-word-kept", {"who": FIRST.id, "mention": "U0FIRST", **doubt})
    assert problems(message) == []
    assert written(message).count("<@") == 1
    assert message.text.startswith("HEARD, NOT ENOUGH YET lab node/omen2: U0FIRST is heard")
    assert "Nothing was done" not in written(message)
    assert "only 1 of 2 people are certain" in message.text.splitlines()[0]
    assert "who k8s:ops is could not be told: a terminal does not ask Slack who that is" in written(message)
    assert "Slack names no e-mail address" in written(message)


def test_the_reason_of_a_refusal_is_put_into_words_with_its_detail() -> None:
    values = {"who": FIRST.id, "why": "approver-lookup-failed ratelimited"}
    shown = written(cards().refusal(plan(), "repair-may-not", values))
    assert "Slack did not say who that is (ratelimited)" in shown


def test_the_end_says_what_is_left_and_what_rests_on_words() -> None:
    one = plan(
        changed(GUARD, state=StepState.VERIFIED, values={"predicted": "2", "count": "3"}),
        changed(HOST, state=StepState.ATTESTED),
        state=PlanState.DONE,
        leaves=("vm-unschedulable",),
        predicted={"last-replacements": 2, "held-replacements": 1},
    )
    message = cards().finished(one, INCIDENT)
    shown = written(message)
    assert "*MITIGATED* · lab · node/omen2" in shown
    assert "VMs cannot run on this card" in shown
    assert (
        "*Attested only: people said so, the bot did not see it*\n2 Stop the kubelet, turn swap off: ATTESTED" in shown
    )
    predicted = "replacements that begin after the repair: 2, once node repair is on again: 1 more"
    assert f"{predicted}; seen: 3, NOT AS PREDICTED (2)" in shown
    assert kinds(message) == ["postmortem", "silence"]
    without = cards(silences=False).finished(one, INCIDENT)
    assert kinds(without) == ["postmortem"], "no Alertmanager is there"


@pytest.mark.parametrize(
    ("counted", "seen"), [("2", "2"), ("3", "3, NOT AS PREDICTED (2)"), ("-", "not counted")], ids=str
)
def test_the_end_says_whether_it_was_as_predicted(counted: str, seen: str) -> None:
    values = {"predicted": "2", "count": counted}
    one = plan(
        changed(GUARD, state=StepState.VERIFIED, values=values),
        state=PlanState.DONE,
        predicted={"last-replacements": 2, "waiting-replacements": 1, "stuck-nodes": 2},
    )
    assert f"(Karpenter's 20% breaker): 2; seen: {seen}\n" in written(cards().finished(one, INCIDENT)) + "\n"


LEFT = plan(changed(GUARD, state=StepState.VERIFIED), state=PlanState.DONE, leaves=("vm-unschedulable",))


def test_a_silence_is_offered_of_what_fires_where_something_takes_it() -> None:
    assert "silence" in kinds(cards(silences=True).finished(LEFT, INCIDENT))


@pytest.mark.parametrize(
    ("silences", "change"),
    [(False, {}), (True, {"firing": ()}), (True, {"labels": {}}), (True, {"firing": ("b@1",)})],
    ids=["no Alertmanager", "nothing fires", "no labels", "another one fires"],
)
def test_where_nothing_can_be_silenced_no_silence_is_offered(silences: bool, change: dict[str, Any]) -> None:
    message = cards(silences=silences).finished(LEFT, msgspec.structs.replace(INCIDENT, **change))
    assert kinds(message) == ["postmortem"]


TEMPORARY = changed(GUARD, state=StepState.VERIFIED, temporary_until=AT, undo=CLEAR.action)


@pytest.mark.parametrize("card", ["finished", "reminder"])
def test_a_temporary_change_has_its_button(card: str) -> None:
    one, made = plan(TEMPORARY, state=PlanState.DONE), cards()
    message = made.finished(one, INCIDENT) if card == "finished" else made.reminder(one, "guard-card", INCIDENT)
    assert problems(message) == []
    assert kinds(message)[0] == "undo"
    token = Token.read(buttons(message)[0]["value"])
    assert (token.plan, token.part, token.digest) == (one.id, "guard-card", GUARD.digest[:32])


@pytest.mark.parametrize("lacks", ["temporary_until", "undo"])
def test_what_cannot_be_taken_back_has_no_such_button(lacks: str) -> None:
    one = plan(changed(TEMPORARY, **{lacks: None}), state=PlanState.DONE)
    assert "undo" not in kinds(cards().finished(one, INCIDENT))


def test_what_is_gone_with_its_object_has_nothing_to_press_and_calls_nobody() -> None:
    message = cards().gone(plan(TEMPORARY), "guard-card", INCIDENT)
    assert (buttons(message), "<!" in written(message), "<@" in written(message)) == ([], False, False)
    assert f"{GUARD.action.target.ref} is not there any more" in written(message)


def test_lost_entries_call_people_and_say_where_the_audit_stood() -> None:
    lost = changed(GUARD, state=StepState.UNKNOWN, stranger=Holder(owner="executor-0", audit="42:9f3c"))
    message = cards(approvers=(FIRST.id,)).gap(plan(lost), "guard-card", INCIDENT)
    shown = written(message)
    assert ("42:9f3c" in shown, "executor-0" in shown, f"<@{FIRST.id.rpartition('/')[2]}>" in shown) == (True,) * 3


def test_a_plan_that_took_something_back_says_that_and_not_that_it_repaired() -> None:
    one = plan(changed(CLEAR, state=StepState.VERIFIED), state=PlanState.DONE, undoes="other-1/gate-off")
    shown = written(cards().finished(one, INCIDENT))
    assert f"{CLEAR.action.target.ref}: the temporary change is taken back." in shown
    assert "is through" not in shown


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("step", ["guard-card", "host-off", "clear"])
def test_forms_are_ones_that_slack_takes(step: str, lang: str) -> None:
    made = cards(lang)
    assert broken_view(made.details(plan(), step, INCIDENT)) == []
    for kind in (ButtonKind.DENY, ButtonKind.BREAK_GLASS, ButtonKind.REPORT, ButtonKind.HAPPENED):
        assert broken_view(made.form(kind, plan(), step, "{}")) == []


def test_the_details_show_the_whole_digest_and_who_counts() -> None:
    shown = str(cards().details(plan(), "guard-card", INCIDENT))
    assert GUARD.digest in shown
    assert "<@U0FIRST> <@U0SECOND>" in shown
    assert "1 Label the node for containers → 2 Stop the kubelet, turn swap off → 3 Clear the condition (gpu)" in shown


HOSTILE = st.text(max_size=300) | st.text(alphabet="*_~`<>&@!|:/#\u202e\u200b\x1b\n UW0A", max_size=3_000)


def hostile(step: PlanStep, text: str) -> PlanStep:
    lines = tuple(text.splitlines()) or (text,)
    target = Target(ref=Ref("node", text), uid=text, select=text)
    action = msgspec.structs.replace(step.action, diff=text, commands=lines, target=target, params={text: text})
    return changed(step, action=action, state=StepState.AWAITING, why=text, break_glass=text, evidence=(seen(text),))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=HOSTILE)
def test_no_text_breaks_a_limit_or_becomes_markup(text: str) -> None:
    one = plan(hostile(GUARD, text), hostile(HOST, text), subject=Ref("node", text), requester=Actor(text))
    made = cards()
    for message in (
        made.step(one, "guard-card", INCIDENT),
        made.step(one, "host-off", INCIDENT),
        made.outcome(one, "guard-card", INCIDENT),
        made.refusal(one, "repair-may-not", {"who": text, "why": text, "mention": text}),
        made.finished(one, INCIDENT),
        made.choice(one, OFFERED, INCIDENT, DIAGNOSIS),
    ):
        assert problems(message) == []
    assert broken_view(made.details(one, "guard-card", INCIDENT)) == []
