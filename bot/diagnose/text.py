"""Reads texts (journals, kernel logs, pod logs, events) by the rows of `signatures.toml`.

A line found in a text is seen, but when it began is not known: a crash loop's line is the newest of all. A text that
shows none of the lines that were looked for excludes nothing, because it may be an excerpt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

import msgspec

from bot.diagnose.lines import of_last_boot, records, time_of
from bot.diagnose.run import Answers
from bot.knowledge.signatures import Signature
from bot.model.findings import Blind, Code, Evidence, Finding, Kind, Reporter
from bot.model.hosttext import HostText
from bot.model.objects.meta import word_of
from bot.model.refs import Ref, node
from bot.model.snapshot import Snapshot, known

#: (code, subject) of what the checks found.
Opened = frozenset[tuple[str, Ref]]
_QUOTE_LIMIT = 400
_EVIDENCE_LIMIT = 5


class _Text(msgspec.Struct, frozen=True, kw_only=True):
    """One text with where it came from, taken apart into records."""

    subject: Ref
    source: str
    lines: tuple[str, ...]
    field: str = ""
    reporter: Reporter | None = None
    first: datetime | None = None
    last: datetime | None = None


def read_texts(signatures: Iterable[Signature], snapshot: Snapshot, opened: Opened) -> Answers:
    """Match every signature against the texts that there are.

    `opened` holds the (code, subject) of the findings so far: where one opens a signature and the host's text is
    missing or silent, the answer is "cannot tell", with the command that shows the text.
    """
    rows = tuple(signatures)
    stale = {text for text in snapshot.host_texts if _is_of_another_boot(text, snapshot)}
    texts = list(_texts(snapshot, stale))
    matches: dict[tuple[str, Ref], list[Finding]] = {}
    for row in rows:
        for text in texts:
            finding = _match(row, text, snapshot.at) if text.source == row.source else None
            if finding is not None and _counts(row, text.subject, opened):
                matches.setdefault(finding.key, []).append(finding)
    findings = tuple(_merged(matches[key]) for key in sorted(matches))
    gaps = _gaps(rows, opened, findings)
    have = {(text.source, text.subject) for text in texts}
    old = {(text.label, node(text.node)) for text in stale}
    blind = (_blind(source, subject, many, have, old) for (source, subject), many in sorted(gaps.items()))
    return Answers(findings, tuple(blind))


def _counts(row: Signature, subject: Ref, opened: Opened) -> bool:
    return not row.only_with or any((code, subject) in opened for code in row.only_with)


def _merged(matches: list[Finding]) -> Finding:
    """One finding of several lines: the first row's values, and every text's evidence, the newest first."""
    evidence = sorted(dict.fromkeys(e for one in matches for e in one.evidence), key=_age)
    values = {name: value for one in sorted(matches, key=_age_of, reverse=True) for name, value in one.values.items()}
    return msgspec.structs.replace(matches[0], evidence=tuple(evidence[:_EVIDENCE_LIMIT]), values=values)


def _age(evidence: Evidence) -> tuple[float, str, str, str]:
    when = evidence.last_seen
    return -when.timestamp() if when else 0.0, evidence.source, evidence.field, evidence.quote


def _age_of(finding: Finding) -> tuple[float, str, str, str]:
    return _age(finding.evidence[0])


def _gaps(
    rows: tuple[Signature, ...], opened: Opened, findings: tuple[Finding, ...]
) -> Mapping[tuple[str, Ref], list[Signature]]:
    """What should be read and did not answer, by text: rows whose code is open and was not found anywhere.

    A text that gave one answer is not asked for another.
    """
    found = {finding.key for finding in findings} | opened
    told = {(evidence.source, finding.subject) for finding in findings for evidence in finding.evidence}
    gaps: dict[tuple[str, Ref], list[Signature]] = {}
    for row in rows:
        for subject in {subject for code, subject in opened if code in row.opened_by}:
            if (row.code, subject) not in found and (row.source, subject) not in told:
                gaps.setdefault((row.source, subject), []).append(row)
    return gaps


def _blind(
    source: str, subject: Ref, rows: list[Signature], have: set[tuple[str, Ref]], old: set[tuple[str, Ref]]
) -> Blind:
    why = "text-silent" if (source, subject) in have else "text-missing"
    if why == "text-missing" and (source, subject) in old:
        why = "text-of-another-boot"
    return Blind(
        check=source,
        codes=tuple(dict.fromkeys(Code(row.code) for row in rows)),
        subject=subject,
        why=why,
        command=rows[0].command.format(node=subject.name),
        values={"source": source},
        required=True,
    )


def _is_of_another_boot(text: HostText, snapshot: Snapshot) -> bool:
    """Whether the text tells of a boot that is over.

    A dead kubelet cannot report a new boot: where the text goes on after the kubelet's last word, it is the text
    that is newer.
    """
    one = snapshot.node.get(text.node)
    current = one.status.node_info.boot_id if one else ""
    if not text.boot or not current or _plain(text.boot) == _plain(current):
        return False
    last_word = one.ready.last_heartbeat_time if one and one.ready and one.ready.status == "Unknown" else None
    times = [when for line in records(text.text, snapshot.at) if (when := time_of(line, snapshot.at))]
    return last_word is None or not times or max(times) <= last_word


def _plain(boot: str) -> str:
    """A boot id as systemd writes it, without the hyphens of the kernel's."""
    return boot.replace("-", "").lower()


def _texts(snapshot: Snapshot, stale: set[HostText]) -> Iterator[_Text]:
    at = snapshot.at
    for text in snapshot.host_texts:
        if text not in stale:
            lines = of_last_boot(records(text.text, at))
            yield _Text(subject=node(text.node), source=text.label, lines=lines, reporter=text.reporter)
    for log in snapshot.pod_logs:
        yield _Text(subject=log.pod, source="log", lines=records(log.text, at), field=log.container)
    for event in known(snapshot.events):
        about = event.involved_object
        subject = Ref(word_of(about.kind), about.name, about.namespace)
        yield _Text(
            subject=subject,
            source="event",
            lines=(event.message,),
            field=event.reason,
            first=event.first,
            last=event.last,
        )


def _match(row: Signature, text: _Text, at: datetime) -> Finding | None:
    if row.absent_regex and any(row.absent_regex.search(line) for line in text.lines):
        return None
    hits = [(line, hit) for line in _since_cleared(row, text.lines) if (hit := row.regex.search(line))]
    if not hits:
        return None
    times = [when for line, _ in hits if (when := time_of(line, at))]
    return Finding(
        code=Code(row.code),
        subject=text.subject,
        kind=Kind.FAULT,
        severity=row.severity,
        values={name: value for name, value in hits[-1][1].groupdict().items() if value is not None},
        evidence=(
            Evidence(
                source=text.source,
                object=text.subject,
                field=text.field,
                quote=hits[-1][0].strip()[:_QUOTE_LIMIT],
                first_seen=text.first or min(times, default=None),
                last_seen=text.last or max(times, default=None),
                reporter=text.reporter,
            ),
        ),
    )


def _since_cleared(row: Signature, lines: tuple[str, ...]) -> tuple[str, ...]:
    if row.cleared_regex is None:
        return lines
    passed = [place for place, line in enumerate(lines) if row.cleared_regex.search(line)]
    return lines[passed[-1] + 1 :] if passed else lines
