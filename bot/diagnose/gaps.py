"""What a section that was read only in part does to the answers of the checks that read it.

What was found in it stands. What was not found in it proves nothing: the checks do not rule anything out by it, and
say that a part is missing.
"""

from __future__ import annotations

from collections.abc import Iterable

from bot.checks.check import Check
from bot.diagnose.run import Answers
from bot.model.findings import Blind, Kind
from bot.model.refs import CLUSTER
from bot.model.sections import NotInstalled, Section
from bot.model.snapshot import Snapshot


def with_gaps(answers: Answers, checks: Iterable[Check], snapshot: Snapshot) -> Answers:
    """The answers without what rests on a whole section that is none, and with what is missing."""
    if not snapshot.gaps:
        return answers
    touched = {check.name: (check, gaps) for check in checks if (gaps := _gaps(check, snapshot))}
    doubtful = {code for check, _ in touched.values() for code in check.codes}
    kept = tuple(one for one in answers.findings if one.kind is not Kind.RULED_OUT or one.code not in doubtful)
    told = tuple(_blind(check, section, snapshot) for check, gaps in touched.values() for section in gaps)
    return Answers(kept, answers.blind + told)


def _gaps(check: Check, snapshot: Snapshot) -> tuple[Section, ...]:
    if any(isinstance(snapshot.section(one), NotInstalled) for one in check.reads) or not check.applies(snapshot):
        return ()
    return tuple(one for one in check.reads + check.also_reads if one in snapshot.gaps)


def _blind(check: Check, section: Section, snapshot: Snapshot) -> Blind:
    return Blind(
        check=check.name,
        codes=check.codes,
        subject=CLUSTER,
        why="section-in-part",
        command=f"kubectl get {section.value} -A -o yaml",
        values={"section": section.value, "detail": snapshot.gaps[section].detail},
        sections=(section,),
    )
