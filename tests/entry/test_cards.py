"""Axes: card, state of step and plan, marks, language, hostile or endless text. Limits hold by construction."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.model.cards import ButtonKind, Token, cluster_mark
from bot.model.message import Message
from bot.model.refs import Ref
from bot.remedy.decision import Freeze
from bot.remedy.plan import Actor, Holder, Plan, PlanState, PlanStep, StepState, Target
from bot.remedy.runbook import Risk, Verb
from tests.support.answers import OMEN2, with_journal
from tests.support.blockkit import problems, written
from tests.support.cards import (
    AT,
    CLEAR,
    FIRST,
    GUARD,
    HOST,
    INCIDENT,
    REQUESTER,
    RUNBOOK,
    cards,
    changed,
    plan,
    seen,
    vote,
)
from tests.support.slack_limits import broken_view

DIAGNOSIS = with_journal((OMEN2,))
#: The host's step waits, the guard before it is verified.
AT_HOST = plan(changed(GUARD, state=StepState.VERIFIED), changed(HOST, state=StepState.AWAITING, expires_at=AT), CLEAR)
AT_CLEAR = plan(
    changed(GUARD, state=StepState.VERIFIED),
    changed(HOST, state=StepState.ATTESTED),
    changed(CLEAR, state=StepState.AWAITING, expires_at=AT, votes=(vote(FIRST),)),
)
CHOOSING = plan(state=PlanState.CHOOSING, steps=(), option="", chosen_by=None)


def every_card(one: Plan, **how: Any) -> Iterator[Message]:
    made = cards(**how)
    yield made.choice(msgspec.structs.replace(one, state=PlanState.CHOOSING), RUNBOOK, INCIDENT, DIAGNOSIS)
    for step in one.steps:
        yield made.step(one, step.action.step, INCIDENT)
        yield made.outcome(one, step.action.step, INCIDENT)
    yield made.refusal(one, "repair-voted-already", {"who": FIRST.id, "step": "guard-card", "mention": "U0FIRST"})
    yield made.finished(one, INCIDENT)
    if one.steps:
        yield made.reminder(one, one.steps[0].action.step, INCIDENT)
        yield made.gone(one, one.steps[0].action.step, INCIDENT)
        yield made.gap(one, one.steps[0].action.step, INCIDENT)
    yield made.open_list((), Freeze(frozen=True, why="no more today", by=FIRST, gap="plan-1/guard-card"))


def buttons(message: Message) -> list[dict[str, Any]]:
    return [element for block in message.blocks if block["type"] == "actions" for element in block["elements"]]


def kinds(message: Message) -> list[str]:
    return [element["action_id"].split(":")[1] for element in buttons(message)]


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


def test_a_step_to_approve_shows_all_that_an_approval_binds_to() -> None:
    shown = written(cards().step(plan(), "guard-card", INCIDENT))
    for part in (
        "*WAITING FOR APPROVAL* · lab · node/omen2",
        "*Step 1 of 3: label omen2*",
        "*What breaks otherwise*",
        "one object: node/omen2 (uid 2f3c)",
        "- nvidia.com/gpu.workload.config: vm-passthrough\n+ nvidia.com/gpu.workload.config: container",
        "*Risk: disruptive*\nTakes one person",
        "the GPU Operator deploys sandbox workloads",
        "the GPU Operator has reacted to it (node=omen2); within 2 minutes",
        f"digest {GUARD.digest[:12]}",
        "First of all, because the next step revives it.",
    ):
        assert part in shown


@pytest.mark.parametrize(
    ("verb", "risk", "said", "called"),
    [
        (Verb.CLEAR_CONDITION, Risk.DESTRUCTIVE, "Takes 2 different people", True),
        (Verb.HOST, Risk.DESTRUCTIVE, "Takes one person with the output, two without it.", True),
        (Verb.OBSERVE, Risk.READ, "", False),
    ],
)
def test_a_card_says_how_many_people_count_and_calls_nobody_where_the_bot_only_looks(
    verb: Verb, risk: Risk, said: str, called: bool
) -> None:
    step = HOST if verb is Verb.HOST else CLEAR
    action = msgspec.structs.replace(step.action, verb=verb, risk=risk)
    one = changed(step, action=action, after=(), state=StepState.AWAITING)
    message = cards().step(plan(one), one.action.step, INCIDENT)
    shown = written(message)
    assert ("Takes" in shown, said in shown, "<@U0FIRST>" in shown) == (bool(said), True, called)


def test_the_expiry_is_the_readers_own_time_and_how_far_away() -> None:
    shown = written(cards().step(plan(), "guard-card", INCIDENT))
    at = int(AT.timestamp()) + 900
    assert f"<!date^{at}^{{date_short_pretty}} {{time}} ({{ago}})|2026-10-30 16:15 UTC>" in shown


def test_the_lock_screen_begins_with_state_cluster_object_and_hazard() -> None:
    first = cards().step(AT_HOST, "host-off", INCIDENT).text[:100]
    assert first.startswith("WAITING FOR A PERSON lab node/omen2: ")


def test_buttons_name_their_object_and_are_all_different() -> None:
    message = cards().step(plan(), "guard-card", INCIDENT)
    labels = [one["text"]["text"] for one in buttons(message)]
    assert labels == ["Approve step 1: label omen2", "Deny step 1: label omen2", "Details of step 1"]
    assert [one["accessibility_label"] for one in buttons(message)] == labels


def test_a_button_carries_ids_and_never_a_parameter() -> None:
    for message in (cards().step(plan(), "guard-card", INCIDENT), cards().step(AT_HOST, "host-off", INCIDENT)):
        for one in buttons(message):
            token = Token.read(one["value"])
            assert token.plan == "plan0001"
            assert token.cluster == cluster_mark("lab")
            assert not re.search(r"swapoff|container|omen2|lab\b", one["value"])


@pytest.mark.parametrize(
    ("one", "step", "expected"),
    [
        (plan(), "guard-card", ["approve", "deny", "details"]),
        (AT_HOST, "host-off", ["report", "details"]),
        (AT_CLEAR, "clear", ["approve", "deny", "break-glass", "details"]),
        (plan(), "host-off", []),
        (plan(dry=True), "guard-card", ["report", "details"]),
    ],
    ids=["one person", "person", "two people", "not yet", "dry"],
)
def test_what_can_be_pressed(one: Plan, step: str, expected: list[str]) -> None:
    assert kinds(cards().step(one, step, INCIDENT)) == expected


def test_a_team_of_one_needs_no_glass_to_break() -> None:
    message = cards(solo=True).step(AT_CLEAR, "clear", INCIDENT)
    assert kinds(message) == ["approve", "deny", "details"]
    assert "*SOLO MODE*" in written(message)


@pytest.mark.parametrize("state", sorted(set(StepState) - {StepState.AWAITING}))
def test_buttons_leave_when_a_step_no_longer_waits(state: StepState) -> None:
    assert kinds(cards().step(plan(changed(GUARD, state=state)), "guard-card", INCIDENT)) == []


def test_only_what_cannot_be_taken_back_asks_twice() -> None:
    (approve, *others) = buttons(cards().step(AT_CLEAR, "clear", INCIDENT))
    assert approve["confirm"]["style"] == "danger"
    assert "nodepool/gpu" in approve["confirm"]["text"]["text"]
    assert not any("confirm" in one for one in others)


def test_two_people_and_not_the_requester() -> None:
    shown = written(cards().step(AT_CLEAR, "clear", INCIDENT))
    assert "Takes 2 different people; who asked for the plan (U0ONCALL) is not one of them." in shown
    assert "*Approved by 1 of 2*\n<@U0FIRST>" in shown
    assert "at most 5 objects, found when it runs by nodepool=gpu" in shown


def test_a_persons_step_has_commands_to_copy_and_the_paste_that_is_wanted() -> None:
    shown = written(cards().step(AT_HOST, "host-off", INCIDENT))
    assert "```\nsudo systemctl stop kubelet\nsudo swapoff -a\ncat /proc/swaps\ncat /etc/fstab\n```" in shown
    assert "comes back at boot (command=cat /proc/swaps; cat /etc/fstab, node=omen2)" in shown
    assert "1 label omen2: VERIFIED" in shown


def test_the_form_of_a_report_names_each_command_whose_output_is_wanted() -> None:
    form = str(cards().form(ButtonKind.REPORT, AT_HOST, "host-off", "{}"))
    assert repr("```\ncat /proc/swaps\ncat /etc/fstab\n```")[1:-1] in form


def test_with_mutations_off_there_are_commands_and_it_says_so() -> None:
    shown = written(cards(mutations=False).step(plan(dry=True), "guard-card", INCIDENT))
    assert "*MUTATIONS ARE OFF: commands only*" in shown
    assert "kubectl label node omen2" in shown


def test_a_broken_glass_stands_on_the_card_and_in_the_end() -> None:
    broken = changed(GUARD, state=StepState.VERIFIED, break_glass="the room burns", votes=(vote(FIRST),))
    one = plan(broken, state=PlanState.DONE)
    for message in (cards().step(one, "guard-card", INCIDENT), cards().finished(one, INCIDENT)):
        assert "*BREAK GLASS: one person approved alone*\nthe room burns\n<@U0FIRST>" in written(message)


def test_a_store_that_may_forget_is_said() -> None:
    assert "*BEST EFFORT*" in written(cards(best_effort=True).step(plan(), "guard-card", INCIDENT))


def test_the_choice_says_what_each_way_leaves_broken() -> None:
    message = cards().choice(CHOOSING, RUNBOOK, INCIDENT, DIAGNOSIS)
    shown = written(message)
    assert "*Who keeps the card?*" in shown
    assert "*CUDA work on the host keeps it*" in shown
    assert "*Leaves broken*\nVM gpu-fedora cannot be scheduled" in shown
    assert [one["text"]["text"] for one in buttons(message)] == [
        "omen2: CUDA work on the host keeps it",
        "omen2: The VMs get it",
    ]
    assert [Token.read(one["value"]).part for one in buttons(message)] == ["host-cuda", "vms"]


def test_a_choice_that_was_made_has_no_buttons_and_says_whose_it_was() -> None:
    message = cards().choice(plan(), RUNBOOK, INCIDENT, DIAGNOSIS)
    assert kinds(message) == []
    assert f"*Chosen: CUDA work on the host keeps it*\n<@{REQUESTER.id.rpartition('/')[2]}>" in written(message)


def test_an_outcome_shows_what_was_seen_and_what_comes_next() -> None:
    one = plan(changed(GUARD, state=StepState.VERIFIED, evidence=(seen("vfio-manager: gone"),)), AT_HOST.steps[1])
    shown = written(cards().outcome(one, "guard-card", INCIDENT))
    assert "Step 1 of 2: label omen2: verified. The bot saw it in the cluster." in shown
    assert "```\nvfio-manager: gone\n```" in shown
    assert "Next: Step 2 of 2" in shown


def test_attested_is_never_called_verified() -> None:
    one = plan(changed(GUARD, state=StepState.VERIFIED), changed(HOST, state=StepState.ATTESTED, told_by=(FIRST,)))
    shown = written(cards().outcome(one, "host-off", INCIDENT))
    assert "verified" not in shown.lower()
    assert "*Told by*\n<@U0FIRST>" in shown


def test_an_unknown_step_asks_people() -> None:
    one = plan(changed(GUARD, state=StepState.UNKNOWN), state=PlanState.HALTED)
    message = cards().outcome(one, "guard-card", INCIDENT)
    assert kinds(message) == ["happened", "did-not", "details", "abort"]
    assert "*The plan halts here*" in written(message)
    assert "<@U0FIRST>" in written(message)


def test_a_refusal_calls_who_pressed_and_nobody_else() -> None:
    values = {"who": FIRST.id, "step": "guard-card", "mention": "U0FIRST"}
    message = cards().refusal(plan(), "repair-voted-already", values)
    assert problems(message) == []
    assert written(message).count("<@") == 1
    assert message.text.startswith("REFUSED lab node/omen2: U0FIRST")


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
    assert "VMs that ask for this card stay unschedulable" in shown
    assert "*Attested only: people said so, the bot did not see it*\n2 work on host omen2" in shown
    assert "last replacements: 2, once node repair is on again: 1 more; seen: 3" in shown
    assert kinds(message) == ["postmortem", "silence"]


def test_a_reason_inside_a_reason_has_its_blanks_filled() -> None:
    values = {"why": "repair-no-replacement", "subject": "nodepool/gpu", "quiet": "50m", "last": "09:00 UTC"}
    counts = {"count": "1", "predicted": "1", "step": "loop-ended"}
    one = plan(changed(GUARD, state=StepState.VERIFIED, why="repair-verified", values={**values, **counts}))
    shown = written(cards().outcome(one, "guard-card", INCIDENT))
    assert "came or went for 50m; the last change was 09:00 UTC. Replaced since the repair: 1, predicted: 1" in shown


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


@pytest.mark.parametrize(("gap", "is_told"), [("plan-1/guard-card", True), ("", False)])
def test_the_hand_over_says_what_is_frozen_since_entries_were_lost(gap: str, is_told: bool) -> None:
    assert (
        "FROZEN FOR WHAT IS DESTRUCTIVE" in written(cards().open_list((), Freeze(frozen=False, gap=gap)))
    ) == is_told


def test_a_plan_that_took_something_back_says_that_and_not_that_it_repaired() -> None:
    one = plan(changed(CLEAR, state=StepState.VERIFIED), state=PlanState.DONE, undoes="other-1/gate-off")
    shown = written(cards().finished(one, INCIDENT))
    assert f"{CLEAR.action.target.ref}: the temporary change is taken back." in shown
    assert "is through" not in shown


def test_the_owner_of_an_incident_is_called_instead_of_all_approvers() -> None:
    owned = msgspec.structs.replace(INCIDENT, owner=REQUESTER.id)
    shown = written(cards().step(plan(), "guard-card", owned))
    assert shown.startswith("<@U0ONCALL> · ")
    group = cards(approvers=("slack:group/S0GPU",)).step(plan(), "guard-card", INCIDENT)
    assert written(group).startswith("<!subteam^S0GPU> · ")


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("step", ["guard-card", "host-off", "clear"])
def test_forms_are_ones_that_slack_takes(step: str, lang: str) -> None:
    made = cards(lang)
    assert broken_view(made.details(plan(), step, INCIDENT)) == []
    for kind in (ButtonKind.DENY, ButtonKind.BREAK_GLASS, ButtonKind.REPORT, ButtonKind.HAPPENED, ButtonKind.ABORT):
        assert broken_view(made.form(kind, plan(), step, "{}")) == []


def test_the_details_show_the_whole_digest_and_who_counts() -> None:
    shown = str(cards().details(plan(), "guard-card", INCIDENT))
    assert GUARD.digest in shown
    assert "<@U0FIRST> <@U0SECOND>" in shown
    assert "1 label omen2 → 2 work on host omen2 → 3 clear the condition" in shown


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
        made.choice(one, RUNBOOK, INCIDENT, DIAGNOSIS),
    ):
        assert problems(message) == []
    assert broken_view(made.details(one, "guard-card", INCIDENT)) == []
