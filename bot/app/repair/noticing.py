"""What concerns everybody who may approve and nobody pressed: into the audit, then in front of people's eyes."""

from __future__ import annotations

from collections.abc import Callable

from bot.app.repair.ports import Cards, Journal
from bot.app.requests import Notice
from bot.app.threads import Threads, as_is
from bot.remedy.decision import Entry
from bot.remedy.plan import BOT


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
        """Note it, then tell it in the thread of every open incident: there people decide. With none open, where it
        says; should that post be cut off, it stands in the audit alone.

        Raises:
            NotWritten: it could not be noted.
            NotInChannel: the bot may not post there.
            PostFailed: somewhere it is not known to stand; it may come again.
        """
        is_new = not self._journal.known(notice.id)
        details = {**notice.values, "reason": notice.reason}
        self._journal.note(notice.id, Entry(type=notice.entry, at=notice.at, actor=BOT, details=details))
        incidents = [one for one in self._threads.incidents.all_open() if one.place.is_thread]
        for one in incidents:
            card = self._cards_of(one.place.channel).approvers_changed(notice.reason, notice.values, notice.call)
            self._threads.once(one, f"{notice.id}/told", as_is(card))
        if is_new and not incidents and notice.place.channel:
            card = self._cards_of(notice.place.channel).approvers_changed(notice.reason, notice.values, notice.call)
            self._threads.poster.post(notice.place, card)
