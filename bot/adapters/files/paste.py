"""Recognises pasted text: which texts of which host it holds, from which boot, and what of it was not understood.

A person pastes what the terminal shows: prompts, tables, journal lines of several units, half a sentence around
them. Nothing is guessed: a line that does not say what it is belongs to the command or the line above, or is returned
as not recognised.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from msgspec import structs

from bot.adapters.files.boots import MARKER, by_boot
from bot.adapters.files.journaljson import short_line
from bot.adapters.files.lines import Line, Role, line_of, output_of
from bot.adapters.files.outputs import node_at, outputs_of
from bot.adapters.files.units import unit_name
from bot.adapters.files.unmangle import unmangled
from bot.app.hosttexts import node_of
from bot.app.ports import Recognised
from bot.model.findings import Reporter
from bot.model.hosttext import HostSource, HostText, Output

#: The unit of a klog line that stands alone: of all that write klog, only the kubelet runs outside a container.
_KLOG_UNIT = "kubelet"
_UNIT_STATES = frozenset({"active", "activating", "deactivating", "inactive", "failed", "reloading"})


class _Place(NamedTuple):
    """Which text of which host a line belongs to; an empty host was not said."""

    host: str
    source: HostSource
    unit: str


def recognise(
    text: str, *, node: str = "", nodes: Collection[str] = (), reporter: Reporter | None = None
) -> Recognised:
    """Take a pasted text apart.

    `node` is the node that is meant where the text names none. With `nodes` (the cluster's) a host is given its
    node's name, a prompt of any other machine (a person's own) says nothing, and the node of another machine's
    journal is unknown.
    """
    reading = _Reading(nodes)
    for line in unmangled(text).splitlines():
        for one in short_line(line).splitlines() or [line]:
            reading.take(one)
    sole = reading.hosts[0] if len(reading.hosts) == 1 else ""
    texts = tuple(reading.texts(default=sole or node, reporter=reporter))
    known = tuple(one for one in texts if one.node and (not nodes or one.node in nodes))
    unknown = tuple(one for one in texts if one not in known)
    return Recognised(texts=known, node_unknown=unknown, unrecognised=tuple(reading.unrecognised))


class PasteRecogniser:
    """`app.ports.Recogniser`; `nodes` tells the names of the cluster's nodes when a paste comes."""

    def __init__(self, nodes: Callable[[], Collection[str]]) -> None:
        self._nodes = nodes

    def recognise(self, text: str, reporter: Reporter) -> Recognised:
        """Take a paste apart, for a diagnosis: what is understood of it counts."""
        return recognise(text, nodes=self._nodes(), reporter=reporter)

    def outputs(self, text: str, reporter: Reporter) -> tuple[Output, ...]:
        """Take a paste apart, to attest a step: every line of it counts."""
        return outputs_of(text, nodes=self._nodes(), reporter=reporter)


class _Reading:
    """The state between two lines."""

    def __init__(self, nodes: Collection[str]) -> None:
        self._nodes = nodes
        self._lines: dict[_Place, list[str]] = {}
        self._above: _Place | None = None
        self._command = Line(role=Role.UNKNOWN)
        self._markers: list[str] = []
        self.hosts: list[str] = []
        self.unrecognised: list[str] = []

    def take(self, text: str) -> None:
        line = line_of(text)
        if line.role is Role.PROMPT:
            self._prompt(text)
        elif line.role is Role.HEAD and not self._command.contained:
            self._head(line, text)
        elif MARKER.match(text.strip()):
            self._boot(text.strip())
        elif line.role is Role.CONTENT and not (self._command.contained and not line.told):
            self._add(self._place(line), text)
        elif line.role is Role.MORE and self._above is not None:
            self._lines[self._above].append(text)
        elif self._is_output(text, line):
            self._add(self._place(self._command), text)
        elif line.role is not Role.FRAME:
            self._above = None
            self.unrecognised.append(text.strip())

    def _prompt(self, text: str) -> None:
        said = output_of(text)
        host = self._name(said.host, prompt=True)
        self._command = structs.replace(said, host=host)
        self._above = None
        self._seen(host)

    def _head(self, line: Line, text: str) -> None:
        """The host stays the one of the command that wrote the head."""
        self._command = structs.replace(line, host=self._command.host)
        self._add(self._place(line), text.strip())

    def _boot(self, marker: str) -> None:
        """A boot ends for every journal of the paste; one that begins later is in the new boot from its start."""
        self._markers.append(marker)
        for place, lines in self._lines.items():
            if place.source is HostSource.JOURNAL:
                lines.append(marker)

    def _is_output(self, text: str, line: Line) -> bool:
        if self._command.source is HostSource.FSTAB:
            return bool(text.strip())
        return self._command.source is HostSource.JOURNAL and (
            text.strip() in _UNIT_STATES and line.role is Role.UNKNOWN
        )

    def _place(self, line: Line) -> _Place:
        source = line.source or HostSource.JOURNAL
        host = self._name(line.host) or self._command.host
        self._seen(host)
        if source is not HostSource.JOURNAL:
            return _Place(host, source, "")
        asked = self._command.unit if self._command.source is HostSource.JOURNAL else ""
        return _Place(host, source, unit_name(line.unit or asked or _KLOG_UNIT))

    def _add(self, place: _Place, text: str) -> None:
        if place not in self._lines:
            self._lines[place] = self._markers[-1:] if place.source is HostSource.JOURNAL else []
        self._lines[place].append(text)
        self._above = place

    def _seen(self, host: str) -> None:
        if host and host not in self.hosts:
            self.hosts.append(host)

    def _name(self, host: str, *, prompt: bool = False) -> str:
        """The node's name of a host."""
        if prompt:
            return node_at(host, self._nodes)
        return node_of(host, self._nodes) if host else ""

    def texts(self, default: str, reporter: Reporter | None) -> Iterator[HostText]:
        merged: dict[_Place, list[str]] = {}
        for place, lines in self._lines.items():
            merged.setdefault(place._replace(host=place.host or default), []).extend(lines)
        for place, lines in merged.items():
            for boot, text in by_boot("\n".join(lines)):
                yield HostText(
                    node=place.host, source=place.source, unit=place.unit, boot=boot, text=text, reporter=reporter
                )
