"""Which objects did not decode?

Not a fault of the cluster, so only information; but what cannot be read cannot be called healthy, so the question
stays open as well.
"""

from __future__ import annotations

from bot.checks.check import Answer, Check
from bot.checks.evidence import quoted
from bot.model.findings import Blind, Code, Finding, Kind, Severity
from bot.model.objects.meta import word_of
from bot.model.refs import Ref
from bot.model.sections import RESOURCES
from bot.model.snapshot import Snapshot

UNREADABLE = Code("unreadable-object")


def _run(snapshot: Snapshot) -> Answer:
    for one in sorted(snapshot.unreadable, key=lambda one: (one.section, one.namespace, one.name)):
        subject = Ref(word_of(RESOURCES[one.section].kind), one.name, one.namespace)
        yield Finding(
            code=UNREADABLE,
            subject=subject,
            kind=Kind.FACT,
            severity=Severity.INFO,
            evidence=(quoted(subject, "", one.detail),),
            values={"detail": one.detail},
        )
        where = f" -n {one.namespace}" if one.namespace else ""
        yield Blind(
            check="unreadable-objects",
            codes=(UNREADABLE,),
            subject=subject,
            why="object-unreadable",
            command=f"kubectl get {one.section.value} {one.name}{where} -o yaml",
            values={"detail": one.detail},
            sections=(one.section,),
        )


CHECK = Check(name="unreadable-objects", codes=(UNREADABLE,), reads=(), run=_run)
