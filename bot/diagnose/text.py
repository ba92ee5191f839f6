"""Reads texts (journals, kernel logs, pod logs, events) by the rows of `signatures.toml`.

klog writes neither year nor zone and a journal may write no year: times are resolved against the moment asked
about, backwards. A line found in a text is seen, but when it began is not known: a crash loop's line is the newest
of all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from bot.diagnose.run import Answers
from bot.knowledge.signatures import Signature
from bot.model.findings import Blind, Code, Evidence, Finding, Kind, Reporter
from bot.model.objects.meta import word_of
from bot.model.refs import Ref, node
from bot.model.snapshot import Snapshot, known

_KLOG = re.compile(r"\b[IWEF](\d{2})(\d{2}) (\d{2}):(\d{2}):(\d{2})")
_ISO = re.compile(r"^(\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?)")
_SYSLOG = re.compile(r"^([A-Z][a-z]{2}) +(\d{1,2}) (\d{2}):(\d{2}):(\d{2})")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_QUOTE_LIMIT = 400


class _Text:
    """One text with where it came from."""

    def __init__(self, subject: Ref, source: str, text: str, field: str = "", reporter: Reporter | None = None) -> None:
        self.subject = subject
        self.source = source
        self.text = text
        self.field = field
        self.reporter = reporter


def read_texts(signatures: Iterable[Signature], snapshot: Snapshot, opened: frozenset[tuple[str, Ref]]) -> Answers:
    """Match every signature against the texts that there are.

    `opened` holds the (code, subject) of the findings so far: where one opens a signature and the host's text is
    missing, the answer is "cannot tell", with the command that shows the text.
    """
    texts = list(_texts(snapshot))
    have = {(text.source, text.subject) for text in texts}
    findings: dict[tuple[str, Ref], Finding] = {}
    blind: list[Blind] = []
    for signature in signatures:
        for text in texts:
            finding = _match(signature, text, snapshot.at) if text.source == signature.source else None
            if finding is not None:
                findings.setdefault(finding.key, finding)
        for subject in sorted({subject for code, subject in opened if code in signature.opened_by}):
            if (signature.source, subject) not in have:
                blind.append(_missing(signature, subject))
    return Answers(tuple(findings.values()), tuple(blind))


def _missing(signature: Signature, subject: Ref) -> Blind:
    return Blind(
        check=signature.source,
        codes=(Code(signature.code),),
        subject=subject,
        why="text-missing",
        command=signature.command.format(node=subject.name),
        values={"source": signature.source},
        required=True,
    )


def _texts(snapshot: Snapshot) -> Iterator[_Text]:
    for text in snapshot.host_texts:
        yield _Text(node(text.node), text.label, text.text, reporter=text.reporter)
    for log in snapshot.pod_logs:
        yield _Text(log.pod, "log", log.text, field=log.container)
    for event in known(snapshot.events):
        about = event.involved_object
        yield _Text(Ref(word_of(about.kind), about.name, about.namespace), "event", event.message, field=event.reason)


def _match(signature: Signature, text: _Text, at: datetime) -> Finding | None:
    if signature.absent_regex and signature.absent_regex.search(text.text):
        return None
    hits = [(line, hit) for line in joined_lines(text.text) if (hit := signature.regex.search(line))]
    if not hits:
        return None
    times = [when for line, _ in hits if (when := time_of(line, at))]
    return Finding(
        code=Code(signature.code),
        subject=text.subject,
        kind=Kind.FAULT,
        severity=signature.severity,
        values={name: value for name, value in hits[-1][1].groupdict().items() if value is not None},
        evidence=(
            Evidence(
                source=text.source,
                object=text.subject,
                field=text.field,
                quote=hits[-1][0].strip()[:_QUOTE_LIMIT],
                first_seen=min(times, default=None),
                last_seen=max(times, default=None),
                reporter=text.reporter,
            ),
        ),
    )


def joined_lines(text: str) -> Iterator[str]:
    """Lines of a log, with indented continuations (as people and `journalctl` wrap them) put back on one line."""
    pending = ""
    for line in text.splitlines():
        if pending and line[:1] in (" ", "\t") and line.strip():
            pending += " " + line.strip()
            continue
        if pending:
            yield pending
        pending = line.rstrip()
    if pending:
        yield pending


def time_of(line: str, at: datetime) -> datetime | None:
    """When a line was written: RFC 3339 at its start, else klog or syslog, resolved to the last such time before `at`.

    Zones that a line does not name are taken as UTC; a line without a time gives None.
    """
    if hit := _ISO.match(line):
        try:
            when = datetime.fromisoformat(hit[1].replace(",", "."))
        except ValueError:
            return None
        return when if when.tzinfo else when.replace(tzinfo=UTC)
    if hit := _SYSLOG.match(line):
        month = _MONTHS.index(hit[1]) + 1 if hit[1] in _MONTHS else 0
        return _last_before(at, month, int(hit[2]), int(hit[3]), int(hit[4]), int(hit[5]))
    if hit := _KLOG.search(line):
        return _last_before(at, *(int(part) for part in hit.groups()))
    return None


def _last_before(at: datetime, month: int, day: int, hour: int, minute: int, second: int) -> datetime | None:
    for year in range(at.year, at.year - 5, -1):  # 29 February may be up to four years back
        try:
            when = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
        except ValueError:
            continue
        if when <= at:
            return when
    return None
