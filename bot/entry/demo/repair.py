"""The repair, played to its end: people press, the bot carries out what they approved, the audit is verified."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from bot.app.repair.ports import Journal, Library
from bot.app.repair.standing import is_living
from bot.app.repair.together import Repairs
from bot.app.requests import Press, PressKind
from bot.entry.demo.ending import NotRepaired, not_through, states
from bot.entry.demo.stage import CHANNEL, Stage
from bot.model.incident import Place
from bot.narrate.reasons import line_in_words
from bot.narrate.sections import title
from bot.remedy.audit import Record, details
from bot.remedy.decision import Policy
from bot.remedy.plan import Actor, Plan, PlanState, PlanStep, StepState
from bot.remedy.rules import takes_approval
from bot.remedy.runbook import Verb

REQUESTER = Actor("slack:T0PLAY/U0ONCALL")
APPROVERS = (Actor("slack:T0PLAY/U0APPROVER1"), Actor("slack:T0PLAY/U0APPROVER2"))
#: By what the person in front of the terminal types.
PEOPLE = {"1": REQUESTER, "2": APPROVERS[0], "3": APPROVERS[1]}
_ROLES = {"1": "demo-role-requester", "2": "demo-role-approver 1", "3": "demo-role-approver 2"}
_STATES = frozenset(PlanState)
#: Wall seconds for a plan to move at all.
_PATIENCE = 90


class Crew(NamedTuple):
    """What a repair is played with.

    Attributes:
        stage: the terminal, and the desk behind the queue.
        repairs: what carries plans out.
        journal: plans and audit.
        on_host: runs a command on the machine of a node.
        machine: how that machine is; empty where there is none.
        others: what somebody who never reads the thread does for a step: the owner of its object, or of a job on it.
        pace: lets world time run so many times as fast as the wall's from now on.
        audit_holds: verifies the whole audit; None where it holds, else what is wrong.
        library: the runbooks.
        policy: how many people a step takes.
        option: what is chosen where nobody is asked, instead of what the script suggests.
    """

    stage: Stage
    repairs: Repairs
    journal: Journal
    on_host: Callable[[str], str]
    machine: Callable[[], Mapping[str, str]]
    others: Mapping[str, Callable[[], None]]
    pace: Callable[[float], None]
    audit_holds: Callable[[], str | None]
    library: Library
    policy: Policy
    option: str = ""

    def title(self, plan: Plan, section: str) -> str:
        """What the plan's runbook calls a step or an option."""
        return title(self.library.text(plan.runbook, section, self.stage.words.lang))


class NoSuchOption(ValueError):
    """The runbook has no option of this name; the text says which it has."""


class Carried(NamedTuple):
    """A plan that is over, and what is wrong with it or its audit."""

    plan: Plan
    wrong: tuple[str, ...]


def repair(crew: Crew, option: str, *, watched: Callable[[], None] = lambda: None) -> Carried:
    """Choose this option, or another one that is asked for, and press until the plan is over.

    `watched` is called when the bot begins to watch the cluster.

    Raises:
        NotRepaired: it stopped moving.
        Stopped: the person in front of the terminal ended it.
    """
    stage = crew.stage
    _choose(crew, crew.option or option)
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
            raise NotRepaired(stage.said("demo-stuck", plan=plan.id, seconds=_PATIENCE, steps=states(_newest(crew))))
    stage.tell("demo-plan-over", plan=plan.id, state=f"demo-state-{plan.state.value}")
    return Carried(plan, tuple(not_through(plan, _audit(crew, plan), stage.words)))


def _choose(crew: Crew, suggested: str) -> None:
    """Ask for an option until one is chosen; whether it can be chosen is the bot's to say."""
    stage = crew.stage
    while (plan := _newest(crew)).state is PlanState.CHOOSING:
        runbook = crew.library.for_root(plan.root)
        ways = {str(number): one.id for number, one in enumerate(runbook.options if runbook else (), 1)}
        if suggested not in ways.values():
            raise NoSuchOption(stage.said("demo-no-option", option=repr(suggested), known=", ".join(ways.values())))
        names = {key: crew.title(plan, one) for key, one in ways.items()}
        first = next(key for key, one in ways.items() if one == suggested)
        key = stage.asker.pick(stage.said("demo-choose"), names, first)
        stage.tell("demo-chose", who=_who(REQUESTER), option=names[key])
        _press(crew, PressKind.CHOOSE, REQUESTER, plan, option=ways[key])


