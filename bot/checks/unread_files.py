"""Which files of a dump could not be read?

Nobody knows what such a file holds, so nothing that was collected can be called healthy.
"""

from __future__ import annotations

from bot.checks.check import Answer, Check
from bot.model.findings import Blind, Code
from bot.model.refs import CLUSTER
from bot.model.snapshot import Snapshot

UNREAD = Code("unread-file")


def _run(snapshot: Snapshot) -> Answer:
    for one in sorted(snapshot.unread_files, key=lambda one: one.path):
        yield Blind(
            check="unread-files",
            codes=(UNREAD,),
            subject=CLUSTER,
            why="file-unread",
            values={"file": one.path, "detail": one.why},
        )


CHECK = Check(name="unread-files", codes=(UNREAD,), reads=(), run=_run)
