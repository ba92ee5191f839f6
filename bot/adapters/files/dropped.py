"""A file with texts of a host that lies beside no dump: a journal that somebody saved and hands over."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from bot.adapters.files.boots import by_boot
from bot.adapters.files.paste import recognise
from bot.adapters.files.text import UnreadableDump, read_text
from bot.adapters.files.units import unit_name
from bot.app.ports import Recognised
from bot.model.findings import Means, Reporter
from bot.model.hosttext import HostSource, HostText


def dropped(path: Path, *, nodes: Collection[str] = (), told: str = "") -> Recognised:
    """The texts of the file, all with their node; each says that it was handed over in this file.

    The node is the one of the file's name (`NODE_UNIT.log`, or `NODE` with any ending), else the one that the text
    names, else `told`. `nodes` are those of the cluster, none where they are not known.

    Raises:
        UnreadableDump: the file cannot be read, does not say which node it is of, or holds no text of a host.
    """
    text = read_text(path)
    reporter = Reporter(str(path), means=Means.FILE)
    node, unit = _named(path, nodes)
    if node and unit:
        return Recognised(
            texts=tuple(
                HostText(node=node, source=HostSource.JOURNAL, unit=unit, boot=boot, text=part, reporter=reporter)
                for boot, part in by_boot(text)
            )
        )
    found = recognise(text, node=node or told, nodes=nodes, reporter=reporter)
    if found.node_unknown:
        hosts = sorted({one.node for one in found.node_unknown} - {""})
        raise UnreadableDump(path, f"file-of-others {', '.join(hosts)}" if hosts else "file-of-no-node")
    if not found.texts:
        raise UnreadableDump(path, "file-not-of-a-host")
    return found


def _named(path: Path, nodes: Collection[str]) -> tuple[str, str]:
    """Node and unit that the file's name says; a node only if the cluster has it, where that is known."""
    node, _, unit = path.stem.partition("_")
    if node in nodes or (unit and not nodes):
        return node, unit_name(unit)
    return "", ""
