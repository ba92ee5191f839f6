"""Which texts of hosts count: those of this boot, under the name that the cluster gives the node."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import msgspec

from bot.model.hosttext import ENDED_BOOT, HostText


def current(texts: Iterable[HostText], nodes: Collection[str]) -> tuple[HostText, ...]:
    """The texts as evidence about these nodes.

    A host writes its own name into its journal, which may be the node's name up to the first dot. Where the texts
    of one source tell boots apart, only the newest one (the last in order) is about the state that the host is in.
    """
    named = [msgspec.structs.replace(text, node=node_of(text.node, nodes)) for text in texts]
    boot = {(text.node, text.label): text.boot for text in named if text.boot not in ("", ENDED_BOOT)}
    return tuple(text for text in named if text.boot in ("", boot.get((text.node, text.label))))


def node_of(host: str, nodes: Collection[str]) -> str:
    """The node that a host is, by the host's own name; the name itself where no node, or more than one, is like it."""
    if host in nodes:
        return host
    alike = [name for name in nodes if name.partition(".")[0] == host.partition(".")[0]]
    return alike[0] if len(alike) == 1 else host
