"""Who says an event, when, and under which name: the part that all events have in common."""

from __future__ import annotations

from datetime import datetime
from typing import TypedDict

from bot.app.requests import Press
from bot.remedy.events import Person
from bot.remedy.plan import BOT, Actor


class Said(TypedDict):
    """Of every event (`remedy.events`)."""

    actor: Actor
    at: datetime
    op_id: str


class SaidByPerson(Said):
    """Of every event that a person causes."""

    person: Person


def said_by_bot(at: datetime, op_id: str) -> Said:
    """The bot's own: `op_id` names this very event."""
    return {"actor": BOT, "at": at, "op_id": op_id}


def said_by_person(press: Press, person: Person) -> SaidByPerson:
    """What a press causes: its id is the op id, so that a redelivered one changes nothing."""
    return {"actor": press.actor, "at": press.at, "op_id": press.id, "person": person}
