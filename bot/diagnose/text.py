"""Reads texts (journals, kernel logs, pod logs, events) by the rows of `signatures.toml`.

A line found in a text is seen, but when it began is not known: a crash loop's line is the newest of all. A text that
shows none of the lines that were looked for excludes nothing, because it may be an excerpt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta

import msgspec

from bot.diagnose.causes import Hit, Told, last_causes
from bot.diagnose.lines import tells_the_year, time_of
from bot.diagnose.run import Answers
from bot.diagnose.texts import Text, all_texts, host_texts, is_of_another_boot, is_of_unknown_node
from bot.knowledge.blanks import fill
from bot.knowledge.signatures import Signature
from bot.model.findings import Blind, Code, Evidence, Finding, Kind, Severity
from bot.model.refs import Ref, node
from bot.model.snapshot import Snapshot, known

_QUOTE_LIMIT = 400
_EVIDENCE_LIMIT = 5
#: A kubelet that goes on writing for this long without naming its reason again has lived.
_REPEATS = timedelta(hours=1)


def read_texts(signatures: Iterable[Signature], snapshot: Snapshot, so_far: Answers) -> Answers:
    """Match every signature against the texts that there are.

    `so_far` is what the checks answered: a line that explains a fault counts only beside it. Where a finding opens a
    signature and the host's text is missing or silent, the answer is "cannot tell", with the command that shows the
    text. Rows that explain what another row tells are read after it.
    """
    rows = tuple(signatures)
    codes = {row.code for row in rows}
    reader = _Reader(snapshot)
    first = reader.read([row for row in rows if row.explains not in codes], so_far)
    later = reader.read([row for row in rows if row.explains in codes], so_far + first)
    return first + later + reader.of_unknown_nodes(rows)


class _Reader:
    """The texts of one picture: those that count, those of a boot that is over, those of nodes that are not there."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.unknown = {text for text in snapshot.host_texts if is_of_unknown_node(text, snapshot)}
        self.stale = {text for text in snapshot.host_texts if is_of_another_boot(text, snapshot)}
        self.texts = list(all_texts(snapshot, self.stale | self.unknown))

    def read(self, rows: list[Signature], so_far: Answers) -> Answers:
        """What these rows find, and which texts they miss."""
        told = Told(self.snapshot, so_far)
        hits: list[Hit] = []
        over: set[tuple[str, Ref]] = set()
        for row in rows:
            for place, text in enumerate(self.texts):
                if text.source != row.source or not told.counts(row, text.subject):
                    continue
                hit, is_over = _match(row, text, place, self.snapshot.at, _over_before(row, text, told))
                hits += [hit] if hit else []
                over |= {(text.source, text.subject)} if is_over else set()
        findings = tuple(_findings(last_causes(hits)))
        gaps = _gaps(rows, frozenset(told.found), findings)
        why = _Why(
            have={(text.source, text.subject) for text in self.texts},
            over=over,
            stale={(text.label, node(text.node)) for text in self.stale},
        )
        return Answers(findings, tuple(_blind(*key, many, why) for key, many in sorted(gaps.items())))

    def of_unknown_nodes(self, rows: Iterable[Signature]) -> Answers:
        """Texts that show something, of nodes that the cluster does not have: said, and not concluded from."""
        found: dict[tuple[str, Ref], set[Code]] = {}
        for text in host_texts(self.snapshot, self.unknown):
            for row in rows:
                if row.source == text.source and any(row.regex.search(line) for line in text.lines):
                    found.setdefault((text.source, text.subject), set()).add(Code(row.code))
        blind = tuple(
            Blind(
                check=source,
                codes=tuple(sorted(codes)),
                subject=subject,
                why="text-of-unknown-node",
                command=f"kubectl get node {subject.name}",
                values={"source": source},
                # A text of a node beside a list of none at all says that the list is wrong.
                required=not known(self.snapshot.nodes),
            )
            for (source, subject), codes in sorted(found.items())
        )
        return Answers(blind=blind)


class _Over(msgspec.Struct, frozen=True, kw_only=True):
    """Before which moments a line is over: the fault `began`, which refutes only a time that is certain, or the text
    itself shows that its writer `lived`.
    """

    began: datetime | None = None
    lived: datetime | None = None

    def includes(self, line: str, when: datetime) -> bool:
        """Whether a line of this time tells of something that has passed."""
        if self.lived is not None and when < self.lived:
            return True
        return self.began is not None and tells_the_year(line) and when < self.began


