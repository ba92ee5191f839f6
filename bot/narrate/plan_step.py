"""The card of one step: everything that an approval binds to, and what to know before giving it."""

from __future__ import annotations

from collections.abc import Iterator

from bot.model.cards import Card, Part
from bot.model.incident import Incident
from bot.model.refs import Ref
from bot.narrate.duration import span
from bot.narrate.plan import SHOWN_DIGEST, PlanPhrases
from bot.narrate.plan_agreeing import agreement, buttons
from bot.narrate.reasons import predictions
from bot.narrate.sections import prose, title
from bot.remedy.owners import OwnerKind
from bot.remedy.plan import Plan, PlanStep, StepState
from bot.remedy.rules import by_person, is_its_turn, is_to_do, opens, waits_for_people
from bot.remedy.runbook import MUTATIONS, PASTED, Verb

#: Paragraphs of the runbook that stand on the card; Details has them all.
_FEW = 2
#: Earlier steps on the same object that a card names.
_EARLIER = 3


def step_card(say: PlanPhrases, plan: Plan, step_id: str, incident: Incident) -> Card:
    """One step as it stands. Buttons are there only while a press can do something."""
    step = plan.step(step_id)
    waits = waits_for_people(plan, step)
    return Card(
        state=say.label(_state(say, plan, step)),
        cluster=say.cluster,
        about=str(step.action.target.ref),
        urgent=_urgent(say, plan, step),
        title=_title(say, plan, step),
        call=say.call(incident) if waits and not step.held else (),
        parts=(*say.marks(plan, step), *_parts(say, plan, step)),
        buttons=tuple(buttons(say, plan, step)) if is_its_turn(plan, step) else (),
    )


def details_card(say: PlanPhrases, plan: Plan, step_id: str, incident: Incident) -> Card:
    """The same with nothing left out: the whole text of the runbook, who counts, the whole digest. Nothing to press."""
    step = plan.step(step_id)
    texts = prose(say.text(plan.runbook, step_id))
    action = step.action
    return Card(
        state=say.label(_state(say, plan, step)),
        cluster=say.cluster,
        about=str(action.target.ref),
        urgent="",
        title=_title(say, plan, step),
        parts=(
            *say.marks(plan, step),
            *_parts(say, plan, step, texts=texts),
            Part(heading=say.label("plan_who_counts"), people=say.approvers),
            Part(heading=say.label("plan_order"), text=_order(say, plan, action.target.ref)),
            Part(heading=say.label("plan_digest"), lines=(step.digest,)),
            Part(heading=say.label("plan_fingerprint"), lines=tuple(f"{k}={v}" for k, v in action.fingerprint.items())),
            Part(text=say.label("plan_binds"), small=True),
        ),
    )


def form_parts(say: PlanPhrases, plan: Plan, step_id: str, *, report: bool) -> tuple[Part, ...]:
    """What to know before typing into a form; for a report the commands, and which one's output is wanted."""
    step = plan.step(step_id)
    asked = say.marks(plan, step)
    if step.held:
        return asked
    if report and step.action.commands:
        asked += tuple(_commands(say, plan, step))
    if report and step.action.verify.pasted:
        asked += (Part(heading=say.label("form_paste_of"), lines=step.action.verify.pasted),)
    return asked


def _state(say: PlanPhrases, plan: Plan, step: PlanStep) -> str:
    if step.state is StepState.AWAITING and step.action.verb is Verb.OBSERVE:
        return "plan_state_watch"
    if not waits_for_people(plan, step):
        return f"step_{step.state.value}"
    if step.held:
        return "plan_state_frozen"
    if not is_to_do(plan, step, say.policy):
        return "plan_state_approve"
    return "plan_state_commands" if plan.dry and step.action.verb in MUTATIONS else "plan_state_person"


def _urgent(say: PlanPhrases, plan: Plan, step: PlanStep) -> str:
    if step.held:
        return say.reason(step.why, step.values, plan)
    if step.hazard and _is_to_come(plan, step):
        return say.reason(step.hazard, _values(say, plan, step))
    return _title(say, plan, step)


def _title(say: PlanPhrases, plan: Plan, step: PlanStep) -> str:
    """The step's title on its own card, whose first line names the object."""
    return say.step_title(plan, step, beside=step.action.target.ref)


def _is_to_come(plan: Plan, step: PlanStep) -> bool:
    """Whether what breaks otherwise is still to be minded: nothing of the step was done."""
    return step.state is StepState.PENDING or is_its_turn(plan, step)


def _values(say: PlanPhrases, plan: Plan, step: PlanStep) -> dict[str, str | int]:
    """What the blanks of a hazard may ask for."""
    name = step.action.target.ref.name
    return {
        **step.action.params,
        "name": name,
        "subject": str(plan.subject),
        "step": say.number(plan, step.action.step),
        "act": say.act(step.action),
    }


