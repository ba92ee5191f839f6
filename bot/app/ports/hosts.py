"""What only the hosts know: their texts, and what tells them apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from bot.model.findings import Reporter
from bot.model.hosttext import HostText, Output


class HostTexts(Protocol):
    """What only the hosts know: pasted, dropped as a file, part of a dump."""

    def texts(self, nodes: Sequence[str] | None = None) -> tuple[HostText, ...]:
        """The texts that are there for these nodes; all of them for None."""
        ...


class PasteStore(HostTexts, Protocol):
    """Pastes, kept for a while."""

    def add(self, text: HostText) -> None:
        """Keep a text until it expires."""
        ...

    def forget(self, node: str) -> None:
        """Drop every text of this node."""
        ...


class Recognised(msgspec.Struct, frozen=True, kw_only=True):
    """What a paste turned out to be: host texts with their node, such that name none, and the rest, line by line."""

    texts: tuple[HostText, ...] = ()
    node_unknown: tuple[HostText, ...] = ()
    unrecognised: tuple[str, ...] = ()


class Recogniser(Protocol):
    """Tells journals, kernel logs, `/proc/swaps` and chatter apart."""

    def recognise(self, text: str, reporter: Reporter) -> Recognised:
        """Take a paste apart; every host text carries the reporter."""
        ...

    def outputs(self, text: str, reporter: Reporter) -> tuple[Output, ...]:
        """Take a paste apart without dropping a line, for whoever must know that all of it was understood."""
        ...
