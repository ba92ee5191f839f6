"""What is said of one step from a terminal, while Slack is not asked. Axes: which word, how many people, what comes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.remedy.plan import PlanState, PlanStep, StepState
from tests.entry.terminal.stage import Terminal, flat, terminal
from tests.support.cards import CLEAR, GUARD, HOST, changed
from tests.support.controlplane import ADMIN, NOBODY
from tests.support.redis import redis_server, redis_url
from tests.support.servers import shared_simulated_server, simulated

__all__ = ["redis_server", "redis_url", "shared_simulated_server", "simulated", "terminal"]

WHY = ("--reason", "the others sleep")


def awaiting(one: PlanStep = CLEAR) -> PlanStep:
    return changed(one, state=StepState.AWAITING, after=(), expires_at=datetime.now(UTC) + timedelta(minutes=15))


def two_may(terminal: Terminal) -> None:
    """NOBODY is an approver as well, and may read the cluster."""
    terminal.environ["AUTOPSY_KUBERNETES_APPROVERS"] = f'{{"{ADMIN}": "", "{NOBODY}": ""}}'
    terminal.everybody_may_look()


def test_alone_with_a_reason_names_everybody_who_was_not_asked(terminal: Terminal) -> None:
    """People by their names, of a user group, which only Slack can open, the group."""
    two_may(terminal)
    terminal.environ |= {
        "AUTOPSY_TEAM": "T0TEAM",
        "AUTOPSY_APPROVERS": '["U0FIRST"]',
        "AUTOPSY_APPROVER_GROUPS": '["S0GPU"]',
    }
    plan = terminal.keep(awaiting())
    done = terminal.run("break-glass", plan.id, "clear", *WHY)
    assert done.exit_code == 0, done.output
    assert f"gpu-autopsy break-glass {plan.id} clear" in flat(done), "its card names the command"
    (told,) = terminal.told("broke-glass")
    assert (told["actor"], told["details.why"]) == (f"k8s:{ADMIN}", "the others sleep")
    assert told["details.skipped"] == f"slack:T0TEAM/U0FIRST, slack:group/S0GPU, k8s:{NOBODY}"
    assert terminal.plan(plan.id).step("clear").state is StepState.APPROVED
    assert "the others sleep" in flat(done)
    assert "@U0FIRST" in flat(done)


def test_an_approval_counts_from_here_too(terminal: Terminal) -> None:
    two_may(terminal)
    plan = terminal.keep(awaiting())
    for user, state in ((ADMIN, StepState.AWAITING), (NOBODY, StepState.APPROVED)):
        assert terminal.run("approve", plan.id, "clear", "--yes", user=user).exit_code == 0
        assert terminal.plan(plan.id).step("clear").state is state


@pytest.mark.parametrize(
    ("lang", "asked"),
    [
        ("en", "Approve “Label the node for containers (omen2)” as"),
        ("ko", "“노드에 컨테이너용 레이블 붙이기 (omen2)” 단계를 승"),
    ],
)
def test_what_is_to_be_approved_is_asked_by_its_title(terminal: Terminal, lang: str, asked: str) -> None:
    plan = terminal.keep(awaiting(GUARD))
    done = terminal.run("approve", plan.id, "guard-card", "--lang", lang, typed="n\n")
    assert asked in flat(done)
    assert (done.exit_code, terminal.plan(plan.id).step("guard-card").state) == (1, StepState.AWAITING)


@pytest.mark.parametrize(
    ("said", "state"),
    [
        (("happened", "happened"), StepState.ATTESTED),
        (("did-not", "did-not"), StepState.FAILED),
        (("happened", "did-not"), StepState.UNKNOWN),
    ],
    ids=["both saw it", "both saw that it did not", "they differ"],
)
def test_what_became_of_an_unknown_step_two_people_say(
    terminal: Terminal, said: tuple[str, str], state: StepState
) -> None:
    two_may(terminal)
    plan = terminal.keep(changed(GUARD, state=StepState.UNKNOWN), state=PlanState.HALTED)
    for user, result in zip((ADMIN, NOBODY), said, strict=True):
        assert terminal.plan(plan.id).step("guard-card").state is StepState.UNKNOWN
        done = terminal.run("resolve", plan.id, "guard-card", result, "--reason", "seen on the node", user=user)
        assert done.exit_code == 0, done.output
    assert f"gpu-autopsy resolve {plan.id} guard-card did-not" in flat(done), "its card asks the question"
    assert terminal.plan(plan.id).step("guard-card").state is state
    assert [(one["actor"], one["details.result"]) for one in terminal.told("resolved")] == [
        (f"k8s:{user}", result) for user, result in zip((ADMIN, NOBODY), said, strict=True)
    ]


def test_a_reason_that_is_left_out_is_asked_for(terminal: Terminal) -> None:
    plan = terminal.keep(awaiting())
    asked = terminal.run("abort", plan.id, typed="no longer needed\n")
    assert asked.exit_code == 0, asked.output
    (told,) = terminal.told("aborted")
    assert told["details.why"] == "no longer needed"
    assert terminal.plan(plan.id).state is PlanState.ABORTED


def test_everything_of_a_step_is_shown_and_nothing_is_written(terminal: Terminal) -> None:
    plan = terminal.keep(changed(GUARD, expires_at=None), HOST)
    before = len(terminal.journal.entries())
    shown = terminal.run("details", plan.id, "guard-card")
    assert (shown.exit_code, GUARD.digest in flat(shown).replace(" ", "")) == (0, True), shown.output
    for nothing, why in (((plan.id, "nothing"), "no step nothing"), (("nothing-1", "guard-card"), "No plan nothing-1")):
        refused = terminal.run("details", *nothing)
        assert (refused.exit_code, why in flat(refused), "audit" in refused.output) == (1, True, False)
    assert len(terminal.journal.entries()) == before


@pytest.mark.parametrize("file", ["-", "a file"])
def test_what_is_no_text_is_refused_as_not_understood(terminal: Terminal, file: str) -> None:
    plan = terminal.keep(awaiting(HOST))
    held = b"\x7fELF\x00\xff\xfe\n" * 100
    (terminal.folder / "a file").write_bytes(held)
    named = file if file == "-" else str(terminal.folder / file)
    told = terminal.run("report", plan.id, HOST.action.step, "--file", named, typed=held)
    assert told.exit_code == 1, told.output
    assert [one["type"] for one in terminal.journal.entries()][-1] == "refused"
