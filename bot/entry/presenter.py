"""`app.ports.Presenter` for one cluster and one language: the diagnosis in words, then as Slack messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from bot.knowledge.words import MissingWords, Words
from bot.model.diagnosis import Diagnosis
from bot.model.incident import Incident
from bot.model.message import Message
from bot.model.report import MomentSource, Report
from bot.model.summary import Summary
from bot.narrate.plan import short
from bot.narrate.reasons import in_words
from bot.narrate.report import report
from bot.narrate.sections import title
from bot.render.slack.messages import answer_message, changed_message, root_message, thread_messages
from bot.render.slack.notices import folded_message, plain_message, resolved_message
from bot.render.slack.summary import summary_message


def untitled(runbook: str, section: str, lang: str) -> str:
    """No runbook is there."""
    raise KeyError(runbook, section, lang)


class Presenter:
    """Narrates and renders.

    Args:
        words: the catalogue of the language.
        cluster: the cluster's name.
        runbooks: the name of the runbook that repairs a root, by the root's code.
        text: a section of a runbook in a language, which begins with its title; raises KeyError where there is none.
    """

    def __init__(
        self,
        words: Words,
        cluster: str,
        runbooks: Mapping[str, str] = {},
        text: Callable[[str, str, str], str] = untitled,
    ) -> None:
        self._words = words
        self._cluster = cluster
        self._runbooks = runbooks
        self._text = text

    def root(self, incident: Incident, diagnosis: Diagnosis) -> Message:
        """The incident's root message."""
        return root_message(self.report(diagnosis), self._named(incident), self._words)

    def thread(self, incident: Incident, diagnosis: Diagnosis) -> tuple[Message, ...]:
        """The replies below it."""
        return thread_messages(self.report(diagnosis), self._words)

    def changed(self, before: Diagnosis | None, after: Diagnosis, unrecognised: Sequence[str]) -> Message:
        """What a paste changed."""
        earlier = self.report(before) if before else None
        return changed_message(earlier, self.report(after), unrecognised, self._words)

    def folded(self, incident: Incident) -> Message:
        """The same incident again."""
        return folded_message(self._named(incident), self._words)

    def resolved(self, incident: Incident) -> Message:
        """The alert no longer fires."""
        return resolved_message(self._named(incident), self._words)

    def answer(self, diagnosis: Diagnosis, incident: Incident | None = None) -> Message:
        """The whole answer in one message."""
        return answer_message(self.report(diagnosis), self._words, self._named(incident) if incident else None)

    def say(self, reason: str, values: Mapping[str, str]) -> Message:
        """A text of the catalogue's `reasons`; the value `mention` is the Slack id of the one who is called."""
        try:
            # Nobody is called by a value: people stand in it by their short id.
            text = in_words(self._words, reason, values, short)
        except MissingWords:  # the reason's own name says more than silence
            text = reason
        return plain_message(text, self._words, values.get("mention", ""))

    def summary(self, summary: Summary, diagnosis: Diagnosis) -> Message:
        """An LLM's summary, for `app.summarise`; the other messages do not know of it."""
        about = str(diagnosis.roots[0].finding.subject) if diagnosis.roots else ""
        return summary_message(summary, self._cluster, about, self._words)

    def _named(self, incident: Incident) -> Incident:
        """The incident with the title of the step that it waits for; the id where its runbook has gone since."""
        try:
            told = title(self._text(incident.waiting_in, incident.waiting, self._words.lang))
        except KeyError:
            return incident
        return msgspec.structs.replace(incident, waiting=told)

    def report(self, diagnosis: Diagnosis) -> Report:
        """The diagnosis in words, as it is kept for the post-mortem."""
        return report(
            diagnosis, self._words, cluster=self._cluster, at_source=MomentSource.NOW, runbooks=self._runbooks
        )
