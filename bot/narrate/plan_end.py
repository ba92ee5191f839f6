"""The cards of what came of it: a step's outcome, a refusal, and how a plan ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby

from bot.model.cards import ButtonKind, Card, CardButton, Part
from bot.model.findings import Code, Evidence
from bot.model.incident import Incident, labels_firing
from bot.narrate.plan import PlanPhrases, short, voters
from bot.narrate.plan_choice import left_of
from bot.narrate.plan_notice import undoing
from bot.narrate.reasons import counted, predictions
from bot.remedy.decision import NOT_BEGUN
from bot.remedy.plan import Plan, PlanState, PlanStep, StepState
from bot.remedy.rules import names, waits_for_people
from bot.remedy.timing import UNREPORTED

#: Reasons that say beside `why` only what the outcome's title and `Told by` say.
_DONE = frozenset({"repair-verified", "repair-attested"})
#: Places of evidence that stand under an outcome.
_PLACES = 6
#: How many people a message calls one by one.
_CALLED_BY_NAME = 20
#: Slack's user ids (`U0ONCALL`), of who is told why a press did nothing.
_CALLED = "mention"


def outcome_card(say: PlanPhrases, plan: Plan, step_id: str, incident: Incident, audit: str = "") -> Card:
    """What became of a step, in one line, with what was seen; an unknown one asks."""
    step = plan.step(step_id)
    unknown, is_turn = step.state is StepState.UNKNOWN, waits_for_people(plan, step)
    # What a person began and did not report: nobody knows how far it went.
    half_done = step.state is StepState.EXPIRED and step.why in UNREPORTED
    title = say.step_title(plan, step, beside=step.action.target.ref)
    became = "outcome_agreed" if is_turn else f"outcome_{step.state.value}"
    told = say.label("outcome_expired_person" if half_done else became, title=title)
    return Card(
        state=say.label(f"step_{step.state.value}"),
        cluster=say.cluster,
        about=str(step.action.target.ref),
        urgent=told,
        title=told,
        call=say.call(incident) if unknown or is_turn or half_done else (),
        parts=(
            *(say.marks(plan, step) if unknown else say.solo()),
            *([Part(text=_came_of(say, plan, step))] if step.why else ()),
            *_seen(say, step),
            *(
                [Part(heading=say.label("plan_told_by"), people=tuple(a.id for a in step.told_by))]
                if step.told_by
                else ()
            ),
            *([Part(heading=say.label("plan_approved_by"), people=voters(step))] if voters(step) else ()),
            *_next(say, plan, step),
            *say.audit(audit),
        ),
        buttons=tuple(_asking(say, plan, step)) if unknown else (),
    )


def broken_glass_card(say: PlanPhrases, plan: Plan, step_id: str) -> Card:
    """Somebody approved alone; those who were not asked are called, or all approvers where there are many."""
    step = plan.step(step_id)
    skipped = tuple(one.id for one in step.skipped)
    alone = next((one.actor.id for one in step.votes if one.reason == step.break_glass), "")
    told = say.reason("repair-broke-glass", {**names(step), "who": alone, "why": step.break_glass}, plan)
    return Card(
        state=say.label("plan_state_alone"),
        cluster=say.cluster,
        about=str(step.action.target.ref),
        urgent=told,
        title=told,
        call=skipped if 0 < len(skipped) <= _CALLED_BY_NAME else say.approvers,
        parts=(
            *say.solo(),
            Part(heading=say.label("plan_skipped"), text=", ".join(short(one) for one in skipped) or "-"),
        ),
    )


def refusal_card(say: PlanPhrases, plan: Plan | None, reason: str, values: Mapping[str, str]) -> Card:
    """Why a press did nothing, said to who pressed."""
    # Without an audit it stands nowhere.
    nothing = () if reason == NOT_BEGUN else (Part(text=say.label("plan_nothing_done"), small=True),)
    return _answer(say, plan, reason, values, "plan_refused", nothing)


def not_yet_card(say: PlanPhrases, plan: Plan, reason: str, values: Mapping[str, str]) -> Card:
    """That a word is written down and it takes more of them, said to who pressed."""
    return _answer(say, plan, reason, values, "plan_not_yet")


def _answer(
    say: PlanPhrases,
    plan: Plan | None,
    reason: str,
    values: Mapping[str, str],
    state: str,
    parts: tuple[Part, ...] = (),
) -> Card:
    told = say.reason(reason, values, plan)
    whom = values.get(_CALLED, "")
    return Card(
        state=say.label(state),
        cluster=say.cluster,
        about=str(plan.subject) if plan else "",
        urgent=told,
        title=told,
        call=(f"slack:team/{whom}",) if whom else (),
        parts=(*say.solo(), *parts),
    )


def silence_words(say: PlanPhrases, incident: Incident) -> str:
    """Why the incident's alerts are silent: what is left broken by choice, or that it is being repaired."""
    left = " · ".join(left_of(say, Code(one)) for one in incident.left)
    return say.reason("silence-left" if left else "silence-repair", {"left": left})


