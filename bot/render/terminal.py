"""A report in the terminal: what not to touch, the root, the chain as a tree, then everything around it.

Short by default; `whole` shows every quote and every explanation. Every word that comes from a cluster is a
`rich.text.Text`, never markup, and its hidden characters are spelled out. Meaning stands in words; colour only helps.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from bot.knowledge.words import Words
from bot.model.diagnosis import Verdict
from bot.model.report import NotSeen, Quoted, Report, Statement
from bot.render.chain import Chain
from bot.render.lines import Lines, facts, hazards
from bot.render.paragraph import Command, Paragraph
from bot.render.quotes import Quotes
from bot.render.together import alike, alike_gaps
from bot.render.visible import visible

_COLOURS = {Verdict.HEALTHY: "green", Verdict.BROKEN: "red", Verdict.UNKNOWN: "yellow"}
_ITEM, _MORE = "• ", "  "


def tree(report: Report, words: Words, *, whole: bool = False) -> RenderableType:
    """The report as something that rich prints, readable in 80 columns and without colour.

    Args:
        report: the answer.
        words: the catalogue of its language.
        whole: every quote, uncut, and every explanation, instead of the most telling.
    """
    return Group(*_Terminal(report, words, whole).parts())


class _Terminal:
    def __init__(self, report: Report, words: Words, whole: bool) -> None:
        self.report = report
        self.whole = whole
        self.lines = Lines(words)
        self.quotes = Quotes(self.lines, whole=whole)
        self.here, self.elsewhere = hazards(report)

    def parts(self) -> list[RenderableType]:
        report = self.report
        here, elsewhere = facts(report)
        parts: list[RenderableType] = [*self._hazards(), self._header()]
        parts += Chain(report, self.lines, self.quotes, whole=self.whole).parts()
        parts += self._section("affected", [_line(self.lines.dated(*many)) for many in alike(report.affected)])
        parts += self._section("facts", self._explained(here))
        parts += self._section("others_acting", self._explained(report.others_acting))
        parts += self._section("ruled_out", self._explained(report.ruled_out, quoted=True))
        parts += self._section("proves_nothing", self._explained(report.proves_nothing, quoted=True))
        parts += self._gaps(report.not_seen)
        parts += self._not_examined(elsewhere)
        parts += (
            [Text(), *(Paragraph(_line(one, "italic")) for one in report.reported_by)] if report.reported_by else []
        )
        return [*parts, *self._next_step()]

    def _hazards(self) -> list[RenderableType]:
        parts: list[RenderableType] = []
        for many in alike(self.here):
            parts.append(Paragraph(_line(self.lines.hazard(*many), "bold red")))
            parts += [Paragraph(_line(why), _MORE)] if (why := self.lines.why(*many)) else []
        return [*parts, Text()] if parts else []

    def _header(self) -> RenderableType:
        report = self.report
        title = Text.assemble(
            (self.lines.verdict(report), f"bold {_COLOURS[report.verdict]}"),
            (f" · {visible(report.cluster)} · {visible(', '.join(report.scope))}", "bold"),
        )
        told = (_line(report.headline), _line(self.lines.at(report), "dim"))
        return Group(Paragraph(title), *(Paragraph(one) for one in told))

    def _section(self, key: str, items: Sequence[RenderableType | Text]) -> list[RenderableType]:
        if not items:
            return []
        heading = _line(self.lines.label(key), "bold")
        return [Text(), Paragraph(heading), *(_item(one) if isinstance(one, Text) else one for one in items)]

    def _explained(self, statements: Iterable[Statement], *, quoted: bool = False) -> list[RenderableType]:
        """Title and sentence in one paragraph, with one short quote where the statement rests on it."""
        parts: list[RenderableType] = []
        for many in alike(statements):
            text = _line(self.lines.said(*many), "bold")
            why = self.lines.why(*many)
            text.append(f". {visible(why)}" if why else "", "not bold")
            evidence = [quote for one in many for quote in one.evidence]
            if quoted and evidence and not self.whole:
                text.append(" ").append_text(self.quotes.short(evidence[0]))
            parts.append(_item(text))
            parts += self._all_quotes(evidence)
        return parts

    def _gaps(self, gaps: Sequence[NotSeen]) -> list[RenderableType]:
        items: list[RenderableType] = []
        for many in alike_gaps(gaps):
            items.append(_item(_line(self.lines.gap(*many))))
            if many[0].command:
                items.append(Command(visible(many[0].command), "    ", visible(self.lines.likewise(*many[1:]))))
        return self._section("not_seen", items)

    def _not_examined(self, circumstances: Iterable[Statement]) -> list[RenderableType]:
        """Other objects in trouble, each kind of trouble once, and what else is known of them."""
        items: list[RenderableType] = []
        for many in alike(self.report.not_examined):
            items.append(_item(_line(self.lines.dated(*many))))
            items += self._all_quotes([quote for one in many for quote in one.evidence])
        items += [_item(_line(self.lines.hazard(*many), "red")) for many in alike(self.elsewhere)]
        items += [_item(_line(self.lines.said(*many))) for many in alike(circumstances)]
        return self._section("not_examined", items)

    def _all_quotes(self, evidence: Sequence[Quoted]) -> list[RenderableType]:
        return [Paragraph(one, "    ", "      ") for one in self.quotes.of(evidence, "")] if self.whole else []

    def _next_step(self) -> list[RenderableType]:
        if not self.report.next_step:
            return []
        if runbook := self.lines.next_runbook(self.report):
            return [Text(), Paragraph(_line(runbook, "bold"))]
        heading = _line(self.lines.label("next_command"), "bold")
        return [Text(), Paragraph(heading), Command(visible(self.report.next_step), "    ")]


def _line(text: str, style: str = "") -> Text:
    return Text(visible(text), style)


def _item(text: Text) -> Paragraph:
    return Paragraph(text, _ITEM, _MORE)
