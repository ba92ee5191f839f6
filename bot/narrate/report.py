"""From a diagnosis to an answer in one language: root first, then the chain, then everything around it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import structs

from bot.knowledge.blanks import moment
from bot.knowledge.words import Words
from bot.model.diagnosis import Diagnosis, Root, Verdict
from bot.model.findings import Finding, Kind, Severity
from bot.model.refs import Ref
from bot.model.report import DoNot, MomentSource, NotSeen, Report, RootStatement, Statement
from bot.narrate.duration import lasted
from bot.narrate.gaps import not_seen
from bot.narrate.phrases import Phrases
from bot.narrate.reach import Reach

#: What people miss when it is down; everything else (a node, a pool, the GPU Operator's pods) only stands in between.
_MISSED = frozenset({"vm", "deploy", "job", "pod"})

#: Circumstances that change while an outage goes on, first things first; the others explain.
_MOVING = ("replacements", "deletion-running", "next-deletion", "repair-breaker")


def _by_use(one: Finding) -> int:
    return _MOVING.index(one.code) if one.code in _MOVING else len(_MOVING)


def report(
    diagnosis: Diagnosis,
    words: Words,
    *,
    cluster: str,
    at_source: MomentSource,
    at_where: str = "",
    runbooks: Mapping[str, str] = {},
) -> Report:
    """Put a diagnosis into words.

    Args:
        diagnosis: what was found.
        words: the catalogue of the language wanted.
        cluster: the name that stands on every message.
        at_source: where `diagnosis.at`, from which ages count, comes from.
        at_where: the object and field that hold it, where it was read from files.
        runbooks: the repair of each root that has one, by the root's code.
    """
    said = _Narrator(diagnosis, words, runbooks).report(cluster, at_source)
    return structs.replace(said, at_where=at_where)


class _Narrator:
    def __init__(self, diagnosis: Diagnosis, words: Words, runbooks: Mapping[str, str]) -> None:
        self.diagnosis = diagnosis
        self.runbooks = runbooks
        self.phrases = Phrases(diagnosis, words)
        self.reach = Reach(diagnosis)

    def report(self, cluster: str, at_source: MomentSource) -> Report:
        diagnosis, phrases, reach = self.diagnosis, self.phrases, self.reach
        roots = tuple(self._root(root) for root in diagnosis.roots)
        gaps = not_seen(reach.blind(), phrases)
        chain_evidence = [one for key in reach.keys for one in reach.findings[key].evidence]
        affected = self._statements(self._affected())
        return Report(
            cluster=cluster,
            lang=phrases.words.lang,
            scope=tuple(str(ref) for ref in diagnosis.scope),
            at=diagnosis.at,
            at_source=at_source,
            verdict=diagnosis.verdict,
            headline=self._headline(roots, affected, gaps),
            roots=roots,
            chain=tuple(phrases.link(one.cause, one.effect, one.certainty) for one in reach.ordered_links()),
            affected=affected,
            facts=self._statements(sorted(reach.of_kind(Kind.FACT), key=_by_use)),
            ruled_out=self._statements(reach.of_kind(Kind.RULED_OUT)),
            proves_nothing=self._statements(reach.of_kind(Kind.PROVES_NOTHING)),
            not_seen=gaps,
            not_examined=self._statements(reach.findings[key] for key in diagnosis.not_examined),
            others_acting=self._statements(reach.of_kind(Kind.ACTING)),
            do_not=tuple(self._do_not(one) for one in self._hazards()),
            next_step=self._next_step(roots, gaps),
            reported_by=phrases.reporters(tuple(chain_evidence)),
            findings=self._statements(one for one in diagnosis.findings if reach.concerns(one)),
            elsewhere=self._statements(one for one in diagnosis.findings if not reach.concerns(one)),
        )

    def _statements(self, findings: Iterable[Finding]) -> tuple[Statement, ...]:
        return tuple(self.phrases.statement(one) for one in findings)

    def _affected(self) -> list[Finding]:
        """What people miss first, and of that what was asked about, then the worst; each object once, by its worst."""
        scope, severities = self.diagnosis.scope, list(Severity)

        def rank(one: Finding) -> tuple[bool, bool, int]:
            return one.subject.kind not in _MISSED, one.subject not in scope, -severities.index(one.severity)

        ranked = sorted((self.reach.findings[key] for key in self.diagnosis.affected), key=rank)
        first: dict[Ref, Finding] = {}
        for one in ranked:
            first.setdefault(one.subject, one)
        return list(first.values())

    def _hazards(self) -> list[Finding]:
        """Those near the chains first, then the worst, then in the order of the catalogue: it lists first what
        people do by reflex.
        """
        severities, order = list(Severity), list(self.phrases.words.codes)
        place = {code: rank for rank, code in enumerate(order)}
        found = self.reach.of_kind(Kind.DO_NOT)

        def rank(one: Finding) -> tuple[bool, int, int]:
            worst = -severities.index(one.severity)
            return not self.reach.touches(one), worst, place.get(one.code, len(order))

        return sorted(found, key=rank)

    def _do_not(self, finding: Finding) -> DoNot:
        said = self.phrases.statement(finding)
        return DoNot(**structs.asdict(said), what=said.title)

    def _root(self, root: Root) -> RootStatement:
        said = self.phrases.statement(root.finding)
        plain = RootStatement(
            **{**structs.asdict(said), "certainty": root.certainty},
            cause_seen=root.cause_seen,
            runbook=self.runbooks.get(root.finding.code, ""),
        )
        return plain if plain.since else self._since_its_effects(plain, root)

    def _since_its_effects(self, said: RootStatement, root: Root) -> RootStatement:
        """The line of a crash loop is the newest of all: the oldest effect tells since when at the latest."""
        below = self.reach.downstream(root.finding.key)
        dated = [(one.onset.at, str(one.code), str(one.subject), one.onset.source) for one in below if one.onset]
        if not dated:
            return said
        since, code, subject, source = min(dated)
        ago = lasted(since, self.diagnosis.at, self.phrases.words.lang)
        return structs.replace(
            said, since=since, since_source=source, since_code=code, since_subject=subject, lasted=ago
        )

    def _headline(
        self, roots: tuple[RootStatement, ...], affected: tuple[Statement, ...], gaps: tuple[NotSeen, ...]
    ) -> str:
        label = self.phrases.label
        if self.diagnosis.verdict is Verdict.HEALTHY:
            return label("headline_healthy")
        if self.diagnosis.verdict is Verdict.UNKNOWN:
            return label("headline_unknown", count=len(gaps))
        if not roots:
            return label("headline_no_root")
        key = "headline_root" if roots[0].cause_seen else "headline_cause_open"
        text = label(key, root=self._first_of(roots))
        down = affected[0] if affected else None
        if down is None or not (down.severity is Severity.CRITICAL or down.subject.partition("/")[0] in _MISSED):
            return text
        more = len(affected) - 1
        told = self._with_since(down)
        return f"{text}; {label('and_more', text=told, count=more) if more else told}"

    def _with_since(self, one: Statement) -> str:
        if one.since is None:
            return one.title
        since = self.phrases.label("lasted", moment=one.since, lasted=one.lasted) if one.lasted else moment(one.since)
        return self.phrases.label("since_short", title=one.title, moment=since)

    def _first_of(self, many: tuple[Statement, ...]) -> str:
        more = len(many) - 1
        return self.phrases.label("and_more", text=many[0].title, count=more) if more else many[0].title

    def _next_step(self, roots: tuple[RootStatement, ...], gaps: tuple[NotSeen, ...]) -> str:
        """The one command that settles the cause, else the runbook, else what settles anything at all."""
        first = roots[0] if roots else None
        commands = [one.command for one in gaps if one.command]
        if first and not first.cause_seen:
            opened = set(self.diagnosis.roots[0].open_causes)
            settling = (one.command for one in gaps if one.command and opened & set(one.codes))
            return next(settling, commands[0] if commands else "")
        if first:
            return first.runbook
        return commands[0] if commands and self.diagnosis.verdict is Verdict.UNKNOWN else ""
