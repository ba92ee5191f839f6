"""Puts single findings, links and gaps into words; what belongs into an answer is decided elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from bot.knowledge.blanks import fill
from bot.knowledge.words import CodeWords, MissingWords, Words
from bot.model.diagnosis import Certainty, Diagnosis, Key
from bot.model.findings import Blind, Code, Evidence, Finding, Kind, Severity
from bot.model.refs import CLUSTER, Ref
from bot.model.report import ChainLink, Quoted, Statement
from bot.narrate.duration import lasted
from bot.narrate.reasons import in_words

Values = Mapping[str, str | int | datetime]
#: Stands where a thing that nobody saw would have had a value.
UNSEEN = "…"


class Phrases:
    """The words of one language, applied to one diagnosis.

    A code of an operator without words is shown by its name: an answer without a sentence is better than none.
    """

    def __init__(self, diagnosis: Diagnosis, words: Words) -> None:
        self.diagnosis = diagnosis
        self.words = words
        self.findings = {one.key: one for one in diagnosis.findings}

    def label(self, key: str, **values: str | int | datetime) -> str:
        """A fixed text with its blanks filled."""
        return fill(self.words.label(key), values)

    def statement(self, finding: Finding) -> Statement:
        """One finding as title, sentence, time and evidence."""
        inferred = finding.key in self.diagnosis.inferred
        texts = self._code(finding.code)
        values = _values(finding.subject, finding.values, finding.refs)
        missing = UNSEEN if inferred else ""
        onset = finding.onset
        return Statement(
            code=str(finding.code),
            kind=finding.kind,
            severity=finding.severity if finding.kind is Kind.FAULT else Severity.INFO,
            certainty=Certainty.INFERRED if inferred else Certainty.OBSERVED,
            subject=str(finding.subject),
            title=fill(texts.title, values, missing),
            why=fill(texts.why, values, missing),
            since=onset.at if onset else None,
            since_source=onset.source if onset else "",
            lasted=lasted(onset.at, self.diagnosis.at, self.words.lang) if onset else "",
            evidence=quoted(finding.evidence),
            values={key: _plain(value) for key, value in finding.values.items()},
            refs={role: tuple(str(ref) for ref in refs) for role, refs in finding.refs.items()},
        )

    def link(self, cause: Key, effect: Key, certainty: Certainty) -> ChainLink:
        """One step of the chain; its blanks know the values of both ends, the effect's first."""
        before, after = self.findings[cause], self.findings[effect]
        values = {
            **_values(before.subject, before.values, before.refs),
            **_values(after.subject, after.values, after.refs),
            "cause": str(before.subject),
            "effect": str(after.subject),
        }
        try:
            why = fill(self.words.link(cause[0], effect[0]), values, UNSEEN)
        except MissingWords:
            why = ""
        return ChainLink(
            cause=str(cause[0]),
            cause_subject=str(cause[1]),
            cause_title=self.statement(before).title,
            effect=str(effect[0]),
            effect_subject=str(effect[1]),
            effect_title=self.statement(after).title,
            certainty=certainty,
            why=why,
            evidence=quoted((*before.evidence, *after.evidence)),
        )

    def open_question(self, code: Code) -> str:
        """What stays open while nobody could look; a code without words asks by its name."""
        return self._code(code).open or str(code)

    def reason(self, blind: Blind) -> str:
        """Why it could not be looked at."""
        try:
            text = in_words(self.words, blind.why, _values(blind.subject, blind.values, {}))
        except MissingWords:
            return blind.why
        return text.replace(" ()", "")

    def reporters(self, evidence: tuple[Evidence, ...]) -> tuple[str, ...]:
        """A sentence for each text that a person pasted or handed over."""
        pasted = {(one.source, str(one.object), one.reporter) for one in evidence if one.reporter}
        return tuple(
            self.label(f"{reporter.means.value}_by", source=source, object=about, reporter=reporter.name)
            for source, about, reporter in sorted(pasted, key=str)
            if reporter
        )

    def _code(self, code: Code) -> CodeWords:
        try:
            return self.words.code(code)
        except MissingWords:
            return CodeWords(title=f"{code} ({{subject}})")


def quoted(evidence: tuple[Evidence, ...]) -> tuple[Quoted, ...]:
    """Evidence as the report shows it, each observation once.

    A state may have been first seen after the last report of it: the node controller turns Ready to Unknown minutes
    after the last heartbeat. Then it was last seen when it was first seen.
    """
    shown = {
        Quoted(
            source=one.source,
            object=str(one.object),
            field=one.field,
            quote=one.quote,
            first_seen=one.first_seen,
            last_seen=max(one.last_seen, one.first_seen) if one.last_seen and one.first_seen else one.last_seen,
            reported_by=one.reporter.name if one.reporter else "",
            reported_as=one.reporter.means if one.reporter else None,
        ): None
        for one in evidence
    }
    return tuple(shown)


def _plain(value: str | int | datetime) -> str | int:
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z") if isinstance(value, datetime) else value


def _values(subject: Ref, values: Values, refs: Mapping[str, tuple[Ref, ...]]) -> Values:
    """What the blanks mean: the values of a finding win over nothing but may not rename its subject."""
    names = {role: ", ".join(one.name or str(one) for one in many) for role, many in refs.items()}
    name = subject.name if subject != CLUSTER else str(CLUSTER)
    return {**names, **values, "subject": str(subject), "name": name}
