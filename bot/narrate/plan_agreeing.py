"""Whose agreement a step takes, whose it has, and the buttons by which it is given or refused."""

from __future__ import annotations

from collections.abc import Iterator

from bot.model.cards import ButtonKind, CardButton, Confirm, Part
from bot.narrate.plan import PlanPhrases, voters
from bot.remedy.plan import Plan, PlanStep, StepState
from bot.remedy.rules import by_person, can_be_seen, is_to_do, takes_approval, waits_for_people
from bot.remedy.runbook import Risk


def agreement(say: PlanPhrases, plan: Plan, step: PlanStep) -> Iterator[Part]:
    """Risk, who must agree, who did, until when."""
    needed = say.quorum(step.action.risk)
    yield Part(heading=say.label(f"risk_{step.action.risk.value}"), text=_who_agrees(say, plan, step, needed))
    if say.policy.second_channel and needed > 1 and takes_approval(plan, step, say.policy):
        yield Part(text=say.label("plan_second_channel", plan=plan.id, step=step.action.step))
    if voters(step):
        yield from say.approved_by(plan, step)
    if step.expires_at is not None and step.state in (StepState.AWAITING, StepState.APPROVED):
        begins = step.state is StepState.APPROVED and not waits_for_people(plan, step)
        heading = "plan_runs_until" if begins else "plan_expires"
        yield Part(heading=say.label(heading), moment=step.expires_at)


def buttons(say: PlanPhrases, plan: Plan, step: PlanStep) -> Iterator[CardButton]:
    """What can be pressed while it waits, the most wanted first; in any case its details."""
    number, act, action = say.number(plan, step.action.step), say.act(step.action), step.action

    def one(kind: ButtonKind, style: str = "", confirm: Confirm | None = None) -> CardButton:
        label = say.label(f"button_{kind.value}", number=number, act=act)
        return say.button(
            kind,
            label,
            plan=plan.id,
            part=action.step,
            digest=step.digest,
            style=style,
            confirm=confirm,
        )

    if step.held:
        if takes_approval(plan, step, say.policy):
            yield one(ButtonKind.DENY, "danger")
    elif is_to_do(plan, step, say.policy):
        yield one(ButtonKind.REPORT, "primary")
        if takes_approval(plan, step, say.policy):
            # Agreed to, and a veto still counts until it is reported.
            yield one(ButtonKind.DENY, "danger")
    elif takes_approval(plan, step, say.policy):
        yield one(ButtonKind.APPROVE, "primary", _confirm(say, step, act))
        yield one(ButtonKind.DENY, "danger")
        if say.quorum(action.risk) > 1 and not say.policy.second_channel:
            yield one(ButtonKind.BREAK_GLASS)
    yield one(ButtonKind.DETAILS)


def _who_agrees(say: PlanPhrases, plan: Plan, step: PlanStep, needed: int) -> str:
    """How many people it takes: to approve what the bot does, to report what it cannot see; nobody to let it look."""
    is_agreed, is_told = takes_approval(plan, step, say.policy), by_person(plan, step) and not can_be_seen(step)
    if not (is_agreed or is_told):
        return ""
    if say.policy.solo:
        return say.label("plan_quorum_solo")
    if is_agreed and needed > 1:
        label = "plan_quorum_first" if is_told else "plan_quorum"
        return say.label(label, count=needed, requester=_who(say, plan))
    return say.label("plan_quorum_report" if is_told else "plan_quorum_one")


def _who(say: PlanPhrases, plan: Plan) -> str:
    """The requester by the short id: a card calls nobody whom it does not need."""
    actor = plan.requester.id
    return say.label("plan_the_bot") if actor == "bot" else actor.rpartition("/")[2]


def _confirm(say: PlanPhrases, step: PlanStep, act: str) -> Confirm | None:
    """The second question before something that cannot be taken back."""
    if step.action.risk not in (Risk.DISRUPTIVE, Risk.DESTRUCTIVE):
        return None
    return Confirm(
        title=say.label("confirm_title", act=act),
        text=say.label("confirm_text", act=act, target=say.target(step)),
        yes=say.label("confirm_yes"),
        no=say.label("confirm_no"),
    )
