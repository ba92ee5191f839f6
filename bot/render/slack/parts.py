"""The parts that Slack messages are made of: one report's statements, links and gaps in short lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import structs

from bot.knowledge.words import Words
from bot.model.message import Block
from bot.model.report import NotSeen, Quoted, Report, RootStatement, Statement
from bot.render.command import command_lines
from bot.render.lines import Lines, downwards, facts, hazards
from bot.render.slack.pen import Pen
from bot.render.slack.sheet import Sheet, context, section
from bot.render.telling import brief, is_time, telling
from bot.render.together import alike, alike_gaps

#: Phones show about this many characters of a code block's line.
COMMAND_WIDTH = 58
#: Characters of a quote below a line of the chain, and beside a statement.
_QUOTE, _SHORT = 180, 44
#: A person of this workspace as the desk names whoever pasted; anything else is only text.
_PERSON = re.compile(r"<@[UW][A-Z0-9]{2,}>")
_HERE = "\ue000"

Item = Sequence[Block]


class Parts:
    """The words and the pen for one report; `about` is its object where no root tells one, else what was asked."""

    def __init__(self, report: Report, words: Words, about: str = "") -> None:
        self.report = report
        self._about = about or ", ".join(report.scope)
        self.lines = Lines(words)
        whole = " ".join(("gpu-autopsy diagnose", *(one for one in report.scope[:1] if one != "cluster")))
        self._whole = whole[:120]
        self.pen = Pen(self.lines.label("cut_text", whole=self._whole))
        self._here, self._elsewhere = hazards(report)
        self._known = {(one.code, one.subject): one for one in report.findings}

    def sheet(self, kept: int = 0) -> Sheet:
        """An empty message of this report, with blocks kept free for what comes after."""
        return Sheet(lambda count: self.pen.prose(self.lines.label("cut", count=count, whole=self._whole)), kept)

    def about(self) -> str:
        """The object that the message is about: where the trouble begins, else what was said or asked."""
        return self.report.roots[0].subject if self.report.roots else self._about

    def urgent(self) -> str:
        """What a lock screen has to say first: the hazard, else the headline."""
        return self.lines.hazard(*alike(self._here)[0]) if self._here else self.report.headline

    def title(self, state: str, cluster: str) -> Block:
        """State, cluster, object."""
        written = f"{self.pen.bold(state)} · {self.pen.prose(cluster)} · {self.pen.prose(self.about())}"
        return section(written)

    def heading(self, key: str) -> str:
        """The heading of a list; some need none."""
        return self.pen.bold(self.lines.label(key)) if key else ""

    def first_hazard(self) -> Item:
        """What people would do by reflex, and why not."""
        if not self._here:
            return []
        first = alike(self._here)[0]
        return [section(self.pen.bold(self.lines.hazard(*first)), self.pen.prose(self.lines.why(*first)))]

    def other_hazards(self) -> list[str]:
        """What else not to touch here, a line each."""
        return [self.pen.bold(self.lines.hazard(*many)) for many in alike(self._here)[1:]]

    def root(self, root: RootStatement, *, source: bool = True) -> str:
        """The root, since when (and what says so), and whether its cause was seen."""
        title = self.pen.bold(f"{self.lines.root_heading(root)}: {self.lines.said(root)}")
        unseen = "" if root.cause_seen else f" · {self.pen.bold(self.lines.label('cause_not_seen'))}"
        since = self.pen.prose(self.lines.root_since(root, source=source))
        return f"{title} {self.lines.certainty(root.certainty)}{unseen}\n{since}"

    def witnessed(self, root: RootStatement) -> str:
        """The root with its most telling quote; a time says no more than since when it is so."""
        quotes = [one for one in root.evidence if not is_time(one)]
        return self._quoted(self.root(root, source=False), quotes, set())

    def next_step(self) -> Item:
        """The one command or runbook."""
        step = self.report.next_step
        if runbook := self.lines.next_runbook(self.report):
            return [section(self.pen.bold(runbook))]
        heading = self.pen.bold(self.lines.label("next_command"))
        return [section(heading, self.command(step))] if step else []

    def command(self, command: str) -> str:
        """A command in a code block of its own, in lines that a phone shows."""
        return self.pen.code("\n".join(command_lines(command, COMMAND_WIDTH)), 2_000)

    def titles(self, statements: Iterable[Statement]) -> list[str]:
        """What is so since when, a line each."""
        return [f"• {self.pen.prose(self.lines.dated(*many), 400)}" for many in alike(statements)]

    def explained(self, statements: Iterable[Statement], *, quoted: bool = False) -> list[str]:
        """Title, sentence and, where the statement rests on it, one short quote."""
        told = []
        for many in alike(statements):
            why = self.lines.why(*many)
            text = f"• {self.pen.bold(self.lines.said(*many))}" + (f". {self.pen.prose(why)}" if why else "")
            evidence = many[0].evidence[:1] if quoted else ()
            quotes = (self.pen.prose(f" ({self.lines.place(one)} «{brief(one, _SHORT)}»)") for one in evidence)
            told.append("".join((text, *quotes)))
        return told

    def not_examined(self) -> list[str]:
        """Other objects in trouble, what not to touch on them, and what else is known of them."""
        told = [f"• {self.pen.bold(self.lines.hazard(*many))}" for many in alike(self._elsewhere)]
        return [*self.titles(self.report.not_examined), *told, *self.titles(facts(self.report)[1])]

    def facts(self) -> list[Statement]:
        """Circumstances of the leading chains."""
        return facts(self.report)[0]

    def chain(self) -> list[str]:
        """The roots, then link by link, each in a line with one quote."""
        shown: set[Quoted] = set()
        told = [self._quoted(self.root(one), one.evidence, shown) for one in self.report.roots]
        above = ""
        arrows: dict[tuple[str, str], str] = {}
        effects: list[Statement] = []
        for link in downwards(self.report):
            key = (link.effect, link.effect_subject)
            effect = self._known.get(key)
            if effect is not None and key not in arrows:
                arrow = "↓" if above in ("", f"{link.cause} {link.cause_subject}") else "↳"
                effects.append(effect)
                arrows[key] = f"{arrow} {self.lines.certainty(link.certainty)} "
                above = f"{link.effect} {link.effect_subject}"
        for many in alike(effects):
            text = arrows[many[0].code, many[0].subject] + self.pen.bold(self.lines.dated(*many))
            told.append(self._quoted(text, [quote for one in many for quote in one.evidence], shown))
        return told

    def down(self) -> list[str]:
        """The first that people miss, and how many more."""
        told = self.titles(self.report.affected)
        return [self.lines.and_more(told[0], len(self.report.affected) - 1)] if len(told) > 1 else told

    def all_evidence(self) -> Item:
        """Where all the quotes are."""
        return [context(self.pen.prose(self.lines.label("all_evidence", whole=f"{self._whole} --all")))]

    def gaps(self, gaps: Iterable[NotSeen]) -> list[str]:
        """What was not seen, each with the command that settles it."""
        told = []
        for many in alike_gaps(gaps):
            text = f"• {self.pen.prose(self.lines.gap(*many), 800)}"
            others = self.pen.prose(self.lines.likewise(*many[1:]))
            text += f" ({others})" if others else ""
            told.append(f"{text}\n{self.command(many[0].command)}" if many[0].command else text)
        return told

    def reporters(self) -> list[Item]:
        """Who pasted what the answer rests on."""
        pasted = {(one.source, one.object, one.reported_by): None for one in self._chain_quotes() if one.reported_by}
        return [
            [context(self._with_person("pasted_by", who, source=source, object=about))] for source, about, who in pasted
        ]

    def _chain_quotes(self) -> Iterable[Quoted]:
        for root in self.report.roots:
            yield from root.evidence
        for link in self.report.chain:
            yield from link.evidence

    def _with_person(self, key: str, who: str, **values: str) -> str:
        """A text with a person in it: mentioned where it is a member of Slack, else only text."""
        parts = self.lines.label(key, reporter=_HERE, **values).split(_HERE)
        person = who if _PERSON.fullmatch(who) else self.pen.prose(who)
        return person.join(self.pen.prose(part) if part.strip() else part for part in parts)

    def _quoted(self, text: str, evidence: Sequence[Quoted], shown: set[Quoted]) -> str:
        """The text, the most telling quote that was not shown yet, and where it stands."""
        fresh = telling(evidence, shown, text)[0][:1]
        shown.update(fresh)
        for one in fresh:
            witness = self.lines.witness(structs.replace(one, reported_as=None), timed=not is_time(one))
            origin = self.pen.prose(self.lines.origin(one) + (f" ({witness})" if witness else ""))
            pasted = f" · {self._with_person('pasted_short', one.reported_by)}" if one.reported_by else ""
            quote = f"\n{self.pen.code(brief(one, _QUOTE))}" if one.quote else ""
            return f"{text}\n{origin}{pasted}{quote}"
        return text
