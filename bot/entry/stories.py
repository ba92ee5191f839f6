"""What is kept for afterwards: the answer as of the offer of a plan, and the post-mortem that is made from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from bot.app.repair.ports import Journal, ReportArchive
from bot.knowledge.words import Words
from bot.model.diagnosis import Diagnosis
from bot.model.incident import Incident
from bot.model.report import MomentSource
from bot.narrate.postmortem import Story, postmortem
from bot.narrate.report import report
from bot.remedy.audit import AuditKey, Record, record, verify


class AuditedJournal(Journal, Protocol):
    """A journal whose audit can be read as it is stored."""

    def audit(self) -> tuple[tuple[bytes, ...], bytes | None]:
        """All lines, oldest first, and the head.

        Raises:
            NotWritten: the store is out of reach.
        """
        ...


class KeptReports:
    """Keeps the answer that a plan was offered on, in every language: whoever asks later may speak another one.

    Args:
        archive: where.
        cluster: the cluster's name.
        catalogues: the words of every language.
        runbooks: the name of the runbook of each root.
    """

    def __init__(
        self, archive: ReportArchive, cluster: str, catalogues: Sequence[Words], runbooks: Mapping[str, str]
    ) -> None:
        self._archive = archive
        self._cluster = cluster
        self._catalogues = tuple(catalogues)
        self._runbooks = runbooks

    def keep(self, plan_id: str, diagnosis: Diagnosis) -> Mapping[str, str]:
        """Keep it; what the audit says of it: `report`, the SHA-256 of each language's, with a space between.

        Raises:
            NotWritten: it is not known to be kept.
        """
        said = (
            report(diagnosis, words, cluster=self._cluster, at_source=MomentSource.NOW, runbooks=self._runbooks)
            for words in self._catalogues
        )
        return {"report": " ".join(self._archive.keep(plan_id, one) for one in said)}


class Stories:
    """`app.repair.ports.PostMortems`, from what was kept.

    Args:
        journal: plans and audit.
        archive: the answers as of then.
        keys: that the audit was made with, the current one first.
        words_of: the catalogue of a channel's language.
        text_of: a section of a runbook: runbook, section, language. Raises KeyError where it has none.
    """

    def __init__(
        self,
        journal: AuditedJournal,
        archive: ReportArchive,
        keys: Sequence[AuditKey],
        words_of: Callable[[str], Words],
        text_of: Callable[[str, str, str], str],
    ) -> None:
        self._journal = journal
        self._archive = archive
        self._keys = tuple(keys)
        self._words_of = words_of
        self._text_of = text_of

    def markdown(self, incident: Incident, channel: str) -> str:
        """The document in the channel's language.

        Raises:
            NotWritten: the store is out of reach.
        """
        words = self._words_of(channel)
        plans = self._journal.plans(incident=incident.id)
        reports = [kept for one in plans if (kept := self._archive.of(one.id, words.lang))]
        lines, head = self._journal.audit()
        story = Story(
            incident=incident,
            plans=plans,
            entries=tuple(_entry(line) for line in lines),
            report=reports[0].report if reports else None,
            report_sha256=reports[0].sha256 if reports else "",
            chain_holds=verify(lines, self._keys, head) is None,
        )
        return postmortem(story, words, lambda book, section: self._heading(book, section, words.lang))

    def _heading(self, book: str, section: str, lang: str) -> str:
        return self._text_of(book, section, lang).partition("\n")[0]


def _entry(line: bytes) -> Record:
    try:
        return record(line)
    except ValueError:
        return {"unreadable": line.decode("utf-8", "replace")}
