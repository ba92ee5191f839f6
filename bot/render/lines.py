"""The plain lines that every renderer builds on: what is said of a statement, without layout.

Everything here is still untrusted text; each renderer makes it harmless in its own way.
"""

from __future__ import annotations

from datetime import datetime

from bot.knowledge.blanks import fill, moment
from bot.knowledge.words import Words
from bot.model.diagnosis import Certainty
from bot.model.report import NotSeen, Quoted, Report, RootStatement, Statement


class Lines:
    """The fixed texts of one language, applied to the parts of a report."""

    def __init__(self, words: Words) -> None:
        self._words = words

    def label(self, key: str, **values: str | int | datetime) -> str:
        """A fixed text with its blanks filled."""
        return fill(self._words.label(key), values)

    def certainty(self, certainty: Certainty) -> str:
        """`[observed]`: a word, because colour alone does not reach everybody."""
        return f"[{self.label('observed' if certainty is Certainty.OBSERVED else 'inferred')}]"

    def verdict(self, report: Report) -> str:
        """`BROKEN`."""
        return self.label(report.verdict.value)

    def at(self, report: Report) -> str:
        """From when ages count, and who says so."""
        return self.label("at", moment=report.at, source=self.label(report.at_source.value))

    def since(self, one: Statement) -> str:
        """`Since 2026-07-10 15:39 UTC (112 days), says status.conditions[Ready].lastTransitionTime`."""
        if one.since is None:
            return ""
        when = self.label("lasted", moment=one.since, lasted=one.lasted) if one.lasted else moment(one.since)
        return self.label("since", moment=when, source=one.since_source or "?")

    def root_since(self, one: RootStatement) -> str:
        """As `since`; for a root it is said where it is not known."""
        return self.since(one) or self.label("since_unknown")

    def root_heading(self, one: RootStatement) -> str:
        """What the first finding of a chain is called: a root, or the nearest that was seen."""
        return self.label("root" if one.cause_seen else "cause_open")

    def origin(self, one: Quoted) -> str:
        """Where a quote stands: `kubernetes node/omen2 spec.taints`."""
        return " ".join(part for part in (one.source, one.object, one.field) if part)

    def witness(self, one: Quoted) -> str:
        """When it was seen, and who pasted it."""
        notes = []
        first, last = one.first_seen, one.last_seen
        if first and last and first < last and moment(first) != moment(last):
            notes.append(self.label("seen_between", first=first, last=last))
        elif when := first or last:
            notes.append(self.label("seen", moment=when))
        if one.reported_by:
            notes.append(self.label("pasted_short", reporter=one.reported_by))
        return "; ".join(notes)

    def hazard(self, one: Statement) -> str:
        """What not to touch: `DO NOT start the kubelet`, whether or not the title itself says "do not"."""
        label, text = self.label("do_not"), said(one)
        if text.casefold().startswith(f"{label.casefold()} "):
            return label + text[len(label) :]
        return f"{label}: {text}"

    @staticmethod
    def hazards(report: Report) -> tuple[list[Statement], list[Statement]]:
        """What not to touch here, and what not to touch on other objects, which nobody examined."""
        chain = {one.subject for one in (*report.roots, *report.affected)}
        chain |= {subject for link in report.chain for subject in (link.cause_subject, link.effect_subject)}
        others = {one.subject for one in report.not_examined} - chain
        here = [one for one in report.do_not if one.subject not in others]
        return here, [one for one in report.do_not if one.subject in others]

    def next_heading(self, report: Report) -> str:
        """Whether the next step is a command or a runbook."""
        runbook = bool(report.roots) and report.roots[0].runbook == report.next_step
        return self.label("next_runbook" if runbook else "next_command")


def named(title: str, subject: str) -> str:
    """The title, with its object where the title does not name it."""
    name = subject.rpartition("/")[2]
    return title if not name or name == "cluster" or name in title else f"{title} ({subject})"


def said(one: Statement) -> str:
    """The title of a statement, naming its object."""
    return named(one.title, one.subject)


def gap(one: NotSeen) -> str:
    """What was not seen and why, in one line."""
    return f"{one.what}: {one.why}" if one.why else one.what
