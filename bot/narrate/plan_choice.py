"""The card of a choice: who wins, what each way leaves broken, and what else happens on it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from bot.knowledge.words import MissingWords
from bot.model.cards import ButtonKind, Card, CardButton, Part
from bot.model.diagnosis import Diagnosis, Key
from bot.model.findings import Code
from bot.model.incident import Incident
from bot.narrate.phrases import Phrases
from bot.narrate.plan import SHOWN_DIGEST, PlanPhrases
from bot.narrate.sections import prose, title
from bot.remedy.parameters import belonging_to
from bot.remedy.plan import Plan, PlanState
from bot.remedy.planning import UNSAFE, Offer
from bot.remedy.runbook import Option, Runbook

#: Paragraphs of an option's section that stand on the card.
_FEW = 2
#: Broken objects of one code that are named.
_NAMED = 3


def choice_card(say: PlanPhrases, plan: Plan, offered: Offer, incident: Incident, diagnosis: Diagnosis) -> Card:
    """The question, with a button for each option that can be chosen now, while nobody has chosen.

    Of another option only its name and why it cannot be chosen stand there: no step that somebody might follow.
    """
    runbook = offered.runbook
    waits = plan.state is PlanState.CHOOSING
    question = say.text(runbook.name, runbook.choice) if runbook.choice else ""
    asked = title(question) or say.label("plan_choose")
    return Card(
        state=say.label("plan_state_choose" if waits else f"plan_{plan.state.value}"),
        cluster=say.cluster,
        about=str(plan.subject),
        urgent=asked,
        title=asked,
        call=say.call(incident) if waits else (),
        parts=(
            *say.marks(plan),
            *prose(question),
            *_chosen(say, plan, runbook),
            *(part for option in runbook.options for part in _way(say, plan, offered, option, diagnosis)),
            Part(text=say.label("plan_choice_binds", plan=plan.id, runbook=runbook.sha256[:SHOWN_DIGEST]), small=True),
        ),
        buttons=tuple(_buttons(say, plan, offered)) if waits else (),
    )


def changed_choice_card(
    say: PlanPhrases, plan: Plan, offered: Offer, incident: Incident, before: Collection[str]
) -> Card:
    """That other options can be chosen than `before`: the choice's card is edited, which notifies nobody."""
    told, book = say.label("plan_choice_changed"), offered.runbook
    new = [one for one in book.options if not offered.option(one.id).refused and one.id not in before]
    gone = [one for one in book.options if offered.option(one.id).refused and one.id in before]
    names = " · ".join(_name(say, book, one) for one in new)
    return Card(
        state=say.label("plan_state_choose"),
        cluster=say.cluster,
        about=str(plan.subject),
        urgent=told,
        title=told,
        call=say.call(incident),
        parts=(
            *say.solo(),
            *([Part(heading=say.label("plan_choice_new"), text=names)] if new else ()),
            *([Part(heading=say.label("plan_choice_gone"))] if gone else ()),
            *(_why_not(say, offered, one) for one in gone),
        ),
    )


def unoffered_card(say: PlanPhrases, offered: Offer, incident: Incident) -> Card:
    """That no plan can be offered: why each option cannot be taken, and how it is done by hand. Nothing to press."""
    book, subject = offered.runbook, offered.root[1]
    told = say.label("plan_unoffered", subject=str(subject))
    return Card(
        state=say.label("plan_state_none"),
        cluster=say.cluster,
        about=str(subject),
        urgent=told,
        title=told,
        call=say.call(incident),
        parts=(
            *say.solo(),
            *prose(say.text(book.name, "")),
            *(part for option in book.options for part in _refused(say, offered, option)),
            Part(heading=say.label("plan_by_hand"), text=say.label("plan_by_hand_file", name=book.name)),
        ),
    )


def _refused(say: PlanPhrases, offered: Offer, option: Option) -> Iterator[Part]:
    """Why it cannot be chosen. The steps are named where only something was not known: never of what is unsafe."""
    yield _why_not(say, offered, option)
    if offered.option(option.id).refused not in UNSAFE:
        yield _steps(say, offered.runbook, option)


def _why_not(say: PlanPhrases, offered: Offer, option: Option) -> Part:
    offer = offered.option(option.id)
    told = say.reason(offer.refused, {"name": offered.root[1].name, **offer.values}, runbook=offered.runbook.name)
    return Part(heading=_name(say, offered.runbook, option), text=told)


def _name(say: PlanPhrases, runbook: Runbook, option: Option) -> str:
    return title(say.text(runbook.name, option.id)) or option.id


def _steps(say: PlanPhrases, runbook: Runbook, option: Option) -> Part:
    steps = [title(say.text(runbook.name, one)) or one for one in option.steps]
    return Part(text=say.label("plan_option_steps", steps=" → ".join(steps)), small=True)


def _leaves(codes: tuple[str, ...], say: PlanPhrases, diagnosis: Diagnosis, root: Key) -> Iterator[str]:
    """What of this root stays broken, named as the diagnosis names it; in general where that could not tell."""
    phrases = Phrases(diagnosis, say.words)
    belonging = belonging_to(diagnosis, root)
    for code in codes:
        found = [one for one in belonging if one.code == code]
        yield from (phrases.statement(one).title for one in found[:_NAMED])
        if len(found) > _NAMED:
            yield say.label("cut_list", count=len(found) - _NAMED)
        if not found:
            yield left_of(say, Code(code))


def left_of(say: PlanPhrases, code: Code) -> str:
    """The title of a code without an object."""
    try:
        return say.words.reason(f"left-{code}")
    except MissingWords:
        return str(code)


def _way(say: PlanPhrases, plan: Plan, offered: Offer, option: Option, diagnosis: Diagnosis) -> Iterator[Part]:
    """An option; the one that was chosen stands as it is, though its own steps may have removed what it was for."""
    runbook, offer = offered.runbook, offered.option(option.id)
    if offer.refused and option.id != plan.option:
        yield _why_not(say, offered, option)
        return
    yield Part(heading=_name(say, runbook, option))
    yield from prose(say.text(runbook.name, option.id))[:_FEW]
    left = tuple(_leaves(offer.leaves, say, diagnosis, offered.root))
    if left:
        yield Part(heading=say.label("plan_leaves"), text=" · ".join(left))
    yield _steps(say, runbook, option)


def _chosen(say: PlanPhrases, plan: Plan, runbook: Runbook) -> Iterator[Part]:
    if plan.option and plan.chosen_by is not None:
        heading = say.label("plan_chosen", option=title(say.text(runbook.name, plan.option)) or plan.option)
        yield Part(heading=heading, people=(plan.chosen_by.id,))


def _buttons(say: PlanPhrases, plan: Plan, offered: Offer) -> Iterator[CardButton]:
    runbook = offered.runbook
    for option in runbook.options:
        if not offered.option(option.id).refused:
            label = say.label("button_choose", option=_name(say, runbook, option), name=plan.subject.name)
            yield say.button(ButtonKind.CHOOSE, label, plan=plan.id, part=option.id, digest=runbook.sha256)
