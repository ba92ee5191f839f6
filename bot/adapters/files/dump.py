"""A dump of a cluster: a folder of `kubectl get -o json|yaml` files, read as if it were the cluster.

Objects lie in files of any name, as lists or single documents, texts of hosts and containers beside them. A section
that no file holds was not collected; a list that is empty was, and there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bot.adapters.files.collect import Collection
from bot.adapters.files.hosts import DumpedTexts
from bot.adapters.files.newest import newest
from bot.app.ports import Pages, Read
from bot.model.hosttext import HostText, PodLog
from bot.model.moment import Moment
from bot.model.refs import Ref
from bot.model.sections import Section, Unknown, UnknownReason
from bot.model.snapshot import NOT_COLLECTED, UnreadFile


class DumpCluster:
    """`app.ports.Cluster` and `app.ports.HostTexts` over a folder. Everything is read once, when it is made.

    Attributes:
        unread: the files that could not be read; what they may have held is unknown.
        ignored: files whose place and name say nothing about what they hold.

    Raises:
        UnreadableDump: the folder is not there.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self.name = name
        collected = Collection(folder)
        texts = DumpedTexts(folder)
        self._pages: dict[Section, Pages] = collected.pages()
        self._texts = texts.hosts
        self._logs = texts.logs
        self.unread: tuple[UnreadFile, ...] = collected.unread + texts.unread
        self.ignored = tuple(sorted(str(path) for path in _shown(folder) - collected.read - texts.read))

    def read(self, reads: Sequence[Read]) -> tuple[Pages, ...]:
        """Every object of the section; selectors are not applied, more than was asked for does no harm."""
        return tuple(self._pages.get(one.section, Pages(objects=NOT_COLLECTED)) for one in reads)

    def pod_log(self, pod: Ref, container: str, *, previous: bool = False) -> PodLog | Unknown:
        """The log file of a container."""
        missing = Unknown(UnknownReason.NOT_COLLECTED, f"{pod} {container}")
        return self._logs.get((pod, container, previous), missing)

    def texts(self, nodes: Sequence[str] | None = None) -> tuple[HostText, ...]:
        """The texts of these hosts, all for None."""
        return tuple(one for one in self._texts if nodes is None or one.node in nodes)

    def newest(self) -> Moment | None:
        """The newest time in the objects, None where they hold none."""
        return newest(
            thing for page in self._pages.values() if isinstance(page.objects, tuple) for thing in page.objects
        )


def _shown(folder: Path) -> set[Path]:
    """The files of a folder that are not hidden."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path for path in found if not any(part.startswith(".") for part in path.relative_to(folder).parts)}
