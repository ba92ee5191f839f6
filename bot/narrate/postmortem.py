"""What happened, as a document for afterwards: evidence as of then, who decided what, and what is left.

Everything is told from what was kept: the report of when the plan was offered, the plans, and the audit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime

import msgspec

from bot.knowledge.blanks import fill
from bot.knowledge.words import MissingWords, Words
from bot.model.findings import Evidence
from bot.model.incident import Incident
from bot.model.report import ChainLink, Quoted, Report
from bot.narrate.markdown import code, table, text
from bot.narrate.phrases import quoted
from bot.remedy.audit import Record, details
from bot.remedy.plan import Plan, PlanStep, StepState
from bot.remedy.rules import inside

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
        chain_holds: whether the whole audit verified just now.
    """

    incident: Incident
    plans: tuple[Plan, ...]
    entries: tuple[Record, ...]
    report: Report | None
    report_sha256: str
    chain_holds: bool


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
        self.title_of = title
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
        lines = [f"# {self.say('title', headline=text(headline))}"]
        for name, body in sections:
            if body:
                lines += ["", f"## {self.say(name)}", "", *body]
        return lines

    def summary(self) -> list[str]:
        incident, report = self.story.incident, self.story.report
        rows = [
            ("incident", code(incident.id)),
            ("cluster", code(incident.cluster)),
            ("opened", _time(incident.opened_at)),
            ("state", code(incident.state.value)),
            ("alerts", str(incident.count)),
        ]
        lines = table((self.say("what"), self.say("value")), ((self.say(name), value) for name, value in rows))
        if report is None:
            return [*lines, "", self.say("no-report")]
        for root in report.roots:
            lines += ["", f"**{text(root.title)}** ({code(root.subject)})"]
            lines += ["", text(root.why)] if root.why else []
        chain = [
            f"{number}. {text(one.cause_title)} → {text(one.effect_title)} ({self.say(one.certainty.value)})"
            for number, one in enumerate(report.chain, 1)
        ]
        return [*lines, *(["", *chain] if chain else [])]

    def evidence(self) -> list[str]:
        report = self.story.report
        if report is None:
            return []
        first = {(one.code, one.subject): at for at, one in enumerate(report.roots)}
        linked = {*first, *(end for one in report.chain for end in _ends(one))}
        lines = [self.say("captured", at=_time(report.at)), ""]
        for one in sorted(report.findings, key=lambda one: first.get((one.code, one.subject), len(first))):
            if (one.code, one.subject) in linked and one.evidence:
                lines += [f"- {text(one.title)}", *(f"  - {self._quote(each)}" for each in one.evidence[:_QUOTES])]
        not_seen = [f"- {text(one.what)}: {text(one.why)}" for one in report.not_seen]
        return [*lines, *(["", self.say("not-seen"), "", *not_seen] if not_seen else [])]

    def timeline(self) -> list[str]:
        head = tuple(self.say(one) for one in ("time", "who", "step", "what"))
        return table(head, (self._row(one) for one in self.entries)) if self.entries else []

    def decisions(self) -> list[str]:
        lines: list[str] = []
        for plan in self.story.plans:
            by = plan.chosen_by.id if plan.chosen_by else ""
            chosen = self.say("chosen", option=text(self._title(plan.runbook, plan.option)), who=code(by))
            lines += [
                "",
                self.say("plan", plan=code(plan.id), runbook=code(plan.runbook), state=code(plan.state.value)),
            ]
            told = [self.say("requested", who=code(plan.requester.id)), *([chosen] if plan.option else [])]
            lines += ["", *(f"- {one}" for one in (*told, *([self.say("dry")] if plan.dry else [])))]
            head = tuple(self.say(one) for one in ("step", "object", "state", "decided"))
            lines += ["", *table(head, (self._step(plan, one) for one in plan.steps))]
        return lines[1:]

    def broken_glass(self) -> list[str]:
        told = [
            self.say("alone", step=self._name(plan, step), who=_people(_approvers(step)), reason=text(step.break_glass))
            for plan, step in self.steps
            if step.break_glass
        ]
        return [f"- {one}" for one in told]

    def left(self) -> list[str]:
        codes = dict.fromkeys(one for plan in self.story.plans for one in plan.leaves)
        found = self.story.report.affected if self.story.report else ()
        told = [(one, [text(each.title) for each in found if each.code == one]) for one in codes]
        return [f"- {title}" for one, titles in told for title in titles or [code(one)]]

    def attested(self) -> list[str]:
        lines: list[str] = []
        for plan, step in self.steps:
            if step.state is StepState.ATTESTED:
                who = _people(one.id for one in step.told_by)
                key = "attested-with" if step.evidence else "attested-bare"
                lines.append(f"- {self.say(key, step=self._name(plan, step), who=who)}")
                lines += [f"  - {self._quote(one)}" for one in self._quoted(step.evidence)]
        return lines

    def predicted(self) -> list[str]:
        lines: list[str] = []
        for plan in self.story.plans:
            if plan.predicted:
                predicted = ", ".join(f"{code(what)} {count}" for what, count in plan.predicted.items())
                seen = _seen(self.entries, plan) or self.say("not-told")
                lines.append(f"- {self.say('compared', predicted=predicted, seen=seen)}")
        return lines

    def temporary(self) -> list[str]:
        return [
            f"- {self.say('until', step=self._name(plan, step), until=_time(step.temporary_until))}"
            for plan, step in self.steps
            if step.temporary_until
        ]

    def audit(self) -> list[str]:
        entries = self.entries
        kept = {sha256 for one in entries for name, sha256 in details(one).items() if name.startswith("report")}
        lines = [self.say("chain-holds" if self.story.chain_holds else "chain-broken")]
        if entries:
            first, last = entries[0], entries[-1]
            end = code(f"{last.get('seq', '')}:{last.get('mac', '')[:_MAC_SHOWN]}")
            lines.append(self.say("entries", count=len(entries), first=code(first.get("seq", "")), last=end))
        if self.story.report:
            fits = self.story.report_sha256 in kept
            lines.append(self.say("report-fits" if fits else "report-unproven" if not kept else "report-edited"))
        lines.append(text(self._reason("audit-cannot-show", {})))
        return [f"- {one}" for one in lines]

    def say(self, key: str, **values: str | int) -> str:
        return fill(self.words.label(f"postmortem-{key}"), values)

    def _row(self, entry: Record) -> tuple[str, ...]:
        own, step = details(entry), entry.get("step", "")
        plan = next((one for one in self.story.plans if one.id == entry.get("plan")), None)
        name = text(self._title(plan.runbook, step)) if plan and step else text(step)
        why = own.get("why", "")
        values = {**own, "plan": entry.get("plan", ""), "why": self._words(why, inside(own))}
        said = self._reason(own.get("reason") or entry.get("type", ""), values)
        told = text(said) if said else f"{code(entry.get('type', 'unreadable'))} {text(values['why'])}".strip()
        told = self.say("refused", why=told) if entry.get("type") == "refused" else told
        marked = entry.get("type") == "broke-glass"
        return _clock(entry.get("at", "")), code(entry.get("actor", "")), name, f"**{told}**" if marked else told

    def _step(self, plan: Plan, step: PlanStep) -> tuple[str, ...]:
        votes = [
            self.say("denied-by" if not one.approve else "approved-by", who=code(one.actor.id)) for one in step.votes
        ]
        told = [self.say("told-by", who=code(one.id)) for one in step.told_by]
        alone = [f"**{self.say('break-glass')}**"] if step.break_glass else []
        state = self.say(f"state-{step.state.value}")
        return self._name(plan, step), code(str(step.action.target.ref)), state, "; ".join([*alone, *votes, *told])

    def _name(self, plan: Plan, step: PlanStep) -> str:
        return text(self._title(plan.runbook, step.action.step))

    def _title(self, runbook: str, section: str) -> str:
        try:
            return self.title_of(runbook, section)
        except KeyError:
            # A runbook of the operator's may have gone since; the id still says which step it was.
            return section

    def _words(self, why: str, values: Mapping[str, str]) -> str:
        """What stands under `why`: the words of a person or a server, or a reason of the catalogue."""
        return self._reason(why, values) or why

    def _reason(self, key: str, values: Mapping[str, str]) -> str:
        """A reason in words, or an entry that has none by its type; empty if there are no words for it."""
        for look, name in ((self.words.reason, key), (self.words.label, f"postmortem-entry-{key}")):
            with suppress(MissingWords):
                return fill(look(name), values, "…")
        return ""

    def _quoted(self, evidence: tuple[Evidence, ...]) -> tuple[Quoted, ...]:
        return quoted(evidence)[:_QUOTES]

    def _quote(self, one: Quoted) -> str:
        where = " ".join(part for part in (one.source, one.object, one.field) if part)
        seen = one.last_seen or one.first_seen
        by = f" ({self.say('pasted-by', who=code(one.reported_by))})" if one.reported_by else ""
        return f"{code(where)}: {code(one.quote)}{f', {_time(seen)}' if seen else ''}{by}"


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


def _seen(entries: Iterable[Record], plan: Plan) -> str:
    """How many replacements the probe counted when the plan's last step was verified."""
    counted = [
        own["count"]
        for one in entries
        if one.get("plan") == plan.id and one.get("type") == "verified" and "predicted" in (own := details(one))
    ]
    return counted[-1] if counted else ""


def _approvers(step: PlanStep) -> list[str]:
    return [one.actor.id for one in step.votes if one.approve]


def _people(ids: Iterable[str]) -> str:
    return ", ".join(code(one) for one in ids)


def _time(at: datetime | None) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC" if at else ""


def _clock(at: str) -> str:
    try:
        return _time(datetime.fromisoformat(at))
    except ValueError:
        return code(at)