def _by_people(crew: Crew, plan: Plan, step: PlanStep) -> None:
    action, name = step.action, crew.title(plan, step.action.step)
    if action.verb is Verb.OBSERVE:
        crew.stage.tell("demo-watches", step=name)
    elif action.verb is Verb.HAND_OVER:
        crew.stage.tell("demo-handed-over", step=name)
        crew.others[action.step]()
    if takes_approval(plan, step, crew.policy):
        _approve(crew, plan, action.step)
    if action.verb is Verb.HOST:
        _on_host(crew, plan, step)


def _approve(crew: Crew, plan: Plan, name: str) -> None:
    """Ask who approves until the step takes no more approvals; whether somebody may is the bot's to say.

    Where a step takes several people, whoever asked for the repair is suggested first: that refusal is worth seeing.
    """
    stage = crew.stage
    names = {key: f"{line_in_words(stage.words, _ROLES[key])} ({_who(actor)})" for key, actor in PEOPLE.items()}
    called, tried = crew.title(plan, name), set[str]()
    while (current := _newest(crew).step(name)).state is StepState.AWAITING:
        voted = {one.actor for one in current.votes}
        free = [key for key, actor in PEOPLE.items() if actor in APPROVERS and actor not in voted]
        if not free:
            raise NotRepaired(stage.said("demo-all-approved", plan=plan.id, step=name))
        needed = crew.policy.quorum_of(current.action.risk)
        several = needed > 1
        first = next(iter(PEOPLE)) if several and not tried else free[0]
        question = stage.said("demo-waits-for-several" if several else "demo-waits", step=called, needed=needed)
        key = stage.asker.pick(question, names, first)
        tried.add(key)
        stage.tell("demo-approves", step=called, who=_who(PEOPLE[key]))
        _press(crew, PressKind.APPROVE, PEOPLE[key], plan, step=name, digest=current.digest)


def _on_host(crew: Crew, plan: Plan, step: PlanStep) -> None:
    stage, who = crew.stage, _who(REQUESTER)
    node, name = step.action.target.ref.name, crew.title(plan, step.action.step)
    if step.action.step in crew.others:
        stage.tell("demo-asks-owner", step=name, who=who)
        crew.others[step.action.step]()
    stage.ask("demo-run-commands", step=name, node=node)
    wanted = step.action.verify.pasted
    stage.tell("demo-pastes", step=name, who=who, node=node, commands="; ".join(wanted))
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


def _audit(crew: Crew, plan: Plan) -> str | None:
    """Show the entries of the incident: number, time (UTC), what, who, and of which step or option.

    Returns what does not fit in the whole chain, None where it holds.
    """
    entries = crew.journal.entries(incident=crew.stage.incident())
    rows = ((one["seq"], one["at"][11:19], one["type"], one["actor"], _about(crew, plan, one)) for one in entries)
    lines = [f"{seq:>3} {at} {kind:<12} {_who(Actor(by)):<12} {about}".rstrip() for seq, at, kind, by, about in rows]
    wrong = crew.audit_holds()
    stage = crew.stage
    stage.tell("demo-audit")
    stage.show("\n".join(lines))
    if wrong:
        stage.tell("demo-chain-broken", why=wrong)
    else:
        stage.tell("demo-chain-holds", count=len(lines))
    return wrong


def _about(crew: Crew, plan: Plan, entry: Record) -> str:
    """The step or the option by its title; of an entry about the whole plan, what came of it."""
    own = details(entry)
    section = entry.get("step") or own.get("option", "")
    if section:
        return crew.title(plan, section)
    reason = own.get("reason", "")
    state = reason.removeprefix("repair-plan-")
    return line_in_words(crew.stage.words, f"demo-state-{state}" if state in _STATES else reason)


def _who(actor: Actor) -> str:
    return actor.id.rpartition("/")[2]
