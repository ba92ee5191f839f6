"""What happened, as a document for afterwards: evidence as of then, who decided what, and what is left.

Everything is told from what was kept: the report of when the plan was offered, the plans, and the audit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import msgspec

from bot.knowledge.words import Words
from bot.model.incident import Incident
from bot.model.report import ChainLink, Report
from bot.narrate.markdown import code, table, text
from bot.narrate.phrases import quoted
from bot.narrate.plan import voters
from bot.narrate.postmortem_phrases import StoryPhrases, moment, people
from bot.narrate.reasons import counted, predictions
from bot.remedy.audit import Record, details
from bot.remedy.plan import Plan, StepState

#: Evidence of one link that is quoted; the report has all of it.
_QUOTES = 6
_MAC_SHOWN = 12
#: Entries of no incident that stop or free every repair.
_FREEZES = ("freeze", "unfreeze", "unfreeze-vote", "froze-itself")


class Story(msgspec.Struct, frozen=True, kw_only=True):
    """What was kept of one incident.

    Attributes:
        plans: its plans, oldest first.
        entries: the audit's entries, all or those of this incident, oldest first.
        report: the diagnosis when the plan was offered, None if it was not kept.
        report_sha256: of the bytes that are kept of it; the audit tells which it must be.
        chain_holds: whether the audit verified just now, from the entry with the number `since` on.
    """

    incident: Incident
    plans: tuple[Plan, ...]
    entries: tuple[Record, ...]
    report: Report | None
    report_sha256: str
    chain_holds: bool
    since: int = 1


def postmortem(story: Story, words: Words, title: Callable[[str, str], str]) -> str:
    """The document, in Markdown; times are UTC.

    Args:
        story: what was kept.
        words: the catalogue of the language; names and quotes are never translated.
        title: the heading of a step or an option in a runbook, by the runbook's name and the id; may raise KeyError.
    """
    return "\n".join(_Writer(story, words, title).lines()) + "\n"


class _Writer:
    def __init__(self, story: Story, words: Words, title: Callable[[str, str], str]) -> None:
        self.story = story
        self.words = words
        self.tell = StoryPhrases(words, story.plans, title)
        self.entries = _of_incident(story)
        self.steps = [(plan, step) for plan in story.plans for step in plan.steps]

    def lines(self) -> list[str]:
        report, incident = self.story.report, self.story.incident
        roots = [one.title for one in report.roots] if report else list(incident.keys)
        headline = roots[0] if roots else incident.id
        sections = (
            ("summary", self.summary()),
            ("evidence", self.evidence()),
            ("timeline", self.timeline()),
            ("decisions", self.decisions()),
            ("break-glass", self.broken_glass()),
            ("left", self.left()),
            ("attested", self.attested()),
            ("predicted", self.predicted()),
            ("temporary", self.temporary()),
            ("audit", self.audit()),
        )
        lines = [f"# {self.tell.label('title', headline=text(headline))}"]
        for name, body in sections:
            if body:
                lines += ["", f"## {self.tell.label(name)}", "", *body]
        return lines

    def summary(self) -> list[str]:
        incident, report = self.story.incident, self.story.report
        rows = [
            ("incident", code(incident.id)),
            ("cluster", code(incident.cluster)),
            ("opened", moment(incident.opened_at)),
            ("state", code(incident.state.value)),
            ("alerts", str(incident.count)),
        ]
        head = (self.tell.label("what"), self.tell.label("value"))
        lines = table(head, ((self.tell.label(name), value) for name, value in rows))
        if report is None:
            return [*lines, "", self.tell.label("no-report")]
        for root in report.roots:
            lines += ["", f"**{text(root.title)}** ({code(root.subject)})"]
            lines += ["", text(root.why)] if root.why else []
        chain = [
            f"{number}. {text(one.cause_title)} → {text(one.effect_title)} ({self.tell.label(one.certainty.value)})"
            for number, one in enumerate(report.chain, 1)
        ]
        return [*lines, *(["", *chain] if chain else [])]

    def evidence(self) -> list[str]:
        report = self.story.report
        if report is None:
            return []
        first = {(one.code, one.subject): at for at, one in enumerate(report.roots)}
        linked = {*first, *(end for one in report.chain for end in _ends(one))}
        lines = [self.tell.label("captured", at=moment(report.at)), ""]
        for one in sorted(report.findings, key=lambda one: first.get((one.code, one.subject), len(first))):
            if (one.code, one.subject) in linked and one.evidence:
                lines += [f"- {text(one.title)}", *(f"  - {self.tell.quote(each)}" for each in one.evidence[:_QUOTES])]
        not_seen = [f"- {text(one.what)}: {text(one.why)}" for one in report.not_seen]
        return [*lines, *(["", self.tell.label("not-seen"), "", *not_seen] if not_seen else [])]

    def timeline(self) -> list[str]:
        head = tuple(self.tell.label(one) for one in ("time", "who", "step", "what"))
        return table(head, (self.tell.entry(one) for one in self.entries)) if self.entries else []

    def decisions(self) -> list[str]:
        lines: list[str] = []
        for plan in self.story.plans:
            by = plan.chosen_by.id if plan.chosen_by else ""
            chosen = self.tell.label("chosen", option=text(self.tell.title(plan.runbook, plan.option)), who=code(by))
            lines += [
                "",
                self.tell.label("plan", plan=code(plan.id), runbook=code(plan.runbook), state=code(plan.state.value)),
            ]
            told = [self.tell.label("requested", who=code(plan.requester.id)), *([chosen] if plan.option else [])]
            lines += ["", *(f"- {one}" for one in (*told, *([self.tell.label("dry")] if plan.dry else [])))]
            head = tuple(self.tell.label(one) for one in ("step", "object", "state", "decided"))
            lines += ["", *table(head, (self.tell.step(plan, one) for one in plan.steps))]
        return lines[1:]

    def broken_glass(self) -> list[str]:
        lines: list[str] = []
        for plan, step in self.steps:
            if step.break_glass:
                name, reason = self.tell.name(plan, step), text(step.break_glass)
                lines.append(f"- {self.tell.label('alone', step=name, who=people(voters(step)), reason=reason)}")
        return lines

    def left(self) -> list[str]:
        codes = dict.fromkeys(one for plan in self.story.plans for one in plan.leaves)
        found = self.story.report.affected if self.story.report else ()
        told = [(one, [text(each.title) for each in found if each.code == one]) for one in codes]
        return [f"- {title}" for one, titles in told for title in titles or [self._left_in_general(one)]]

    def _left_in_general(self, one: str) -> str:
        return text(self.tell.reason(f"left-{one}", {})) or code(one)

    def attested(self) -> list[str]:
        lines: list[str] = []
        for plan, step in self.steps:
            if step.state is StepState.ATTESTED:
                who = people(one.id for one in step.told_by)
                key = "attested-with" if step.evidence else "attested-bare"
                lines.append(f"- {self.tell.label(key, step=self.tell.name(plan, step), who=who)}")
                lines += [f"  - {self.tell.quote(one)}" for one in quoted(step.evidence)[:_QUOTES]]
        return lines

    def predicted(self) -> list[str]:
        lines: list[str] = []
        for plan in self.story.plans:
            if plan.predicted:
                predicted = text(", ".join(predictions(self.words, plan.predicted)))
                seen = text(counted(self.words, _looks(self.entries, plan))) or self.tell.label("not-told")
                lines.append(f"- {self.tell.label('compared', predicted=predicted, seen=seen)}")
        return lines

    def temporary(self) -> list[str]:
        return [
            f"- {self.tell.label('until', step=self.tell.name(plan, step), until=moment(step.temporary_until))}"
            for plan, step in self.steps
            if step.temporary_until
        ]

    def audit(self) -> list[str]:
        entries = self.entries
        kept = {sha256 for one in entries for name, sha256 in details(one).items() if name.startswith("report")}
        held = "chain-holds" if self.story.chain_holds else "chain-broken"
        lines = [self.tell.label(held, since=code(str(self.story.since)))]
        if entries:
            first, last = entries[0], entries[-1]
            end = code(f"{last.get('seq', '')}:{last.get('mac', '')[:_MAC_SHOWN]}")
            lines.append(self.tell.label("entries", count=len(entries), first=code(first.get("seq", "")), last=end))
        if self.story.report:
            fits = self.story.report_sha256 in kept
            lines.append(self.tell.label("report-fits" if fits else "report-unproven" if not kept else "report-edited"))
        lines.append(text(self.tell.reason("audit-cannot-show", {})))
        return [f"- {one}" for one in lines]


def _of_incident(story: Story) -> tuple[Record, ...]:
    """The incident's entries, and each freeze that fell between them."""
    own = [one for one in story.entries if one.get("incident") == story.incident.id]
    if not own:
        return ()
    begin, end = own[0].get("at", ""), own[-1].get("at", "")
    chosen = (
        one
        for one in story.entries
        if one.get("incident") == story.incident.id
        or "unreadable" in one
        or (one.get("type") in _FREEZES and not one.get("incident") and begin <= one.get("at", "") <= end)
    )
    return tuple(chosen)


def _ends(link: ChainLink) -> tuple[tuple[str, str], tuple[str, str]]:
    return (link.cause, link.cause_subject), (link.effect, link.effect_subject)


def _looks(entries: Iterable[Record], plan: Plan) -> Iterator[Mapping[str, str]]:
    """What was seen when each of the plan's steps was verified."""
    return (details(one) for one in entries if one.get("plan") == plan.id and one.get("type") == "verified")
