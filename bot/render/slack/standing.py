"""How an incident stands in the root message: waiting for whom and what, mitigated with what is left, and its owner."""

from __future__ import annotations

from bot.knowledge.words import MissingWords, Words
from bot.model.cards import ButtonKind, CardButton, Token, cluster_mark
from bot.model.incident import CHOICE, Incident, State
from bot.model.message import Block
from bot.render.lines import Lines
from bot.render.slack.plan import actions


def stands(incident: Incident) -> bool:
    """Whether there is something to say of how it stands: an alert opened it, or people are at a plan of it."""
    return bool(incident.sources or incident.owner) or incident.state is not State.OPEN


def standing_words(incident: Incident, words: Words) -> str:
    """`OPEN`, `WAITING FOR a choice`, `MITIGATED`, `RESOLVED`: what a lock screen begins with."""
    lines = Lines(words)
    if incident.state is not State.WAITING:
        return lines.label(incident.state.value)
    return lines.label("waiting_what", what=_what(incident, lines))


def duty_lines(incident: Incident, words: Words) -> tuple[str, ...]:
    """Whose it is, from whom something is needed, and what is left: by choice, or only the alert."""
    lines = Lines(words)
    owner = incident.owner.rpartition("/")[2]
    told = [lines.label("owner_is", owner=owner) if owner else lines.label("owner_none")]
    if incident.state is State.WAITING:
        whom = lines.label("waiting_whom_owner", owner=owner) if owner else lines.label("waiting_whom_anyone")
        told.append(lines.label("waiting_whom", whom=whom, what=_what(incident, lines)))
    if incident.state is State.MITIGATED and incident.left:
        left = ", ".join(_left(code, words) for code in incident.left)
        told.append(f"{lines.label('plan_left')}: {left}")
    elif incident.state is State.MITIGATED and incident.firing:
        told.append(lines.label("only_alert_left"))
    return tuple(told)


def take_it(incident: Incident, words: Words) -> tuple[Block, ...]:
    """The button by which somebody becomes the owner, while there is something to own."""
    if not stands(incident) or not incident.is_open:
        return ()
    asked = incident.scope[0].name if incident.scope else incident.id
    about = incident.keys[0].rpartition("/")[2] if incident.keys else asked
    return actions(
        (
            CardButton(
                kind=ButtonKind.TAKE,
                label=Lines(words).label("button_take", name=about),
                token=Token(cluster=cluster_mark(incident.cluster), plan=incident.id),
            ),
        )
    )


def _what(incident: Incident, lines: Lines) -> str:
    if incident.waiting == CHOICE:
        return lines.label("waiting_choice")
    return lines.label("waiting_step", step=incident.waiting)


def _left(code: str, words: Words) -> str:
    try:
        return words.reason(f"left-{code}")
    except MissingWords:
        return code
