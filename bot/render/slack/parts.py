"""The parts that Slack messages are made of: one report's statements, links and gaps as blocks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import structs

from bot.knowledge.words import Words
from bot.model.message import Block
from bot.model.report import ChainLink, NotSeen, Quoted, Report, RootStatement, Statement
from bot.render.command import command_lines
from bot.render.lines import Lines, gap, named, said
from bot.render.slack.pen import Pen
from bot.render.slack.sheet import Sheet, context, section

#: Phones show about this many characters of a code block's line.
COMMAND_WIDTH = 58
#: Quotes of one statement that are shown; the terminal and the JSON have them all.
_QUOTES = 2

Item = Sequence[Block]


class Parts:
    """The words and the pen for one report."""

    def __init__(self, report: Report, words: Words) -> None:
        self.report = report
        self.lines = Lines(words)
        whole = " ".join(("gpu-autopsy diagnose", *(one for one in report.scope[:1] if one != "cluster")))
        self._whole = whole
        self.pen = Pen(self.lines.label("cut_text", whole=whole[:120]))
        self._here, self._elsewhere = self.lines.hazards(report)
        self._known = {(one.code, one.subject): one for one in report.findings}

    def sheet(self, kept: int = 0) -> Sheet:
        """An empty message of this report, with blocks kept free for what comes after."""
        return Sheet(lambda count: self.pen.prose(self.lines.label("cut", count=count, whole=self._whole)), kept)

    def about(self) -> str:
        """The object that the message is about: where the trouble begins, else what was asked."""
        return self.report.roots[0].subject if self.report.roots else ", ".join(self.report.scope)

    def urgent(self) -> str:
        """What a lock screen has to say first: the hazard, else the headline."""
        return self.lines.hazard(self._here[0]) if self._here else self.report.headline

    def title(self, state: str, cluster: str) -> Block:
        """State, cluster, object."""
        written = f"{self.pen.bold(state)} · {self.pen.prose(cluster)} · {self.pen.prose(self.about())}"
        return section(written)

    def heading(self, key: str) -> Block:
        """The heading of a list."""
        return section(self.pen.bold(self.lines.label(key)))

    def hazards(self) -> list[Item]:
        """What not to touch here, each in a paragraph of its own."""
        return [[section(self.pen.bold(self.lines.hazard(one)), self.pen.prose(one.why))] for one in self._here]

    def root(self, root: RootStatement) -> Item:
        """The root, since when, and whether its cause was seen."""
        unseen = "" if root.cause_seen else self.pen.bold(self.lines.label("cause_not_seen"))
        title = self.pen.bold(f"{self.lines.root_heading(root)}: {said(root)}")
        mark = self.lines.certainty(root.certainty)
        since = self.pen.prose(self.lines.root_since(root))
        return [section(f"{title} {mark}", self.pen.prose(root.why), since, unseen)]

    def next_step(self) -> Item:
        """The one command or runbook."""
        step = self.report.next_step
        return [section(self.pen.bold(self.lines.next_heading(self.report))), self.command(step)] if step else []

    def command(self, command: str) -> Block:
        """A command in a code block of its own, in lines that a phone shows."""
        return section(self.pen.code("\n".join(command_lines(command, COMMAND_WIDTH)), 2_800))

    def statement(self, one: Statement, *, quotes: bool = True) -> Item:
        """A statement with its sentence, its time and its evidence."""
        head = section(self.pen.bold(said(one)), self.pen.prose(one.why), self.pen.prose(self.lines.since(one)))
        return [head, *(self._quotes(one.evidence) if quotes else ())]

    def statements(self, many: Iterable[Statement], *, quotes: bool = True) -> list[Item]:
        """A list of them."""
        return [self.statement(one, quotes=quotes) for one in many]

    def titles(self, key: str, many: Sequence[Statement]) -> Item:
        """A list of titles under its heading, in one paragraph."""
        lines = (f"• {self.pen.prose(said(one), 400)}" for one in many)
        return [section(self.pen.bold(self.lines.label(key)), *lines)] if many else []

    def not_examined(self) -> list[Item]:
        """Other objects in trouble, and what not to touch on them."""
        short = [structs.replace(one, why="") for one in self.report.not_examined]
        return [*self.statements(short, quotes=False), *self._hazards_elsewhere()]

    def chain(self) -> list[Item]:
        """The roots with their evidence, then link by link, each with the evidence of its effect."""
        items: list[Item] = [[*self.root(one), *self._quotes(one.evidence)] for one in self.report.roots]
        told: set[tuple[str, str]] = set()
        for link in self.report.chain:
            effect = (link.effect, link.effect_subject)
            items.append(self._link(link, again=effect in told))
            told.add(effect)
        return items

    def gaps(self, gaps: Iterable[NotSeen]) -> list[Item]:
        """What was not seen, each with the command that settles it."""
        return [
            [section(self.pen.prose(gap(one), 1_500)), *([self.command(one.command)] if one.command else ())]
            for one in gaps
        ]

    def reporters(self) -> list[Item]:
        """Who pasted what the answer rests on."""
        return [[context(self.pen.prose(one))] for one in self.report.reported_by]

    def _hazards_elsewhere(self) -> list[Item]:
        return [[section(self.pen.bold(self.lines.hazard(one)))] for one in self._elsewhere]

    def _link(self, link: ChainLink, *, again: bool) -> Item:
        why = f"↓ {self.lines.certainty(link.certainty)} {self.pen.prose(link.why)}"
        effect = self._known.get((link.effect, link.effect_subject))
        title = self.pen.bold(named(link.effect_title, link.effect_subject))
        if again or effect is None:
            return [section(why, f"{title} ({self.pen.prose(self.lines.label('shown_above'))})" if again else title)]
        told = section(why, title, self.pen.prose(effect.why), self.pen.prose(self.lines.since(effect)))
        return [told, *self._quotes(effect.evidence)]

    def _quotes(self, evidence: Sequence[Quoted]) -> Item:
        blocks = []
        for one in evidence[:_QUOTES]:
            witness = self.lines.witness(one)
            origin = self.lines.origin(one) + (f" ({witness})" if witness else "")
            blocks.append(section(self.pen.prose(origin), self.pen.code(one.quote) if one.quote else ""))
        if len(evidence) > _QUOTES:
            left = len(evidence) - _QUOTES
            blocks.append(context(self.pen.prose(self.lines.label("cut", count=left, whole=self._whole))))
        return blocks
