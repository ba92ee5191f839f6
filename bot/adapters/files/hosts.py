"""The texts of hosts and containers that lie beside a dump's objects.

    logs/<namespace>_<pod>_<container>.log and .previous.log
    journal/<node>_<unit>.log    dmesg/<node>.log    swaps/<node>.txt    fstab/<node>.txt

Kubernetes names hold no `_`, so that it parts them; a node's name may hold dots. Bytes that are no UTF-8 are
replaced: a log with one broken byte is still a log.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from bot.adapters.files.boots import by_boot
from bot.adapters.files.documents import UnreadableDump
from bot.model.hosttext import HostSource, HostText, PodLog
from bot.model.refs import Ref

_PREVIOUS = ".previous"
#: Folders with one text for each node.
_PLAIN = {"dmesg": HostSource.DMESG, "swaps": HostSource.SWAPS, "fstab": HostSource.FSTAB}


class GivenTexts:
    """`app.ports.HostTexts` over texts that are all there already."""

    def __init__(self, texts: Sequence[HostText]) -> None:
        self._texts = tuple(texts)

    def texts(self, nodes: Sequence[str] | None = None) -> tuple[HostText, ...]:
        """Those of the nodes, all for None."""
        return tuple(one for one in self._texts if nodes is None or one.node in nodes)


def read_text(path: Path) -> str:
    """The text of a file, whatever its bytes.

    Raises:
        UnreadableDump: the file cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as why:
        raise UnreadableDump(f"{path}: {why.strerror}") from None


def host_texts(folder: Path) -> tuple[HostText, ...]:
    """Every text of a host in the dump.

    Raises:
        UnreadableDump: a file cannot be read, or its name does not say which node it is of.
    """
    return tuple(_journals(folder)) + tuple(_plain(folder))


def _journals(folder: Path) -> Iterator[HostText]:
    for path in _files(folder / "journal", ".log"):
        node, _, unit = path.name.removesuffix(".log").partition("_")
        if not node or not unit:
            raise UnreadableDump(f"{path}: expected a name like NODE_UNIT.log")
        for boot, text in by_boot(read_text(path)) or (("", ""),):
            yield HostText(
                node=node, source=HostSource.JOURNAL, unit=unit.removesuffix(".service"), boot=boot, text=text
            )


def _plain(folder: Path) -> Iterator[HostText]:
    for name, source in _PLAIN.items():
        for path in _files(folder / name, ".log", ".txt"):
            yield HostText(node=path.name.removesuffix(path.suffix), source=source, text=read_text(path))


def pod_logs(folder: Path) -> dict[tuple[Ref, str, bool], PodLog]:
    """The logs of the dump by pod, container and whether it is the last run's.

    Raises:
        UnreadableDump: a file cannot be read, or its name does not say which container it is of.
    """
    logs: dict[tuple[Ref, str, bool], PodLog] = {}
    for path in _files(folder / "logs", ".log"):
        name = path.name.removesuffix(".log")
        parts = name.removesuffix(_PREVIOUS).split("_")
        if len(parts) != 3 or not all(parts):
            raise UnreadableDump(f"{path}: expected a name like NAMESPACE_POD_CONTAINER.log")
        namespace, pod, container = parts
        ref, previous = Ref("pod", pod, namespace), name.endswith(_PREVIOUS)
        logs[ref, container, previous] = PodLog(pod=ref, container=container, text=read_text(path), previous=previous)
    return logs


def _files(folder: Path, *suffixes: str) -> list[Path]:
    return sorted(path for path in folder.glob("*") if path.is_file() and path.suffix in suffixes)
