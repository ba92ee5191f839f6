"""A report in the terminal: what not to touch, the root, the chain as a tree, then everything around it.

Every word that comes from a cluster is a `rich.text.Text`, never markup, and its hidden characters are spelled out.
Meaning stands in words; colour only helps.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import structs
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text
from rich.tree import Tree

from bot.knowledge.words import Words
from bot.model.diagnosis import Verdict
from bot.model.findings import Kind
from bot.model.report import ChainLink, NotSeen, Quoted, Report, RootStatement, Statement
from bot.render.command import command_lines
from bot.render.lines import Lines, gap, named, said
from bot.render.visible import visible

#: Commands are broken by us before the terminal would fold them, so that they can be copied.
_COMMAND_WIDTH = 74
_COLOURS = {Verdict.HEALTHY: "green", Verdict.BROKEN: "red", Verdict.UNKNOWN: "yellow"}


def tree(report: Report, words: Words) -> RenderableType:
    """The whole report as something that rich prints, readable in 80 columns and without colour."""
    return _Terminal(report, words).whole()


class _Terminal:
    def __init__(self, report: Report, words: Words) -> None:
        self.report = report
        self.lines = Lines(words)
        self.by_cause: dict[tuple[str, str], list[ChainLink]] = {}
        for link in report.chain:
            self.by_cause.setdefault((link.cause, link.cause_subject), []).append(link)
        self.known = {(one.code, one.subject): one for one in report.findings}
        self.shown: set[tuple[str, str]] = set()
        self.here, self.elsewhere = self.lines.hazards(report)

    def whole(self) -> RenderableType:
        report = self.report
        parts: list[RenderableType] = [*self._hazards(), self._header()]
        parts += [self._root(root) for root in report.roots]
        sections: Iterable[tuple[str, Sequence[Statement]]] = (
            ("affected", report.affected),
            ("facts", report.facts),
            ("others_acting", report.others_acting),
            ("ruled_out", report.ruled_out),
            ("proves_nothing", report.proves_nothing),
        )
        for key, statements in sections:
            parts += self._section(key, statements)
        parts += self._gaps(report.not_seen)
        parts += self._section("not_examined", [structs.replace(one, why="") for one in report.not_examined])
        parts += [_indented(_line(self.lines.hazard(one), "red"), 2) for one in self.elsewhere]
        parts += [Text(), *(_line(one, "italic") for one in report.reported_by)] if report.reported_by else []
        if report.next_step:
            parts += [Text(), _line(self.lines.next_heading(report), "bold"), _command(report.next_step)]
        return Group(*parts)

    def _hazards(self) -> list[RenderableType]:
        hazards: list[RenderableType] = []
        for one in self.here:
            hazards.append(_line(self.lines.hazard(one), "bold red"))
            hazards += [_indented(_line(one.why), 2)] if one.why else []
        return [*hazards, Text()] if hazards else []

    def _header(self) -> Text:
        report = self.report
        header = Text.assemble(
            (self.lines.verdict(report), f"bold {_COLOURS[report.verdict]}"),
            (f" · {visible(report.cluster)} · {visible(', '.join(report.scope))}", "bold"),
        )
        header.append(f"\n{visible(report.headline)}\n{self.lines.at(report)}", "")
        return header

    def _root(self, root: RootStatement) -> RenderableType:
        label = Text.assemble((f"{self.lines.root_heading(root)}: ", "bold"))
        label.append_text(self._statement(root, self.lines.root_since(root)))
        if not root.cause_seen:
            label.append(f"\n{self.lines.label('cause_not_seen')}", "bold yellow")
        branch = Tree(label)
        self._evidence(branch, root.evidence)
        self._grow(branch, (root.code, root.subject))
        return Group(Text(), branch)

    def _grow(self, branch: Tree, cause: tuple[str, str]) -> None:
        """Hang the effects below their cause; what two causes share is told once."""
        pending = [(branch, cause)]
        while pending:
            parent, key = pending.pop(0)
            for link in self.by_cause.get(key, ()):
                effect = (link.effect, link.effect_subject)
                again = effect in self.shown
                child = parent.add(self._link(link, again))
                if not again:
                    self.shown.add(effect)
                    one = self.known.get(effect)
                    self._evidence(child, one.evidence if one else ())
                    pending.append((child, effect))

    def _link(self, link: ChainLink, again: bool) -> Text:
        text = Text(f"{self.lines.certainty(link.certainty)} {visible(link.why)}".strip(), "italic")
        text.append("\n")
        one = self.known.get((link.effect, link.effect_subject))
        if again or one is None:
            text.append(visible(named(link.effect_title, link.effect_subject)), "bold")
            return text.append(f" ({self.lines.label('shown_above')})") if again else text
        return text.append_text(self._statement(one, self.lines.since(one)))

    def _statement(self, one: Statement, since: str) -> Text:
        text = Text(visible(said(one)), "bold")
        if one.kind is Kind.FAULT:
            text.append(f" {self.lines.certainty(one.certainty)}", "not bold")
        for more in (one.why, since):
            text.append(f"\n{visible(more)}" if more else "", "")
        return text

    def _evidence(self, branch: Tree, evidence: Iterable[Quoted]) -> None:
        for one in evidence:
            text = Text(f"{visible(self.lines.origin(one))}: ", "dim")
            text.append(f"«{visible(one.quote)}»", "cyan")
            witness = self.lines.witness(one)
            branch.add(text.append(f" ({visible(witness)})" if witness else "", "dim"))

    def _section(self, key: str, statements: Sequence[Statement]) -> list[RenderableType]:
        if not statements:
            return []
        parts: list[RenderableType] = [Text(), _line(self.lines.label(key), "bold")]
        for one in statements:
            told = (one.code, one.subject) in self.shown  # by the chain, in full
            short = structs.replace(one, why="", evidence=()) if told else one
            branch = Tree(self._statement(short, self.lines.since(short)))
            self._evidence(branch, short.evidence)
            parts.append(_indented(branch, 2))
        return parts

    def _gaps(self, gaps: Sequence[NotSeen]) -> list[RenderableType]:
        if not gaps:
            return []
        parts: list[RenderableType] = [Text(), _line(self.lines.label("not_seen"), "bold")]
        for one in gaps:
            parts.append(_indented(_line(gap(one)), 2))
            if one.command:
                parts.append(_command(one.command))
        return parts


def _line(text: str, style: str = "") -> Text:
    return Text(visible(text), style)


def _command(command: str) -> Padding:
    return _indented(Text("\n".join(command_lines(visible(command), _COMMAND_WIDTH)), "cyan"), 4)


def _indented(what: RenderableType, by: int) -> Padding:
    return Padding(what, (0, 0, 0, by), expand=False)