def _over_before(row: Signature, text: Text, told: Told) -> _Over:
    """Of a row that explains a fault: what is over. Nothing where nothing says when.

    A text that a person pasted was read a moment ago, whatever the host's clock says: it is held against itself only.
    """
    began = told.began(row, text.subject) if row.explains and text.reporter is None else None
    lived = text.spoke - _REPEATS if row.explains and text.spoke else None
    return _Over(began=began, lived=lived)


def _findings(hits: list[Hit]) -> Iterator[Finding]:
    """One finding of all that tells the same; a suspect's line adds to what is proved, or is a fact of its own."""
    proved: dict[tuple[str, Ref], list[Finding]] = {}
    for one in hits:
        if not one.row.suspect:
            proved.setdefault(one.finding.key, []).append(one.finding)
    explained = {(one.row.explains, one.finding.subject) for one in hits if not one.row.suspect}
    facts: dict[tuple[str, Ref], list[Finding]] = {}
    for one in hits:
        if one.row.suspect and one.finding.key in proved:
            proved[one.finding.key].append(one.finding)
        elif one.row.suspect and (one.row.explains, one.finding.subject) not in explained:
            fact = msgspec.structs.replace(
                one.finding, code=Code(one.row.suspect), kind=Kind.FACT, severity=Severity.INFO
            )
            facts.setdefault(fact.key, []).append(fact)
    together = {**proved, **facts}
    return (_merged(together[key]) for key in sorted(together))


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
    rows: Iterable[Signature], opened: frozenset[tuple[str, Ref]], findings: tuple[Finding, ...]
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


class _Why(msgspec.Struct, frozen=True, kw_only=True):
    """Which texts (source, subject) there are, which held only lines that are over, which are of another boot."""

    have: set[tuple[str, Ref]]
    over: set[tuple[str, Ref]]
    stale: set[tuple[str, Ref]]


def _blind(source: str, subject: Ref, rows: list[Signature], seen: _Why) -> Blind:
    key = (source, subject)
    why = "text-silent" if key in seen.have else "text-missing"
    if key in seen.over:
        why = "text-too-old"
    elif key not in seen.have and key in seen.stale:
        why = "text-of-another-boot"
    return Blind(
        check=source,
        codes=tuple(dict.fromkeys(Code(row.code) for row in rows)),
        subject=subject,
        why=why,
        command=fill(rows[0].command, {"node": subject.name, "unit": source.partition(":")[2]}),
        values={"source": source},
        required=True,
    )


def _match(row: Signature, text: Text, number: int, at: datetime, over: _Over) -> tuple[Hit | None, bool]:
    """What the row finds in the text, and whether it found only what is over."""
    if row.absent_regex and any(row.absent_regex.search(line) for line in text.lines):
        return None, False
    every = [(place, hit) for place, line in _since_cleared(row, text.lines) if (hit := row.regex.search(line))]
    times = {place: when for place, hit in every if (when := time_of(hit.string, at))}
    hits = [one for one in every if one[0] not in times or not over.includes(one[1].string, times[one[0]])]
    if not hits:
        return None, bool(every)
    place, last = hits[-1]
    counted = [times[one] for one, _ in hits if one in times]
    finding = Finding(
        code=Code(row.code),
        subject=text.subject,
        kind=Kind.FAULT,
        severity=row.severity,
        values={name: value for name, value in last.groupdict().items() if value is not None},
        evidence=(
            Evidence(
                source=text.source,
                object=text.subject,
                field=text.field,
                quote=last.string.strip()[:_QUOTE_LIMIT],
                first_seen=text.first or min(counted, default=None),
                last_seen=text.last or max(counted, default=None),
                reporter=text.reporter,
            ),
        ),
    )
    return Hit(row=row, finding=finding, text=number, place=place, when=times.get(place)), False


def _since_cleared(row: Signature, lines: tuple[str, ...]) -> list[tuple[int, str]]:
    """The lines with their places, without what stands before the last one that clears the row."""
    placed = list(enumerate(lines))
    cleared = row.cleared_regex
    passed = [place for place, line in placed if cleared.search(line)] if cleared else []
    return placed[passed[-1] + 1 :] if passed else placed
