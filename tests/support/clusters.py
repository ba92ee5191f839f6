"""A cluster made of objects in memory, which answers reads as the API server would and can be told to fail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from bot.adapters.decode import decode_objects, section_of
from bot.app.ports import Cluster, Pages, Read
from bot.model.hosttext import PodLog
from bot.model.objects import KubeObject
from bot.model.refs import Ref
from bot.model.sections import NotInstalled, Section, Unknown, UnknownReason, UnreadableObject

NOW = datetime(2026, 11, 30, 7, 0, tzinfo=UTC)
FAILED = Unknown(UnknownReason.FAILED, "time-out")


class FixedClock:
    def now(self) -> datetime:
        return NOW


class MemoryCluster:
    """`app.ports.Cluster` in memory.

    `answer` may replace the answer of a read; `asked` and `logs_asked` record what was asked for.
    """

    name = "lab"

    def __init__(
        self,
        *things: dict[str, Any],
        answer: Callable[[Read], Unknown | NotInstalled | None] = lambda _read: None,
        logs: Sequence[PodLog] = (),
    ) -> None:
        self._objects: dict[Section, tuple[KubeObject, ...]] = {}
        self._unreadable: dict[Section, tuple[UnreadableObject, ...]] = {}
        for section in Section:
            mine = [one for one in things if section_of(one["apiVersion"], one["kind"]) is section]
            self._objects[section], self._unreadable[section] = decode_objects(section, mine)
        self._answer = answer
        self._logs = {(one.pod, one.container, one.previous): one for one in logs}
        self.asked: list[Read] = []
        self.logs_asked: list[tuple[Ref, str, bool]] = []

    def read(self, reads: Sequence[Read]) -> tuple[Pages, ...]:
        self.asked += reads
        return tuple(self._page(one) for one in reads)

    def _page(self, read: Read) -> Pages:
        instead = self._answer(read)
        if instead is not None:
            return Pages(objects=instead)
        found = tuple(one for one in self._objects[read.section] if _selected(one, read))
        return Pages(objects=found, unreadable=self._unreadable[read.section])

    def pod_log(self, pod: Ref, container: str, *, previous: bool = False) -> PodLog | Unknown:
        self.logs_asked.append((pod, container, previous))
        return self._logs.get((pod, container, previous), FAILED)


_FIELDS: dict[str, Callable[[Any], str]] = {
    "metadata.name": lambda one: one.name,
    "spec.nodeName": lambda one: one.spec.node_name,
    "status.phase": lambda one: one.status.phase,
    "type": lambda one: one.type,
    "reason": lambda one: one.reason,
    "involvedObject.kind": lambda one: one.involved_object.kind,
    "involvedObject.name": lambda one: one.involved_object.name,
}


def _selected(one: KubeObject, read: Read) -> bool:
    if read.namespace not in ("", one.namespace) or read.name not in ("", one.name):
        return False
    for term in filter(None, read.label_selector.split(",")):
        label, value = term.split("=")
        if one.metadata.labels.get(label) != value:
            return False
    for term in filter(None, read.field_selector.split(",")):
        field, _, value = term.partition("=")
        if (_FIELDS[field.removesuffix("!")](one) == value) is field.endswith("!"):
            return False
    return True


class Selecting:
    """Another cluster, answering with what the selectors of a read ask for and no more, as an API server does."""

    def __init__(self, whole: Cluster) -> None:
        self._whole = whole
        self.name = whole.name

    def read(self, reads: Sequence[Read]) -> tuple[Pages, ...]:
        return tuple(self._narrowed(read, page) for read, page in zip(reads, self._whole.read(reads), strict=True))

    def _narrowed(self, read: Read, page: Pages) -> Pages:
        if not isinstance(page.objects, tuple):
            return page
        return Pages(objects=tuple(one for one in page.objects if _selected(one, read)), unreadable=page.unreadable)

    def pod_log(self, pod: Ref, container: str, *, previous: bool = False) -> PodLog | Unknown:
        return self._whole.pod_log(pod, container, previous=previous)
