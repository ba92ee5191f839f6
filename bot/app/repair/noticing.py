"""What concerns everybody who may approve and nobody pressed: into the audit, then in front of people's eyes."""

from __future__ import annotations

from collections.abc import Callable

import structlog

from bot.app.ports import NotInChannel
from bot.app.repair.ports import Cards, Journal
from bot.app.requests import Notice
from bot.app.threads import Threads, as_is
from bot.model.incident import Incident
from bot.model.message import Message
from bot.remedy.decision import Entry
from bot.remedy.plan import BOT

_log = structlog.get_logger(__name__)


class Notices:
    """Writes notices down and tells them.

    Args:
        threads: the incidents' threads.
        journal: the audit.
        cards_of: the cards in a channel's language.
    """

    def __init__(self, threads: Threads, journal: Journal, cards_of: Callable[[str], Cards]) -> None:
        self._threads = threads
        self._journal = journal
        self._cards_of = cards_of

    def take(self, notice: Notice) -> None:
        """Note it, then tell it in the thread of every open incident where that may be: there people decide. Where it
        stands in none, where it says; should that post be cut off, it stands in the audit alone.

        Raises:
            NotWritten: it could not be noted.
            PostFailed: somewhere it is not known to stand; it may come again.
        """
        is_new = not self._journal.known(notice.id)
        details = {**notice.values, "reason": notice.reason}
        self._journal.note(notice.id, Entry(type=notice.entry, at=notice.at, actor=BOT, details=details))
        incidents = [one for one in self._threads.incidents.all_open() if one.place.is_thread]
        told = [self._tell(notice, one) for one in incidents]
        if is_new and not any(told) and notice.place.channel:
            self._post(notice)

    def _tell(self, notice: Notice, incident: Incident) -> bool:
        """Tell it in the incident's thread, once; whether it stands there."""
        try:
            self._threads.once(incident, f"{notice.id}/told", as_is(self._card(notice, incident.place.channel)))
        except NotInChannel as why:
            _log.warning("notice_not_told", notice=notice.id, incident=incident.id, why=str(why))
            return False
        return True

    def _post(self, notice: Notice) -> None:
        try:
            self._threads.poster.post(notice.place, self._card(notice, notice.place.channel))
        except NotInChannel as why:
            _log.warning("notice_not_told", notice=notice.id, channel=notice.place.channel, why=str(why))

    def _card(self, notice: Notice, channel: str) -> Message:
        return self._cards_of(channel).noticed(notice.entry, notice.reason, notice.values, notice.call)
