"""What is to be seen of a repair from outside: its thread and its audit."""

from __future__ import annotations

from bot.adapters.redis.journal import RedisJournal
from bot.remedy.audit import AuditKey, verify
from tests.support.desk import SlackBoard

KEY = b"an audit key for tests, 32 bytes"


class Watched:
    """A repair whose posts stand on a board; its journal is kept under `KEY`."""

    board: SlackBoard
    journal: RedisJournal

    def thread(self) -> list[str]:
        """What stands in the incident's thread, the root first."""
        (texts,) = self.board.threads.values()
        return texts

    def refusals(self) -> list[str]:
        """Why something was refused, as the thread says it."""
        return [one.removeprefix("no: ") for one in self.thread() if one.startswith("no: ")]

    def types(self) -> list[str]:
        """The audit's entries by their types."""
        return [one["type"] for one in self.journal.entries()]

    def audit_holds(self) -> bool:
        """Whether the audit's chain is whole."""
        lines, head = self.journal.audit()
        return verify(lines, [AuditKey(KEY)], head) is None
