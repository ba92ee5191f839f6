"""The plain lines that every renderer builds on: what is said of a statement, without layout.

Everything here is still untrusted text; each renderer makes it harmless in its own way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from bot.knowledge.blanks import fill, moment
from bot.knowledge.words import Words
from bot.model.diagnosis import Certainty
from bot.model.report import ChainLink, NotSeen, Quoted, Report, RootStatement, Statement
from bot.render.together import is_singleton, names, said_of, titled

Many = Sequence[Statement]


class Lines:
    """The fixed texts of one language, applied to the parts of a report."""

    def __init__(self, words: Words) -> None:
        self._words = words

    def label(self, key: str, **values: str | int | datetime) -> str:
        """A fixed text with its blanks filled."""
        return fill(self._words.label(key), values)

    def and_more(self, text: str, count: int) -> str:
        """`omen1, omen3 (and 7 more)`."""
        return self.label("and_more", text=text, count=count)

    def certainty(self, certainty: Certainty) -> str:
        """`[observed]`: a word, because colour alone does not reach everybody."""
        return f"[{self.label('observed' if certainty is Certainty.OBSERVED else 'inferred')}]"

    def verdict(self, report: Report) -> str:
        """`BROKEN`."""
        return self.label(report.verdict.value)

    def at(self, report: Report) -> str:
        """From when ages count, and who says so."""
        told = self.label("at", moment=report.at, source=self.label(report.at_source.value))
        return f"{told} ({report.at_where})" if report.at_where else told

    def said(self, *many: Statement) -> str:
        """The title of statements that say the same, naming their objects."""
        return titled(many, self.and_more)

    def why(self, *many: Statement) -> str:
        """The sentence below it."""
        return said_of(many, many[0].why, self.and_more)

    def dated(self, *many: Statement) -> str:
        """The title with the time: `VM gpu-fedora finds no node, since 2026-07-10 15:41 UTC (112 days)`."""
        title, when = self.said(*many), self._when(many)
        return self.label("since_short", title=title, moment=when) if when else title

    def since(self, *many: Statement) -> str:
        """`since 2026-07-10 15:39 UTC (112 days), says status.conditions[Ready].lastTransitionTime`."""
        when = self._when(many)
        one = many[0]
        other = f"{one.since_code} {one.since_subject}: " if one.since_code else ""
        return self.label("since", moment=when, source=f"{other}{one.since_source or '?'}") if when else ""

    def root_since(self, one: RootStatement, *, source: bool = True) -> str:
        """As `since`, or without what says so; for a root it is said where it is not known."""
        when = self._when((one,))
        if not when:
            return self.label("since_unknown")
        return self.since(one) if source else self.label("since_plain", moment=when)

    def root_heading(self, one: RootStatement) -> str:
        """What the first finding of a chain is called: a root, or the nearest that was seen."""
        return self.label("root" if one.cause_seen else "cause_open")

    def origin(self, one: Quoted) -> str:
        """Where a quote stands: `node/omen2 spec.taints`; the API server, where most of it comes from, is not named."""
        source = "" if one.source == "kubernetes" else one.source
        return " ".join(part for part in (source, one.object, one.field) if part)

    def place(self, one: Quoted) -> str:
        """As `origin`, shorter where the object is one of its kind."""
        return one.field if one.field and is_singleton(one.object) else self.origin(one)

    def witness(self, one: Quoted, *, timed: bool = True) -> str:
        """When it was seen (where `timed`), and who pasted it."""
        notes = []
        first, last = one.first_seen, one.last_seen
        if timed and first and last and moment(first) != moment(last):
            notes.append(self.label("seen_between", first=min(first, last), last=max(first, last)))
        elif timed and (when := first or last):
            notes.append(moment(when))
        if one.reported_as:
            notes.append(self.label(f"{one.reported_as.value}_short", reporter=one.reported_by))
        return "; ".join(notes)

    def hazard(self, *many: Statement) -> str:
        """What not to touch: `DO NOT start the kubelet`, whether or not the title itself says "do not"."""
        label, text = self.label("do_not"), self.said(*many)
        if text.casefold().startswith(f"{label.casefold()} "):
            return label + text[len(label) :]
        return text if many[0].title.endswith(label) else f"{label}: {text}"

    def gap(self, *many: NotSeen) -> str:
        """What was not seen and why, in one line."""
        what, why = (said_of(many, text, self.and_more) for text in (many[0].what, many[0].why))
        return f"{what}: {why}" if why else what

    def likewise(self, *others: NotSeen) -> str:
        """`the same for omen3, omen4`; empty for nobody."""
        return self.label("likewise", names=names(others, self.and_more)) if others else ""

    def next_runbook(self, report: Report) -> str:
        """`Next: follow the runbook kubelet-swap`; empty where the next step is a command or there is none."""
        is_runbook = bool(report.roots) and bool(report.next_step) and report.roots[0].runbook == report.next_step
        return self.label("next_runbook", runbook=report.next_step) if is_runbook else ""

    def _when(self, many: Many) -> str:
        """The one moment of them, or the first and the last."""
        dated = sorted((one.since, one.lasted) for one in many if one.since)
        if not dated:
            return ""
        (first, ago), (last, _) = dated[0], dated[-1]
        told = moment(first)
        if moment(last) != told:
            told = self.label("since_range", first=first, last=last)
        return self.label("lasted", moment=told, lasted=ago) if ago else told


def hazards(report: Report) -> tuple[list[Statement], list[Statement]]:
    """What not to touch on the leading chains or on what was asked about, and what not to touch elsewhere."""
    near = _chain(report) | set(report.scope)
    return _apart(report.do_not, lambda one: not report.roots or one.subject in near)


def facts(report: Report) -> tuple[list[Statement], list[Statement]]:
    """Circumstances of the answer, and those of other objects in trouble, which nobody examined."""
    others = {one.subject for one in report.not_examined} - _chain(report)
    return _apart(report.facts, lambda one: one.subject not in others)


def _chain(report: Report) -> set[str]:
    subjects = {one.subject for one in (*report.roots, *report.affected)}
    return subjects | {subject for link in report.chain for subject in (link.cause_subject, link.effect_subject)}


def _apart(many: Many, is_here: Callable[[Statement], bool]) -> tuple[list[Statement], list[Statement]]:
    return [one for one in many if is_here(one)], [one for one in many if not is_here(one)]


def downwards(report: Report) -> list[ChainLink]:
    """The links from each root down to a leaf, then from the last fork on."""
    below: dict[tuple[str, str], list[ChainLink]] = {}
    for link in report.chain:
        below.setdefault((link.cause, link.cause_subject), []).append(link)
    ordered: list[ChainLink] = []
    pending = [link for root in reversed(report.roots) for link in reversed(below.pop((root.code, root.subject), []))]
    while pending:
        link = pending.pop()
        ordered.append(link)
        pending += reversed(below.pop((link.effect, link.effect_subject), []))
    return ordered