def finished_card(say: PlanPhrases, plan: Plan, incident: Incident, audit: str = "") -> Card:
    """How a plan ended: what is left by choice, what rests on words alone, predicted against seen."""
    undone = plan.undoes and plan.state is PlanState.DONE
    told = say.label("ended_undone" if undone else f"ended_{plan.state.value}", subject=_about(plan))
    left = tuple(left_of(say, Code(one)) for one in plan.leaves) if plan.state is PlanState.DONE else ()
    attested = [one for one in plan.steps if one.state is StepState.ATTESTED]
    alone = [one for one in plan.steps if one.break_glass]
    temporary = [one for one in plan.steps if one.temporary_until]
    closing = _closing(say, plan, incident, left)
    return Card(
        state=say.label("mitigated" if left else f"plan_{plan.state.value}"),
        cluster=say.cluster,
        about=str(plan.subject),
        urgent=told,
        title=told,
        call=say.call(incident) if plan.state is PlanState.HALTED else (),
        parts=(
            *say.marks(plan),
            *([Part(heading=say.label("plan_left"), text=" · ".join(left))] if left else ()),
            *(
                [Part(heading=say.label("plan_attested"), text=say.titles(plan, attested, beside=plan.subject))]
                if attested
                else ()
            ),
            *(Part(heading=say.label("mark_break_glass"), text=one.break_glass, people=voters(one)) for one in alone),
            *(
                Part(
                    heading=say.label("plan_temporary_step", name=say.name(plan, one, beside=plan.subject)),
                    moment=one.temporary_until,
                )
                for one in temporary
            ),
            *_compared(say, plan),
            Part(heading=say.label("plan_steps"), text=say.titles(plan, plan.steps, beside=plan.subject) or "-"),
            *say.audit(audit),
        ),
        buttons=(*(button for one in temporary for button in undoing(say, plan, one)), *closing),
    )


def _came_of(say: PlanPhrases, plan: Plan, step: PlanStep) -> str:
    """Why the step stands as it does; of one that is done only what was seen, since its title says the rest."""
    return say.why(step.values) if step.why in _DONE else say.reason(step.why, step.values, plan)


def _seen(say: PlanPhrases, step: PlanStep) -> Iterator[Part]:
    """What was seen, where it comes from said once of what stands together."""
    places = [list(group) for _, group in groupby(step.evidence, lambda one: _origin(say, one))]
    for place in places[:_PLACES]:
        lines = tuple(line for one in place for line in one.quote.splitlines())
        yield Part(text=_origin(say, place[0]), lines=lines)
    if len(places) > _PLACES:
        yield Part(text=say.label("cut_list", count=len(places) - _PLACES), small=True)


def _origin(say: PlanPhrases, one: Evidence) -> str:
    origin = " ".join(part for part in (one.source, str(one.object), one.field) if part)
    return origin + _witness(say, one)


def _witness(say: PlanPhrases, one: Evidence) -> str:
    return f" ({say.label('pasted_short', reporter=short(one.reporter.name))})" if one.reporter else ""


def _next(say: PlanPhrases, plan: Plan, step: PlanStep) -> Iterator[Part]:
    """Whether the plan goes on."""
    if plan.state is PlanState.HALTED:
        yield Part(heading=say.label("plan_halts"), text=say.label("plan_halts_text"))
    following = [one for one in plan.steps if one.state is StepState.AWAITING and one is not step and not one.held]
    if following:
        yield Part(text=say.label("plan_next", title=say.step_title(plan, following[0], beside=step.action.target.ref)))


def _asking(say: PlanPhrases, plan: Plan, step: PlanStep) -> Iterator[CardButton]:
    number, act = say.number(plan, step.action.step), say.act(step.action)
    for kind in (ButtonKind.HAPPENED, ButtonKind.DID_NOT, ButtonKind.DETAILS):
        label = say.label(f"button_{kind.value}", number=number, act=act)
        yield say.button(kind, label, plan=plan.id, part=step.action.step, digest=step.digest)


def _compared(say: PlanPhrases, plan: Plan) -> Iterator[Part]:
    """What was predicted beside what the step that looked for it counted."""
    if not plan.predicted:
        return
    happened = counted(say.words, (one.values for one in plan.steps)) or say.label("plan_not_counted")
    predicted = ", ".join(predictions(say.words, plan.predicted))
    text = say.label("plan_compared", predicted=predicted, seen=happened)
    yield Part(heading=say.label("plan_predicted"), text=text)


def _about(plan: Plan) -> str:
    """The object of the plan; of one that takes a change back, the changed one."""
    return str(plan.steps[0].action.target.ref if plan.undoes and plan.steps else plan.subject)


def _closing(say: PlanPhrases, plan: Plan, incident: Incident, left: tuple[str, ...]) -> Iterator[CardButton]:
    label = say.label("button_postmortem", subject=plan.subject.name)
    yield say.button(ButtonKind.POSTMORTEM, label, plan=incident.id)
    if left and say.silences and labels_firing(incident):
        label = say.label("button_silence", subject=plan.subject.name)
        yield say.button(ButtonKind.SILENCE, label, plan=incident.id)
