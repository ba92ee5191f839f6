"""The card of a choice: who wins, what each way leaves broken, and what else happens on it."""

from __future__ import annotations

from collections.abc import Iterator

from bot.knowledge.words import MissingWords
from bot.model.cards import ButtonKind, Card, CardButton, Part
from bot.model.diagnosis import Diagnosis
from bot.model.findings import Code
from bot.model.incident import Incident
from bot.narrate.phrases import Phrases
from bot.narrate.plan import SHOWN_DIGEST, PlanPhrases
from bot.narrate.sections import prose, title
from bot.remedy.plan import Plan, PlanState
from bot.remedy.planning import UNSAFE, Offer, OptionOffer
from bot.remedy.runbook import Option, Runbook

#: Paragraphs of an option's section that stand on the card.
_FEW = 2
#: Broken objects of one code that are named.
_NAMED = 3


def choice_card(say: PlanPhrases, plan: Plan, runbook: Runbook, incident: Incident, diagnosis: Diagnosis) -> Card:
    """The question, with a button for each of the runbook's options, while nobody has chosen."""
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
            *(part for option in runbook.options for part in _option(say, runbook, option, diagnosis)),
            Part(text=say.label("plan_choice_binds", plan=plan.id, runbook=runbook.sha256[:SHOWN_DIGEST]), small=True),
        ),
        buttons=tuple(_button(say, plan, runbook, one) for one in runbook.options) if waits else (),
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
            *(part for option in book.options for part in _refused(say, book, option, offered.option(option.id))),
            Part(heading=say.label("plan_by_hand"), text=say.label("plan_by_hand_file", name=book.name)),
        ),
    )


def _refused(say: PlanPhrases, runbook: Runbook, option: Option, offer: OptionOffer) -> Iterator[Part]:
    """Why it cannot be chosen. The steps are named where only something was not known: never of what is unsafe."""
    yield Part(
        heading=title(say.text(runbook.name, option.id)) or option.id,
        text=say.reason(offer.refused, offer.values),
    )
    if offer.refused not in UNSAFE:
        yield _steps(say, runbook, option)


def _steps(say: PlanPhrases, runbook: Runbook, option: Option) -> Part:
    steps = [title(say.text(runbook.name, one)) or one for one in option.steps]
    return Part(text=say.label("plan_option_steps", steps=" → ".join(steps)), small=True)


def leaves(codes: tuple[str, ...], say: PlanPhrases, diagnosis: Diagnosis | None) -> tuple[str, ...]:
    """What stays broken, named as the diagnosis names it; a code alone where it found none."""
    told: list[str] = []
    for code in codes:
        found = [one for one in diagnosis.findings if one.code == code] if diagnosis else []
        if diagnosis is not None and found:
            phrases = Phrases(diagnosis, say.words)
            told += [phrases.statement(one).title for one in found[:_NAMED]]
            if len(found) > _NAMED:
                told.append(say.label("cut_list", count=len(found) - _NAMED))
        else:
            told.append(_code(say, Code(code)))
    return tuple(told)


def _code(say: PlanPhrases, code: Code) -> str:
    """The title of a code without an object."""
    try:
        return say.words.reason(f"left-{code}")
    except MissingWords:
        return str(code)


def _option(say: PlanPhrases, runbook: Runbook, option: Option, diagnosis: Diagnosis) -> Iterator[Part]:
    text = say.text(runbook.name, option.id)
    yield Part(heading=title(text) or option.id)
    yield from prose(text)[:_FEW]
    left = leaves(option.leaves, say, diagnosis)
    if left:
        yield Part(heading=say.label("plan_leaves"), text=" · ".join(left))
    yield _steps(say, runbook, option)


def _chosen(say: PlanPhrases, plan: Plan, runbook: Runbook) -> Iterator[Part]:
    if plan.option and plan.chosen_by is not None:
        heading = say.label("plan_chosen", option=title(say.text(runbook.name, plan.option)) or plan.option)
        yield Part(heading=heading, people=(plan.chosen_by.id,))


def _button(say: PlanPhrases, plan: Plan, runbook: Runbook, option: Option) -> CardButton:
    name = title(say.text(runbook.name, option.id)) or option.id
    label = say.label("button_choose", option=name, name=plan.subject.name)
    return say.button(ButtonKind.CHOOSE, label, plan=plan.id, part=option.id, digest=runbook.sha256)
