"""Reads a pasted terminal strictly: every line stands below the prompt or the head that it came with, none is dropped.

An attestation rests on this. `paste` reads tolerantly, for a diagnosis, which may rest on a part of a text.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from msgspec import structs

from bot.adapters.files.lines import Role, beginning_of, line_of, output_of
from bot.adapters.files.shells import Shells
from bot.adapters.files.unmangle import unmangled
from bot.app.hosttexts import node_of
from bot.model.findings import Reporter
from bot.model.hosttext import HostSource, Output

#: What a pager adds at its foot (less(1)).
_FOOT = re.compile(r"^(?:lines \d+-\d+(?:/\d+)?(?: \(END\))?|\(END\))\s*$")
#: A prompt that names no host and waits; root's looks like a comment, of which fstab is full.
_WAITS = re.compile(r"^[$#%]\s*$")
_COMMENT = re.compile(r"^#")


def outputs_of(
    text: str, *, node: str = "", nodes: Collection[str] = (), reporter: Reporter | None = None
) -> tuple[Output, ...]:
    """The outputs of a pasted terminal, in their order.

    What names no node is of the one that the paste names, of `node` where it names none, and of nobody where it names
    several. With `nodes` (the cluster's) a prompt of any other machine says nothing of the node, and is the `shell`.
    """
    found: list[tuple[Output, list[str]]] = [(Output(), [])]
    shells = Shells(nodes)
    for line in unmangled(text).splitlines():
        if not line.strip() or _FOOT.match(line):
            continue
        (above, lines), source = found[-1], beginning_of(line)
        if _is_prompt(line, above):
            said = output_of(line)
            one = Output(
                node=node_at(said.host, nodes),
                shell=shells.at(line, said),
                command=said.command.strip(),
                source=said.source,
            )
            found.append((one, []))
        elif source is None or source is above.source:
            lines.append(line.rstrip())
        else:
            found.append((structs.replace(above, source=source), [line.rstrip()]))
    named = {one.node for one, _ in found} - {""}
    default = node if not named else named.pop() if len(named) == 1 else ""
    return tuple(
        structs.replace(
            one,
            node=one.node or default,
            shell=one.shell or shells.of_bare(),
            lines=tuple(lines),
            reporter=reporter,
        )
        for place, (one, lines) in enumerate(found)
        if place > 0 or lines  # What stands before the first beginning is often nothing.
    )


def node_at(host: str, nodes: Collection[str]) -> str:
    """The node whose prompt names this host; empty for a machine outside the cluster, where its nodes are known."""
    name = node_of(host, nodes) if host else ""
    return name if not nodes or name in nodes else ""


def _is_prompt(line: str, above: Output) -> bool:
    if above.source is HostSource.FSTAB and _COMMENT.match(line):
        return False
    return _WAITS.match(line) is not None or line_of(line).role is Role.PROMPT
