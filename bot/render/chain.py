"""The chain in the terminal: a tree whose branches run from each root to what hangs on it."""

from __future__ import annotations

from rich.console import RenderableType
from rich.text import Text

from bot.model.diagnosis import Certainty
from bot.model.report import ChainLink, Report, RootStatement, Statement
from bot.render.lines import Lines
from bot.render.paragraph import Paragraph
from bot.render.quotes import Quotes
from bot.render.together import alike
from bot.render.visible import visible

Key = tuple[str, str]


class Chain:
    """Draws one report's chains; what two causes share is told once."""

    def __init__(self, report: Report, lines: Lines, quotes: Quotes, *, whole: bool) -> None:
        self._roots = report.roots
        self._lines = lines
        self._quotes = quotes
        self._whole = whole
        self._by_cause: dict[Key, list[ChainLink]] = {}
        for link in report.chain:
            self._by_cause.setdefault((link.cause, link.cause_subject), []).append(link)
        self._known = {(one.code, one.subject): one for one in report.findings}
        self._shown: set[Key] = set()

    def parts(self) -> list[RenderableType]:
        """Every root with its tree, an empty line before each."""
        return [part for root in self._roots for part in (Text(), *self._root(root))]

    def _root(self, root: RootStatement) -> list[RenderableType]:
        title = Text.assemble((f"{self._lines.root_heading(root)}: ", "bold"))
        title.append(visible(self._lines.said(root)), "bold").append(f" {self._lines.certainty(root.certainty)}")
        if not root.cause_seen:
            title.append(f" · {self._lines.label('cause_not_seen')}", "bold yellow")
        told = [Text(visible(root.why))] if root.why else []
        told.append(Text(visible(self._lines.root_since(root)), "dim"))
        return [
            Paragraph(title),
            *self._below((root.code, root.subject), told, self._quotes.of(root.evidence, root.title), ""),
        ]

    def _below(self, key: Key, told: list[Text], quotes: list[Text], margin: str) -> list[RenderableType]:
        """What is told of one finding, then its effects as branches."""
        branches = self._branches(key)
        body = margin + ("│  " if branches else "   ")
        parts: list[RenderableType] = [Paragraph(one, body) for one in told]
        parts += [Paragraph(one, body, body + "  ") for one in quotes]
        for place, links in enumerate(branches):
            last = place == len(branches) - 1
            parts += self._branch(links, margin + ("└─ " if last else "├─ "), margin + ("   " if last else "│  "))
        return parts

    def _branches(self, cause: Key) -> list[list[ChainLink]]:
        """The links from a cause; leaves that say the same are one branch."""
        links = self._by_cause.get(cause, [])
        leaves = {
            _effect(link): link
            for link in links
            if _effect(link) in self._known and _effect(link) not in self._by_cause
        }
        fresh = {key: link for key, link in leaves.items() if key not in self._shown}
        groups = [[fresh[one.code, one.subject] for one in many] for many in alike(self._known[key] for key in fresh)]
        first = {id(group[0]): group for group in groups}
        inner = {id(link) for group in groups for link in group[1:]}
        return [first.get(id(link), [link]) for link in links if id(link) not in inner]

    def _branch(self, links: list[ChainLink], first: str, rest: str) -> list[RenderableType]:
        link, key = links[0], _effect(links[0])
        many = [self._known[_effect(one)] for one in links if _effect(one) in self._known]
        if key in self._shown:
            title = Text(visible(self._lines.said(*many) if many else link.effect_title), "bold")
            title.append(f" ({self._lines.label('shown_above')})", "not bold")
            return [Paragraph(title, first, rest)]
        title = Text(visible(self._lines.dated(*many) if many else link.effect_title), "bold")
        self._shown.update(_effect(one) for one in links)
        if many and many[0].certainty is Certainty.INFERRED:
            title.append(f" {self._lines.certainty(Certainty.INFERRED)}", "not bold")
        told = self._told(link, many)
        evidence = [quote for one in many for quote in one.evidence]
        quotes = self._quotes.of(evidence, link.effect_title, many[0].since if len(many) == 1 else None)
        return [Paragraph(title, first, rest), *self._below(key, told, quotes, rest)]

    def _told(self, link: ChainLink, many: list[Statement]) -> list[Text]:
        """Why the cause leads here; what else is known of the effect only where there is no such sentence, or all."""
        told = [Text(f"{self._lines.certainty(link.certainty)} {visible(link.why)}".rstrip(), "italic")]
        if many and (self._whole or not link.why):
            more = (self._lines.why(*many), self._lines.since(*many) if self._whole else "")
            told += [Text(visible(one)) for one in more if one]
        return told


def _effect(link: ChainLink) -> Key:
    return link.effect, link.effect_subject
