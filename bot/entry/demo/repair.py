"""The repair, played to its end: people press, the bot carries out what they approved, the audit is verified."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from bot.app.repair.ports import Journal
from bot.app.repair.standing import is_living
from bot.app.repair.together import Repairs
from bot.app.requests import Press, PressKind
from bot.entry.demo.ending import NotRepaired, not_through, states
from bot.entry.demo.stage import CHANNEL, Stage
from bot.model.incident import Place
from bot.remedy.plan import Actor, Plan, PlanStep, StepState
from bot.remedy.runbook import Verb

REQUESTER = Actor("slack:T0PLAY/U0ONCALL")
APPROVERS = (Actor("slack:T0PLAY/U0APPROVER1"), Actor("slack:T0PLAY/U0APPROVER2"))
#: By what the person in front of the terminal types.
PEOPLE = {"1": REQUESTER, "2": APPROVERS[0], "3": APPROVERS[1]}
_ROLES = {"1": "requester", "2": "approver 1", "3": "approver 2"}
#: Wall seconds for a plan to move at all.
_PATIENCE = 90.0


class Crew(NamedTuple):
    """What a repair is played with.

    Attributes:
        stage: the terminal, and the desk behind the queue.
        repairs: what carries plans out.
        journal: plans and audit.
        on_host: runs a command on the machine of a node.
        machine: how that machine is; empty where there is none.
        hand_over: what the owner of a step's object does when the change is handed over.
        pace: lets world time run so many times as fast as the wall's from now on.
        audit_holds: verifies the whole audit; None where it holds, else what is wrong.
    """

    stage: Stage
    repairs: Repairs
    journal: Journal
    on_host: Callable[[str], str]
    machine: Callable[[], Mapping[str, str]]
    hand_over: Mapping[str, Callable[[], None]]
    pace: Callable[[float], None]
    audit_holds: Callable[[], str | None]


class Carried(NamedTuple):
    """A plan that is over, and what is wrong with it or its audit."""

    plan: Plan
    wrong: tuple[str, ...]


def repair(crew: Crew, option: str, *, watched: Callable[[], None] = lambda: None) -> Carried:
    """Choose this option and press until the plan is over.

    `watched` is called when the bot begins to watch the cluster.

    Raises:
        NotRepaired: it stopped moving.
        Stopped: the person in front of the terminal ended it.
    """
    stage = crew.stage
    plan = _newest(crew)
    stage.tell(f"Repair. {_who(REQUESTER)} chooses: {option}")
    stage.asker.go_on("Press Enter to choose it ")
    _press(crew, PressKind.CHOOSE, REQUESTER, plan, option=option)
    told: set[str] = set()
    while is_living(plan := _newest(crew)):
        waiting = next((one for one in plan.steps if one.state is StepState.AWAITING), None)
        if waiting is not None and waiting.action.step not in told:
            told.add(waiting.action.step)
            if waiting.action.verb is Verb.OBSERVE:
                watched()
            _by_people(crew, plan, waiting)
            continue
        if not stage.wait_until(partial(_moved, crew, _newest(crew)), _PATIENCE):
            raise NotRepaired(f"plan {plan.id}: nothing moved for {_PATIENCE:.0f} s; {states(_newest(crew))}")
    stage.tell(f"Plan {plan.id}: {plan.state.value}. {states(plan)}")
    return Carried(plan, tuple(not_through(plan, _audit(crew))))


def _by_people(crew: Crew, plan: Plan, step: PlanStep) -> None:
    action, name = step.action, step.action.step
    if action.verb is Verb.OBSERVE:
        crew.stage.tell(f"{name}: the bot watches the cluster.")
    elif action.verb is Verb.HAND_OVER:
        crew.stage.tell(f"{name}: handed over to the owner, who makes the change.")
        crew.hand_over[name]()
    elif action.verb is Verb.HOST:
        _on_host(crew, plan, step)
    else:
        _approve(crew, plan, name)


def _approve(crew: Crew, plan: Plan, name: str) -> None:
    """Ask who approves until the step takes no more approvals; whether somebody may is the bot's to say."""
    names = {key: f"{_ROLES[key]} ({_who(actor)})" for key, actor in PEOPLE.items()}
    while (current := _newest(crew).step(name)).state is StepState.AWAITING:
        voted = {one.actor for one in current.votes}
        free = [key for key, actor in PEOPLE.items() if actor in APPROVERS and actor not in voted]
        if not free:
            raise NotRepaired(f"plan {plan.id}: everybody approved {name}, and it still waits")
        key = crew.stage.asker.who(f"{name} waits for approval.", names, free[0])
        crew.stage.tell(f"{name}: {_who(PEOPLE[key])} approves.")
        _press(crew, PressKind.APPROVE, PEOPLE[key], plan, step=name, digest=current.digest)


def _on_host(crew: Crew, plan: Plan, step: PlanStep) -> None:
    node = step.action.target.ref.name
    crew.stage.asker.go_on(f"{step.action.step}: press Enter to run its commands on {node} ")
    wanted = step.action.verify.pasted
    crew.stage.tell(
        f"{step.action.step}: {_who(REQUESTER)} runs the commands on {node} and pastes what {'; '.join(wanted)} shows."
    )
    shown = {command: f"root@{node}:~# {command}\n{crew.on_host(command)}" for command in step.action.commands}
    text = "".join(shown[command] for command in wanted) + f"root@{node}:~# "
    _press(crew, PressKind.REPORT, REQUESTER, plan, step=step.action.step, digest=step.digest, text=text)


def _press(
    crew: Crew,
    kind: PressKind,
    who: Actor,
    plan: Plan,
    *,
    step: str = "",
    digest: str = "",
    option: str = "",
    text: str = "",
) -> None:
    stage = crew.stage
    press = Press(
        id=f"press-{stage.number()}",
        kind=kind,
        actor=who,
        place=Place(CHANNEL, stage.thread),
        at=stage.wall(),
        plan=plan.id,
        step=step,
        digest=digest,
        option=option,
        text=text,
    )
    stage.deliver(press)


def _moved(crew: Crew, before: Plan) -> bool:
    """Let executor, verifier and sweeper work once; whether the plan is not as it was."""
    if crew.repairs.executor is not None:
        crew.repairs.executor.run_once()
    crew.repairs.verifier.run_once()
    crew.repairs.sweeper.run_once()
    return _newest(crew).revision != before.revision


def _newest(crew: Crew) -> Plan:
    plans = crew.journal.plans(incident=crew.stage.incident())
    return max(plans, key=lambda one: (one.created_at, one.id))


def _audit(crew: Crew) -> str | None:
    """Show the audit; returns what does not fit in its chain."""
    lines = [
        f"{one['seq']:>4} {one['at'][:19]} {one['type']:<18} {one['actor']:<26} {one.get('step', '')}"
        for one in crew.journal.entries(incident=crew.stage.incident())
    ]
    wrong = crew.audit_holds()
    verdict = (
        f"broken: {wrong}" if wrong else f"every one of the entries fits the one before ({len(lines)} of this incident)"
    )
    crew.stage.tell("The audit:")
    crew.stage.show("\n".join(lines))
    crew.stage.tell(f"Its chain: {verdict}")
    return wrong


def _who(actor: Actor) -> str:
    return actor.id.rpartition("/")[2]
