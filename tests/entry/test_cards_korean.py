"""No English on a Korean card. Axes: the card, what became of the step, why; what the cluster said stays as it was."""

from __future__ import annotations

import msgspec
import pytest

from bot.adapters.files.knowledge import load_words
from bot.knowledge.blanks import blanks
from bot.model.message import Message
from bot.remedy.decision import Freeze
from bot.remedy.plan import Plan, PlanState, StepState
from bot.remedy.rules import because, names
from bot.remedy.running import ANSWERS, OUTCOMES
from tests.entry.cards import AT_HOST, FREEZE
from tests.support.blockkit import written
from tests.support.cards import FIRST, GUARD, INCIDENT, TEXTS, cards, changed, plan
from tests.support.sentences import english

KOREAN = load_words("ko")
#: Reasons that an adapter, a probe or a read gives, and stand inside another one.
_INSIDE = ("hands-", "reply-", "section-", "repair-sees", "approver-")
INSIDE = sorted(key for key in KOREAN.reasons if key.startswith(_INSIDE))
_BEFORE = {"repair-not-sent", "repair-claim-waits"}
OUTSIDE = sorted({reason for _, reason in (*OUTCOMES.values(), *ANSWERS.values())} | _BEFORE)
FREEZES = ("freeze-configmap autopsy-freeze", "freeze-configmap-unread HTTP 403", "repair-audit-gap")
DIFFS = sorted(key for key in KOREAN.reasons if key.startswith("diff-"))
QUOTE = "HTTP 403: forbidden"


def given(key: str) -> dict[str, str]:
    """Values of every blank of a reason: names, numbers, and what the server said."""
    return {name: QUOTE if name in ("detail", "why") else "omen2" for name in blanks(KOREAN.reasons.get(key, ""))}


def foreign(message: Message) -> list[str]:
    """The English of a message, but for the words of the tests' runbook, which has one language."""
    text = f"{message.text}\n{written(message)}"
    for line in (line for one in TEXTS.values() for line in one.splitlines() if line):
        text = text.replace(line, "¶")
    return english(text)


def ended(reason: str, why: str, state: StepState = StepState.FAILED) -> Plan:
    outside = {**given(reason), **names(GUARD)}
    return plan(changed(GUARD, state=state, why=reason, values=because(outside, why, given(why))), AT_HOST.steps[1])


@pytest.mark.parametrize("why", INSIDE)
@pytest.mark.parametrize("reason", OUTSIDE)
def test_an_outcome_says_why_in_korean(reason: str, why: str) -> None:
    message = cards("ko").outcome(ended(reason, why), GUARD.action.step, INCIDENT)
    assert foreign(message) == []
    assert why not in written(message)
    assert "…" not in written(message), "every blank has its value"


def test_what_the_server_said_is_not_translated() -> None:
    message = cards("ko").outcome(ended("repair-not-applied", QUOTE), GUARD.action.step, INCIDENT)
    assert QUOTE in written(message)


@pytest.mark.parametrize("line", DIFFS)
def test_a_line_of_the_difference_that_is_the_bots_own_is_in_korean(line: str) -> None:
    action = msgspec.structs.replace(GUARD.action, diff=f"- a: b\n{line}")
    message = cards("ko").step(plan(changed(GUARD, action=action)), action.step, INCIDENT)
    assert KOREAN.reason(line) in written(message)
    assert "- a: b" in written(message)


@pytest.mark.parametrize("why", FREEZES)
def test_a_freeze_says_why_in_korean(why: str) -> None:
    freeze = Freeze(frozen=True, why=why)
    for message in (cards("ko").freeze(plan(), freeze), cards("ko").open_list((), freeze)):
        assert foreign(message) == []
        assert why.partition(" ")[0] not in written(message)


@pytest.mark.parametrize("reason", sorted(key for key in KOREAN.reasons if key.startswith(("repair-", "plan-"))))
def test_a_refusal_is_in_korean(reason: str) -> None:
    assert foreign(cards("ko").refusal(plan(), reason, given(reason))) == []


@pytest.mark.parametrize("over", PlanState)
@pytest.mark.parametrize("state", StepState)
def test_every_state_of_a_step_and_a_plan_is_in_korean(state: StepState, over: PlanState) -> None:
    one, name = plan(changed(GUARD, state=state), state=over), GUARD.action.step
    made = cards("ko")
    shown = (
        made.step(one, name, INCIDENT),
        made.outcome(one, name, INCIDENT),
        made.finished(one, INCIDENT),
        made.reminder(one, name, INCIDENT),
        made.gone(one, name, INCIDENT),
        made.gap(one, name, INCIDENT),
        made.freeze(one, FREEZE),
    )
    assert [found for message in shown for found in foreign(message)] == []


@pytest.mark.parametrize("left", [(), ("vm-unschedulable",)], ids=["being repaired", "left broken"])
def test_a_silence_says_why_in_korean(left: tuple[str, ...]) -> None:
    said = cards("ko").silence(msgspec.structs.replace(INCIDENT, left=left))
    assert english(said) == []


def test_english_on_a_card_is_found() -> None:
    wrong = ended("repair-not-applied", "repair-sees")
    told = changed(wrong.steps[0], values={**wrong.steps[0].values, "why": "nothing was sent to it"})
    assert foreign(cards("ko").outcome(plan(told, AT_HOST.steps[1]), GUARD.action.step, INCIDENT)) != []
    assert foreign(cards("en").refusal(plan(), "repair-frozen", {"who": FIRST.id, "why": "x"})) != []
