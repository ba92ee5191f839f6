"""Follows whose shell shows the prompts of a pasted terminal: people pass from machine to machine, and into containers.

A prompt that names no host is of the shell above it. What cannot be followed ends up under a name that is no node.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from bot.adapters.files.lines import Line, entered, is_nameless, line_of
from bot.app.hosttexts import node_of

#: The machine on which a command for another one was given, where nothing names it.
LOCAL = "localhost"
#: A shell inside a container: what it shows need not be the host's.
CONTAINER = "container"
#: A debugging pod has the host's files there (`oc debug node/NAME`, `kubectl debug node/NAME`).
_TO_HOST = re.compile(r"^(?:sudo )?chroot /host\b")
_LEAVES = re.compile(r"^(?:exit|logout)\b")


class _Shell(NamedTuple):
    """A shell by the name of its node or machine; empty where nothing names it.

    `host` is what `chroot /host` leads to, None where it leads nowhere; `is_host` says that it has.
    """

    name: str = ""
    host: str | None = None
    is_host: bool = False


_BARE = _Shell()


class Shells:
    """The shells of one paste, one inside the other; `nodes` are the cluster's, none where they are not known."""

    def __init__(self, nodes: Collection[str]) -> None:
        self._nodes = nodes
        self._inside = [_BARE]
        self._was_left = False

    def at(self, prompt: str, said: Line) -> str:
        """Whose the output of the command at this prompt is: a node, a machine, or empty where nothing says."""
        here = self._here(prompt)
        away = said.host != line_of(prompt).host
        self._was_left |= away and here == _BARE
        self._follow(here, said.command.strip())
        return self._name(said.host) if away and said.host else here.name

    def of_bare(self) -> str:
        """Whose the outputs are that nothing names: not those of the machine that was reached from there."""
        return LOCAL if self._was_left else ""

    def _here(self, prompt: str) -> _Shell:
        own = line_of(prompt).host
        if own:
            self._inside[-1] = _Shell(self._name(own))
        elif is_nameless(prompt) and self._inside[-1] == _BARE:
            # What a container shows, and a host behind `chroot /host`, and nothing tells the two apart.
            self._inside[-1] = _Shell(CONTAINER, host="")
        return self._inside[-1]

    def _follow(self, here: _Shell, command: str) -> None:
        """Where the next prompt stands."""
        into = entered(command)
        if into is not None:
            self._was_left |= here == _BARE
            name = self._name(into.host) if into.host else ""
            self._inside.append(_Shell(CONTAINER, name or None) if into.contained else _Shell(name))
        elif _TO_HOST.match(command) and here.host is not None:
            self._inside[-1] = _Shell(here.host, is_host=True)
        elif _LEAVES.match(command):
            self._leave(here)

    def _leave(self, here: _Shell) -> None:
        if len(self._inside) > 1:
            self._inside.pop()
        elif here.is_host or here.name == CONTAINER:
            self._inside[-1] = _Shell(LOCAL)

    def _name(self, host: str) -> str:
        """The node's name; the host's own where it is none, or is called alike in another domain."""
        name = node_of(host, self._nodes)
        return host if name != host and "." in host and "." in name else name
