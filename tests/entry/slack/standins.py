"""What stands in where a test of repair in Slack needs no more: a Slack that says nothing, and post-mortems."""

from __future__ import annotations

from bot.adapters.files.runbooks import load_runbooks
from bot.adapters.redis.journal import RedisJournal
from bot.adapters.redis.reports import RedisReports
from bot.entry.wiring.audit import told_story
from bot.model.incident import Incident
from bot.remedy.audit import AuditKey
from bot.remedy.events import Person
from bot.remedy.plan import Actor, Identity
from tests.app.repair.watched import KEY
from tests.support.answers import words


class Silent:
    """`Authority` of Slack in the terminal: it says nothing of anybody."""

    def may(self, actor: Actor) -> Person:
        why = "approver-lookup-failed"
        return Person(may=False, why=why, identity=Identity(unknown=why))

    def others(self, actor: Actor) -> tuple[Actor, ...]:
        return ()


class Stories:
    """`PostMortems` of what is kept, in English."""

    def __init__(self, journal: RedisJournal, reports: RedisReports) -> None:
        self._journal = journal
        self._reports = reports

    def markdown(self, incident: Incident, channel: str) -> str:
        return told_story(self._journal, self._reports, [AuditKey(KEY)], incident, words(), load_runbooks())
