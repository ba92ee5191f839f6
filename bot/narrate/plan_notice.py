"""What people are told of a step beside its outcome: what is still in place, what is gone, what stands still, whose
time runs out, what nobody goes on with.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bot.knowledge.blanks import moment
from bot.model.cards import ButtonKind, Card, CardButton, Part
from bot.model.incident import Incident
from bot.narrate.plan import PlanPhrases
from bot.narrate.reasons import Values
from bot.remedy.decision import Freeze
from bot.remedy.plan import Holder, Plan, PlanStep, StepState
from bot.remedy.rules import approvals, frozen_by, names, takes_approval
from bot.remedy.timing import silent_since


def reminder_card(say: PlanPhrases, plan: Plan, step_id: str, incident: Incident) -> Card:
    """A temporary change that is still there after its time."""
    step = plan.step(step_id)
    until = moment(step.temporary_until) if step.temporary_until else "-"
    about = str(step.action.target.ref)
    told = say.reason("repair-take-back", {"step": step_id, "subject": about, "until": until}, plan)
    return _notice(say, step, "plan_overdue", told, call=say.call(incident), buttons=tuple(undoing(say, plan, step)))


def closing_card(say: PlanPhrases, plan: Plan, step_id: str, incident: Incident) -> Card:
    """The window of a step that waits for people is nearly over: who is needed, until when, and what comes after."""
    step = plan.step(step_id)
    values: Values = {
        **names(step),
        "have": approvals(plan, step, say.policy).have,
        "need": say.quorum(step.action.risk),
    }
    to_approve = takes_approval(plan, step, say.policy) and step.state is StepState.AWAITING
    told = say.reason("repair-closing-approval" if to_approve else "repair-closing-report", values)
    until = (Part(heading=say.label("plan_expires"), moment=step.expires_at),)
    return _notice(say, step, "plan_closing", told, call=say.call(incident), parts=until)


#: How far a step may be that nobody goes on with.
_ABANDONED = {
    StepState.INTENT: "repair-abandoned-before",
    StepState.DISPATCHED: "repair-abandoned-sent",
    StepState.APPLIED: "repair-abandoned-after",
}


def abandoned_card(say: PlanPhrases, plan: Plan, step_id: str, incident: Incident) -> Card:
    """No executor goes on with a step: whether its request may have been sent, what to look at, what to start."""
    step = plan.step(step_id)
    told = say.reason(_ABANDONED.get(step.state, "repair-abandoned-sent"), names(step), plan)
    since = (Part(heading=say.label("plan_silent_since"), moment=silent_since(step)),)
    change = tuple(map(say.line, step.action.diff.splitlines()))
    looked = (Part(heading=say.label("plan_diff"), lines=change),) if change else ()
    return _notice(say, step, "plan_abandoned", told, call=say.call(incident), parts=(*since, *looked))


def gone_card(say: PlanPhrases, plan: Plan, step_id: str) -> Card:
    """A temporary change that is gone with its object; nobody has to do anything."""
    step = plan.step(step_id)
    return _notice(say, step, "plan_gone", say.reason("repair-gone", names(step), plan))


def gap_card(say: PlanPhrases, plan: Plan, step_id: str, incident: Incident) -> Card:
    """The claim of a step was made by somebody of whom the journal knows nothing."""
    step = plan.step(step_id)
    stranger = step.stranger or Holder()
    values = {**names(step), "owner": stranger.owner or "-", "expected": stranger.audit or "-"}
    return _notice(
        say, step, "plan_gap", say.reason("repair-claimed-by-stranger", values, plan), call=say.call(incident)
    )


def freeze_card(say: PlanPhrases, plan: Plan, freeze: Freeze) -> Card:
    """For whoever is at work on the object: stop, by whom and why; or go on."""
    told = say.reason("repair-freeze-told", frozen_by(freeze)) if freeze.frozen else say.reason("repair-freeze-over")
    return Card(
        state=say.label("plan_state_frozen" if freeze.frozen else "plan_state_thawed"),
        cluster=say.cluster,
        about=str(plan.subject),
        urgent=told,
        title=told,
        call=say.approvers,
        parts=say.solo(),
    )


#: The label of each type of entry that a notice makes in the audit.
_NOTICED: Mapping[str, str] = {
    "approvers-changed": "plan_approvers_changed",
    "channel-shared": "plan_channel_shared",
    "channel-unshared": "plan_channel_unshared",
}


def noticed_card(say: PlanPhrases, entry: str, reason: str, values: Mapping[str, str], call: tuple[str, ...]) -> Card:
    """That a user group of approvers changed, or who reads a channel, which concerns no single plan."""
    told = say.reason(reason, values)
    return Card(
        state=say.label(_NOTICED[entry]),
        cluster=say.cluster,
        about=values.get("group") or values.get("channel", ""),
        urgent=told,
        title=told,
        call=tuple(dict.fromkeys((*say.approvers, *call))),
    )


def undoing(say: PlanPhrases, plan: Plan, step: PlanStep) -> Iterator[CardButton]:
    """The button that takes a temporary change back, where the plan knows how."""
    if step.undo is not None and step.temporary_until is not None:
        yield say.button(
            ButtonKind.UNDO,
            say.label("button_undo", act=say.act(step.action)),
            plan=plan.id,
            part=step.action.step,
            digest=step.digest,
        )


def _notice(
    say: PlanPhrases,
    step: PlanStep,
    state: str,
    told: str,
    *,
    call: tuple[str, ...] = (),
    parts: tuple[Part, ...] = (),
    buttons: tuple[CardButton, ...] = (),
) -> Card:
    about = str(step.action.target.ref)
    return Card(
        state=say.label(state),
        cluster=say.cluster,
        about=about,
        urgent=told,
        title=told,
        call=call,
        parts=(*parts, *say.solo()),
        buttons=buttons,
    )
