"""Incident A on a real API server, as it stands when the plan is offered."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from bot.adapters.files.knowledge import load_words
from bot.entry.cards import Cards
from bot.playground.physics.world import Controller
from bot.remedy.decision import Policy
from tests.app.repair.played import Played
from tests.app.repair.theatre import DUMP
from tests.app.repair.world import JOURNAL, LIBRARY
from tests.support import worldtime
from tests.support.redis import SetClock
from tests.support.servers import Real

POLICY = Policy(mutations=True)


def opens(real: Real, url: str, *, operator: bool = True, more: Sequence[Controller] = ()) -> Played:
    """The outage of the dump, today."""
    now = datetime.now(UTC).replace(microsecond=0)
    things = worldtime.objects(DUMP)
    by = now - worldtime.newest(things)
    real.load([worldtime.moved(one, by) for one in things])
    cards = Cards(load_words("en"), "lab", POLICY, LIBRARY, ())
    journal = worldtime.moved_journal(JOURNAL, 2026, by)
    return Played(url, real, SetClock(now), operator=operator, more=more, policy=POLICY, journal=journal, cards=cards)
