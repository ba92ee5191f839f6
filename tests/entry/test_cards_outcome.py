"""What became of a step. Axes: state, what was seen and where, whose word, how the step is called, what comes next."""

from __future__ import annotations

import pytest

from bot.narrate.plan import PlanPhrases
from bot.remedy.decision import Policy
from bot.remedy.plan import PlanState, StepState
from tests.entry.cards import AT_HOST, kinds
from tests.support.answers import words
from tests.support.blockkit import written
from tests.support.cards import FIRST, GUARD, HOST, INCIDENT, cards, changed, plan, seen


def test_an_outcome_shows_what_was_seen_and_what_comes_next() -> None:
    one = plan(changed(GUARD, state=StepState.VERIFIED, evidence=(seen("vfio-manager: gone"),)), AT_HOST.steps[1])
    shown = written(cards().outcome(one, "guard-card", INCIDENT))
    assert "Step 1 of 2: Label the node for containers: verified. The bot saw it in the cluster." in shown
    assert "```\nvfio-manager: gone\n```" in shown
    assert "Next: Step 2 of 2: Stop the kubelet, turn swap off" in shown


def test_an_outcome_says_once_that_a_step_is_done() -> None:
    why = {
        "why": "repair-offered-resource",
        "step": "guard-card",
        "subject": "node/omen2",
        "seen": "1",
        "resource": "gpu",
    }
    one = plan(changed(GUARD, state=StepState.VERIFIED, why="repair-verified", values=why))
    shown = written(cards().outcome(one, "guard-card", INCIDENT))
    assert "node/omen2 offers 1 of gpu" in shown
    assert shown.count("verified") == 1


@pytest.mark.parametrize(
    ("lang", "told"),
    [
        ("en", "step “Clear the condition” on nodepool/gpu is locked: “Stop the kubelet, turn swap off” must be done"),
        (
            "ko",
            "nodepool/gpu의 “Clear the condition” 단계는 잠겨 있습니다: 먼저 “Stop the kubelet, turn swap off”을(를)",
        ),
    ],
)
def test_a_reason_names_steps_as_the_runbook_does(lang: str, told: str) -> None:
    values = {"step": "clear", "subject": "nodepool/gpu", "name": "gpu", "waits": "host-off"}
    assert told in written(cards(lang).refusal(plan(), "repair-out-of-order", values))


def test_where_the_runbook_has_gone_a_step_is_named_by_what_is_done() -> None:
    gone = PlanPhrases(words(), "lab", Policy(), lambda _book, _section: "")
    assert gone.step_title(plan(), HOST) == "Step 2 of 3: work on host omen2"


def test_of_what_was_seen_the_place_is_said_once_and_every_line_stands() -> None:
    pasted = [seen(f"line {number}", "fstab") for number in range(5)]
    one = plan(changed(GUARD, state=StepState.VERIFIED, evidence=(*pasted, seen("true"))))
    shown = written(cards().outcome(one, "guard-card", INCIDENT))
    assert shown.count("kubernetes node/omen2 fstab") == 1
    assert "line 0\nline 1\nline 2\nline 3\nline 4" in shown
    assert "more" not in shown
    many = plan(changed(GUARD, state=StepState.VERIFIED, evidence=tuple(seen("x", f"f{n}") for n in range(9))))
    assert "and 3 more" in written(cards().outcome(many, "guard-card", INCIDENT))


def test_attested_is_never_called_verified() -> None:
    one = plan(changed(GUARD, state=StepState.VERIFIED), changed(HOST, state=StepState.ATTESTED, told_by=(FIRST,)))
    shown = written(cards().outcome(one, "host-off", INCIDENT))
    assert "verified" not in shown.lower()
    assert "*Told by*\n<@U0FIRST>" in shown


def test_an_unknown_step_asks_people() -> None:
    one = plan(changed(GUARD, state=StepState.UNKNOWN), state=PlanState.HALTED)
    message = cards().outcome(one, "guard-card", INCIDENT)
    assert kinds(message) == ["happened", "did-not", "details"], "its plan is over: nothing is left to give up"
    assert "*The plan halts here*" in written(message)
    assert "<@U0FIRST>" in written(message)


def test_a_reason_inside_a_reason_has_its_blanks_filled() -> None:
    values = {"why": "repair-no-replacement", "subject": "nodepool/gpu", "quiet": "50m", "last": "09:00 UTC"}
    counts = {"count": "1", "predicted": "1", "step": "loop-ended"}
    one = plan(changed(GUARD, state=StepState.VERIFIED, why="repair-verified", values={**values, **counts}))
    shown = written(cards().outcome(one, "guard-card", INCIDENT))
    assert (
        "came or went for 50m; the last change was 09:00 UTC. Replacements that began after the repair: 1, predicted: 1"
        in shown
    )


def test_what_a_person_may_have_half_done_is_never_called_nothing() -> None:
    late = changed(
        HOST, state=StepState.EXPIRED, why="repair-report-expired", values={"step": "host-off", "name": "omen2"}
    )
    message = cards().outcome(plan(GUARD, late, state=PlanState.HALTED), "host-off", INCIDENT)
    assert "What was done by hand is NOT KNOWN" in written(message)
    assert "Nothing was done" not in written(message)
    assert message.text.count("<@U0FIRST>") == 1, "somebody has to look"
    approval = cards().outcome(plan(changed(GUARD, state=StepState.EXPIRED)), "guard-card", INCIDENT)
    assert "Nothing was done." in written(approval)
