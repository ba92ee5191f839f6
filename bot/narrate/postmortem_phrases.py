"""How the post-mortem tells one thing: an entry of the audit, a step, a quotation, a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial

from bot.knowledge.blanks import fill
from bot.knowledge.words import MissingWords, Words
from bot.model.report import Quoted
from bot.narrate.markdown import code, text
from bot.narrate.reasons import Values, in_words, line_in_words, with_root, with_titles
from bot.remedy.audit import Record, details
from bot.remedy.plan import Plan, PlanStep
from bot.remedy.rules import inside


class StoryPhrases:
    """The words of one language for the plans of one incident.

    Args:
        words: the catalogue; names and quotes are never translated.
        plans: the incident's plans.
        title: the heading of a step or an option in a runbook, by the runbook's name and the id; may raise KeyError.
    """

    def __init__(self, words: Words, plans: Sequence[Plan], title: Callable[[str, str], str]) -> None:
        self._words = words
        self._plans = plans
        self._title_of = title

    def label(self, key: str, **values: str | int) -> str:
        """A fixed text with its blanks filled."""
        return fill(self._words.label(f"postmortem-{key}"), values)

    def entry(self, entry: Record) -> tuple[str, ...]:
        """A row of the timeline: when, who, which step, what."""
        own, step = details(entry), entry.get("step", "")
        plan = next((one for one in self._plans if one.id == entry.get("plan")), None)
        name = text(self.title(plan.runbook, step)) if plan and step else text(step)
        given = {**own, "plan": entry.get("plan", "")}
        values = with_titles(given, partial(self.title, plan.runbook)) if plan else given
        values = with_root(self._words, values, plan.subject) if plan else values
        said = self.reason(own.get("reason") or entry.get("type", ""), values)
        told = text(said) if said else f"{code(entry.get('type', 'unreadable'))} {text(own.get('why', ''))}".strip()
        told = self.label("refused", why=told) if entry.get("type") == "refused" else told
        marked = entry.get("type") == "broke-glass"
        return _clock(entry.get("at", "")), code(entry.get("actor", "")), name, f"**{told}**" if marked else told

    def step(self, plan: Plan, step: PlanStep) -> tuple[str, ...]:
        """A row of the decisions: step, object, state, who decided."""
        votes = [
            self.label("denied-by" if not one.approve else "approved-by", who=code(one.actor.id)) for one in step.votes
        ]
        told = [self.label("told-by", who=code(one.id)) for one in step.told_by]
        alone = [f"**{self.label('break-glass')}**"] if step.break_glass else []
        state = self.label(f"state-{step.state.value}")
        return self.name(plan, step), code(str(step.action.target.ref)), state, "; ".join([*alone, *votes, *told])

    def name(self, plan: Plan, step: PlanStep) -> str:
        """What the runbook calls the step."""
        return text(self.title(plan.runbook, step.action.step))

    def title(self, runbook: str, section: str) -> str:
        """What the runbook calls a step or an option."""
        try:
            return self._title_of(runbook, section)
        except KeyError:
            # A runbook of the operator's may have gone since; the id still says which step it was.
            return section

    def reason(self, key: str, values: Values) -> str:
        """A reason in words, or an entry that has none by its type; empty if there are no words for it."""
        with suppress(MissingWords):
            return in_words(self._words, key, values)
        with suppress(MissingWords):
            why = line_in_words(self._words, str(values.get("why", "")), inside(values))
            return fill(self._words.label(f"postmortem-entry-{key}"), {**values, "why": why}, "…")
        return ""

    def quote(self, one: Quoted) -> str:
        """A quotation with its place, its time and who pasted it."""
        where = " ".join(part for part in (one.source, one.object, one.field) if part)
        seen = one.last_seen or one.first_seen
        by = f" ({self.label('pasted-by', who=code(one.reported_by))})" if one.reported_by else ""
        return f"{code(where)}: {code(one.quote)}{f', {moment(seen)}' if seen else ''}{by}"


def people(ids: Iterable[str]) -> str:
    """Their ids, as code."""
    return ", ".join(code(one) for one in ids)


def moment(at: datetime | None) -> str:
    """A time in UTC to the second, empty where there is none."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC" if at else ""


def _clock(at: str) -> str:
    try:
        return moment(datetime.fromisoformat(at))
    except ValueError:
        return code(at)
