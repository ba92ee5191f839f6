"""What the desk refuses of a terminal's commands. Axes: the command, who gives it, what is wrong with it.

Each is refused as in Slack: with the same reason, exit status 1, and an entry of the audit that names the person.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.remedy.plan import PlanState, PlanStep, StepState
from tests.entry.terminal.stage import Terminal, flat, terminal
from tests.support.cards import CLEAR, INCIDENT, changed
from tests.support.controlplane import ADMIN, NOBODY
from tests.support.redis import redis_server, redis_url
from tests.support.servers import shared_simulated_server, simulated

__all__ = ["redis_server", "redis_url", "shared_simulated_server", "simulated", "terminal"]

#: What is refused is no matter of which server keeps it: the other tests here try both.
pytestmark = pytest.mark.parametrize("redis_server", ["embedded"], indirect=True)

PLAN = "plan0001"
WHY = ("--reason", "because")
#: A reason that was typed and says nothing.
BLANK = ("--reason", " ")
OF_STEPS = {
    "approve": ("clear", "--yes"),
    "deny": ("clear",),
    "break-glass": ("clear", *WHY),
    "report": ("clear",),
    "resolve": ("clear", "happened", *WHY),
    "undo": ("clear",),
}
OF_INCIDENTS = ("take", "silence", "postmortem")
MAY_NOT = {
    **{command: (command, PLAN, *more) for command, more in OF_STEPS.items()},
    **{command: (command, INCIDENT.id) for command in OF_INCIDENTS},
    "abort": ("abort", PLAN, *WHY),
    "freeze": ("freeze", "odd"),
    "unfreeze": ("unfreeze",),
}


def awaiting(one: PlanStep) -> PlanStep:
    return changed(one, state=StepState.AWAITING, after=(), expires_at=datetime.now(UTC) + timedelta(minutes=15))


def refused(terminal: Terminal, *words: str, user: str = ADMIN) -> str:
    """The reason, which stands in the audit, in the name of who gave the command."""
    result = terminal.run(*words, user=user)
    assert (result.exit_code, "REFUSED" in result.output) == (1, True), result.output
    (told,) = terminal.told("refused")
    assert told["actor"] == f"k8s:{user}"
    return told["details.reason"]


@pytest.mark.parametrize("command", MAY_NOT)
def test_who_is_no_approver(terminal: Terminal, command: str) -> None:
    terminal.everybody_may_look()
    state = StepState.UNKNOWN if command == "resolve" else StepState.AWAITING
    plan_state = PlanState.HALTED if command == "resolve" else PlanState.ACTIVE
    plan = terminal.keep(changed(awaiting(CLEAR), state=state), state=plan_state)
    assert refused(terminal, *MAY_NOT[command], user=NOBODY) == "repair-may-not"
    assert terminal.plan(plan.id) == terminal.journal.read(plan.id).plan
    assert terminal.plan(plan.id).step("clear").state is state


@pytest.mark.parametrize("command", OF_STEPS)
def test_a_plan_or_a_step_that_is_not_there(terminal: Terminal, command: str) -> None:
    terminal.keep(awaiting(CLEAR))
    _, *more = OF_STEPS[command]
    assert refused(terminal, command, PLAN, "nothing", *more) == "repair-no-such-step"
    assert terminal.run(command, PLAN, "", *more).exit_code == 1
    terminal.run(command, "nothing-1", "clear", *more)
    reasons = [one["details.reason"] for one in terminal.told("refused")]
    assert reasons == ["repair-no-such-step", "repair-no-such-step", "repair-no-such-plan"]


@pytest.mark.parametrize("command", OF_INCIDENTS)
def test_an_incident_that_is_not_there(terminal: Terminal, command: str) -> None:
    assert refused(terminal, command, "nothing") == "repair-no-such-incident"


@pytest.mark.parametrize(
    "words",
    [
        ("break-glass", PLAN, "clear", *BLANK),
        ("deny", PLAN, "clear", *BLANK),
        ("abort", PLAN, *BLANK),
        ("abort", PLAN),
        ("resolve", PLAN, "clear", "happened", *BLANK),
        ("freeze", ""),
        ("freeze", " "),
    ],
    ids=" ".join,
)
def test_a_reason_that_says_nothing_is_no_command(terminal: Terminal, words: tuple[str, ...]) -> None:
    plan = terminal.keep(awaiting(CLEAR))
    before = len(list(terminal.journal.entries()))
    result = terminal.run(*words, typed="\n")
    assert (result.exit_code, "a reason in words is needed" in flat(result)) == (2, True), result.output
    assert (terminal.plan(plan.id).state, terminal.journal.read("").freeze.frozen) == (PlanState.ACTIVE, False)
    assert len(list(terminal.journal.entries())) == before


def test_a_veto_needs_no_reason(terminal: Terminal) -> None:
    plan = terminal.keep(awaiting(CLEAR))
    assert terminal.run("deny", plan.id, "clear").exit_code == 0
    assert terminal.plan(plan.id).step("clear").state is StepState.DENIED


def test_whoever_asked_for_the_plan_breaks_no_glass(terminal: Terminal) -> None:
    terminal.environ |= {
        "AUTOPSY_TEAM": "T0TEAM",
        "AUTOPSY_KUBERNETES_APPROVERS": f'{{"{ADMIN}": "U0ONCALL", "c": ""}}',
    }
    terminal.keep(awaiting(CLEAR))
    assert refused(terminal, "break-glass", PLAN, "clear", *WHY) == "repair-glass-requester"


def test_a_choice_that_was_made(terminal: Terminal) -> None:
    terminal.keep(awaiting(CLEAR), dry=True)
    assert refused(terminal, "choose", PLAN, "vms") == "repair-chosen-already"


def test_a_step_of_which_the_bot_knows_what_became(terminal: Terminal) -> None:
    terminal.keep(awaiting(CLEAR))
    assert refused(terminal, "resolve", PLAN, "clear", "happened", *WHY) in ("repair-not-begun", "repair-plan-over")


def test_alerts_where_no_alertmanager_is_configured(terminal: Terminal) -> None:
    terminal.keep(awaiting(CLEAR))
    assert refused(terminal, "silence", INCIDENT.id) == "repair-no-silence"
