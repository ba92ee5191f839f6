"""The texts of hosts and containers that lie beside a dump's objects.

    logs/<namespace>_<pod>_<container>.log and .previous.log
    journal/<node>_<unit>.log    dmesg/<node>.log    swaps/<node>.txt    fstab/<node>.txt

Kubernetes names hold no `_`, so that it parts them; a node's name may hold dots. Bytes that are no text are
replaced: a log with one broken byte is still a log. A file that cannot be read, or whose name does not say whose text
it is, takes nothing away from the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from bot.adapters.files.boots import by_boot
from bot.adapters.files.text import UnreadableDump, read_text
from bot.adapters.files.units import unit_name
from bot.model.hosttext import HostSource, HostText, PodLog
from bot.model.refs import Ref
from bot.model.snapshot import UnreadFile

_PREVIOUS = ".previous"
#: Folders with one text for each node.
_PLAIN = {"dmesg": HostSource.DMESG, "swaps": HostSource.SWAPS, "fstab": HostSource.FSTAB}
_SUFFIXES = (".log", ".txt")


class GivenTexts:
    """`app.ports.HostTexts` over texts that are all there already."""

    def __init__(self, texts: Sequence[HostText]) -> None:
        self._texts = tuple(texts)

    def texts(self, nodes: Sequence[str] | None = None) -> tuple[HostText, ...]:
        """Those of the nodes, all for None."""
        return tuple(one for one in self._texts if nodes is None or one.node in nodes)


class DumpedTexts:
    """The texts of one folder: of hosts, and of containers by pod, container and whether it is the last run's."""

    def __init__(self, folder: Path) -> None:
        self.read: set[Path] = set()
        self.unread: tuple[UnreadFile, ...] = ()
        self.hosts = tuple(self._journals(folder)) + tuple(self._plain(folder))
        self.logs = {(one.pod, one.container, one.previous): one for one in self._logs(folder)}

    def _journals(self, folder: Path) -> Iterator[HostText]:
        for path in _files(folder, "journal"):
            node, _, unit = _stem(path).partition("_")
            text = self._text(path, "" if node and unit else "NODE_UNIT.log")
            for boot, part in by_boot(text) or (("", ""),) if text is not None else ():
                yield HostText(node=node, source=HostSource.JOURNAL, unit=unit_name(unit), boot=boot, text=part)

    def _plain(self, folder: Path) -> Iterator[HostText]:
        for name, source in _PLAIN.items():
            for path in _files(folder, name):
                if (text := self._text(path)) is not None:
                    yield HostText(node=_stem(path), source=source, text=text)

    def _logs(self, folder: Path) -> Iterator[PodLog]:
        for path in _files(folder, "logs"):
            name = _stem(path)
            parts = name.removesuffix(_PREVIOUS).split("_")
            is_named = len(parts) == 3 and all(parts)
            text = self._text(path, "" if is_named else "NAMESPACE_POD_CONTAINER.log")
            if text is not None:
                namespace, pod, container = parts
                ref = Ref("pod", pod, namespace)
                yield PodLog(pod=ref, container=container, text=text, previous=name.endswith(_PREVIOUS))

    def _text(self, path: Path, expected: str = "") -> str | None:
        """The file's text; None, and noted, where it cannot be read or its name is not like the expected one."""
        self.read.add(path)
        try:
            if not expected:
                return read_text(path)
            why = f"file-name {expected}"
        except UnreadableDump as reason:
            why = reason.why
        self.unread += (UnreadFile(str(path), why),)
        return None


def _stem(path: Path) -> str:
    return path.name[: -len(path.suffix)]


def _files(folder: Path, name: str) -> list[Path]:
    """The text files in the sub-folder of this name, however it is capitalised."""
    inside = [one for one in sorted(folder.iterdir()) if one.is_dir() and one.name.lower() == name]
    found = (path for one in inside for path in sorted(one.iterdir()))
    return [path for path in found if path.is_file() and path.suffix.lower() in _SUFFIXES]