def _parts(say: PlanPhrases, plan: Plan, step: PlanStep, texts: tuple[Part, ...] | None = None) -> Iterator[Part]:
    """Most important first: what is left out at the end, where a message is full, is the least of it."""
    action = step.action
    if step.hazard and _is_to_come(plan, step):
        yield Part(heading=say.label("plan_breaks"), text=say.reason(step.hazard, _values(say, plan, step)))
    if step.notes:
        told = " · ".join(say.reason(one.reason, one.values) for one in step.notes)
        yield Part(heading=say.label("plan_note"), text=told)
    yield from _earlier(say, step)
    yield Part(heading=say.label("plan_target"), text=say.target(step))
    if action.diff:
        yield Part(heading=say.label("plan_diff"), lines=tuple(map(say.line, action.diff.splitlines())))
    yield from _temporary(say, plan, step)
    if action.commands and by_person(plan, step) and not step.held:
        yield from _commands(say, plan, step)
    yield from agreement(say, plan, step)
    if texts is None:
        texts = prose(say.text(plan.runbook, action.step))[:_FEW]
    yield from texts
    if step.after:
        yield Part(heading=say.label("plan_after"), text=_before(say, plan, step))
    if action.precondition:
        told = " · ".join(say.probe(one) for one in action.precondition)
        yield Part(heading=say.label("plan_precondition"), text=told)
    seen = "plan_verify_person" if action.verify.probe in PASTED else "plan_verify"
    yield Part(heading=say.label(seen), text=say.probe(action.verify))
    yield from _predicted(say, plan)
    shown = say.label(
        "plan_ids", digest=step.digest[:SHOWN_DIGEST], plan=plan.id, runbook=action.runbook_sha256[:SHOWN_DIGEST]
    )
    yield Part(text=shown, small=True)


def _commands(say: PlanPhrases, plan: Plan, step: PlanStep) -> Iterator[Part]:
    """What to copy, once nobody has to agree to it any more: whoever reads a command at night runs it."""
    yield from _merging(say, step)
    if is_to_do(plan, step, say.policy):
        yield Part(heading=say.label("plan_copy"), lines=step.action.commands)
    else:
        yield Part(heading=say.label("plan_copy"), text=say.label("plan_copy_later"))


def _temporary(say: PlanPhrases, plan: Plan, step: PlanStep) -> Iterator[Part]:
    """For how long it is meant, before it is done, and until when since then; which step takes it back."""
    if step.temporary_until is not None:
        yield Part(heading=say.label("plan_temporary"), moment=step.temporary_until)
    elif step.action.temporary_for:
        told = say.label("plan_temporary_for", span=span(step.action.temporary_for, say.words.lang))
        back = title(say.text(plan.runbook, step.undo.step)) if step.undo else ""
        yield Part(heading=told, text=say.label("plan_taken_back", undo=back) if back else "")


def _merging(say: PlanPhrases, step: PlanStep) -> Iterator[Part]:
    """What pasting an add-on's commands as they stand would lose: the values given replace all that were set before."""
    params = step.action.params
    if params.get("owner") == OwnerKind.EKS_ADDON.value and params.get("values"):
        yield Part(heading=say.label("plan_breaks"), text=say.label("plan_addon_merge"))


def _earlier(say: PlanPhrases, step: PlanStep) -> Iterator[Part]:
    """What the bot did to the same object before this plan, newest first: whoever approves must know."""
    if not step.earlier:
        return
    newest = step.earlier[: -_EARLIER - 1 : -1]
    told = [
        say.label(
            "plan_earlier_one" if one.plan else "plan_earlier_lost",
            ago=span(one.ago, say.words.lang),
            what=one.what or "-",
            plan=one.plan,
        )
        for one in newest
    ]
    if len(step.earlier) > _EARLIER:
        told.append(say.label("cut_list", count=len(step.earlier) - _EARLIER))
    yield Part(heading=say.label("plan_earlier"), text=" · ".join(told))


def _before(say: PlanPhrases, plan: Plan, step: PlanStep) -> str:
    """The steps before it and where they stand."""
    told = []
    for name in step.after:
        earlier = plan.step(name)
        state = say.label(f"step_{earlier.state.value}")
        if earlier.state is StepState.ATTESTED and not opens(earlier, say.policy):
            looks = earlier.action.verb in MUTATIONS
            state += f" ({say.label('plan_after_look' if looks else 'plan_after_second')})"
        told.append(f"{say.number(plan, name)} {say.name(plan, earlier, beside=step.action.target.ref)}: {state}")
    return " · ".join(told)


def _order(say: PlanPhrases, plan: Plan, beside: Ref) -> str:
    """All steps in their order, each with its object unless that is what the card is about."""
    return " → ".join(f"{number} {say.name(plan, one, beside=beside)}" for number, one in enumerate(plan.steps, 1))


def _predicted(say: PlanPhrases, plan: Plan) -> Iterator[Part]:
    """What the card promises, so that the end can be compared with it."""
    for told in predictions(say.words, plan.predicted):
        yield Part(heading=say.label("plan_predicted"), text=told)
