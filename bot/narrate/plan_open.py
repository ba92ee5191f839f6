"""The hand-over: what is open, whose it is, what it waits for, which temporary change has to be taken back when."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec

from bot.model.cards import Card, Part
from bot.model.incident import CHOICE, Incident
from bot.narrate.plan import PlanPhrases, short
from bot.remedy.decision import NOT_BEGUN, Freeze
from bot.remedy.plan import Plan, PlanState, PlanStep, StepState

#: Plans that ended without a repair.
_LEFT = {PlanState.HALTED: "open_idle_halted", PlanState.ABORTED: "open_idle_aborted"}


class OpenLine(msgspec.Struct, frozen=True, kw_only=True):
    """One open incident: the plan that waits, runs or was last, the step that it waits for, until when.

    What is temporary stands beside it, each such change with its plan.
    """

    incident: Incident
    plan: Plan | None
    step: str
    until: datetime | None
    temporary: tuple[tuple[Plan, PlanStep], ...]


def open_card(say: PlanPhrases, lines: Sequence[OpenLine], freeze: Freeze) -> Card:
    """Oldest first; a freeze on top, since it explains why nothing moves."""
    title = say.label("open_count", count=len(lines)) if lines else say.label("open_none")
    heading = say.label("open_frozen" if freeze.why != NOT_BEGUN else "open_not_begun")
    frozen = Part(heading=heading, text=say.line(freeze.why), people=(freeze.by.id,) if freeze.by else ())
    return Card(
        state=say.label("open"),
        cluster=say.cluster,
        about="",
        urgent=title,
        title=title,
        parts=(
            *say.solo(),
            *([frozen] if freeze.frozen else ()),
            *(part for one in lines for part in _parts(say, one)),
        ),
    )


def waiting_words(say: PlanPhrases, plan: Plan | None, step: str) -> str:
    """What is waited for: `WAITING FOR a choice`, `WAITING FOR Step 2 of 6: Stop the kubelet, turn swap off`."""
    if not step or plan is None:
        return ""
    chosen = step == CHOICE
    what = say.label("waiting_choice") if chosen else say.step_title(plan, plan.step(step), beside=plan.subject)
    return say.label("waiting_what", what=what)


def _parts(say: PlanPhrases, line: OpenLine) -> list[Part]:
    incident = line.incident
    about = incident.keys[-1] if incident.keys else " ".join(str(one) for one in incident.scope[:1])
    owner = say.label("owner_is", owner=short(incident.owner)) if incident.owner else say.label("owner_none")
    waits = waiting_words(say, line.plan, line.step)
    idle = _idle(say, line.plan) if not waits else ""
    told = " · ".join(one for one in (say.label(incident.state.value), owner, waits, idle) if one)
    parts = [Part(heading=f"{about} ({incident.id})", text=told, moment=line.until)]
    if line.plan is not None and waits:
        parts.append(_ids(say, line.plan.id, line.step))
    for plan, one in line.temporary:
        heading = say.label("plan_temporary_step", name=say.name(plan, one))
        parts += [Part(heading=heading, moment=one.temporary_until), _ids(say, plan.id, one.action.step)]
    return parts


def _idle(say: PlanPhrases, plan: Plan | None) -> str:
    """That nobody goes on with it, where its plan ended without a repair."""
    if plan is None or plan.state not in _LEFT:
        return ""
    is_denied = any(one.state is StepState.DENIED for one in plan.steps)
    return say.label("open_idle_denied" if is_denied else _LEFT[plan.state], plan=plan.id)


def _ids(say: PlanPhrases, plan: str, step: str) -> Part:
    """What the command line calls it by."""
    return Part(text=say.label("open_ids", plan=plan, step=step), small=True)
