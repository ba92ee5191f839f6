"""What is done where the cluster has a claim that the audit does not know: the audit has lost something."""

from __future__ import annotations

from datetime import datetime

from bot.app.repair.deciding import TRIES, Contended
from bot.app.repair.ports import Journal
from bot.remedy.decision import Entry
from bot.remedy.freezing import by_bot
from bot.remedy.plan import BOT, Earlier


def stop_for_gap(journal: Journal, lost: Earlier, now: datetime) -> None:
    """Write it down and freeze everything, unless people have been told of this very gap before.

    Raises:
        NotWritten: it is not known to be written.
        Contended: others were faster every time.
    """
    op_id = f"audit-gap/{lost.exec_id}"
    claimed = str(lost.at) if lost.at else ""
    details = {"reason": "repair-audit-gap", "exec_id": lost.exec_id, "what": lost.what, "claimed": claimed}
    entry = Entry(type="audit-gap", at=now, actor=BOT, details=details)
    for _ in range(TRIES):
        before = journal.read("").freeze
        if journal.known(op_id):
            return
        if before.frozen:
            journal.note(op_id, entry)
            return
        after = by_bot(before, "repair-audit-gap", now)
        if journal.freeze(op_id, before, after, entry):
            return
    raise Contended("freeze")
