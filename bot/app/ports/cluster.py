"""Where objects are read from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from bot.model.hosttext import PodLog
from bot.model.objects import KubeObject
from bot.model.refs import Ref
from bot.model.sections import NotInstalled, Section, Unknown, UnreadableObject


class Read(msgspec.Struct, frozen=True, kw_only=True):
    """One request to the API server; empty selectors ask for all."""

    section: Section
    namespace: str = ""
    name: str = ""
    label_selector: str = ""
    field_selector: str = ""


class Pages(msgspec.Struct, frozen=True, kw_only=True):
    """What a `Read` gave; `unreadable` did not decode, `gap` says why the objects are not all."""

    objects: tuple[KubeObject, ...] | Unknown | NotInstalled
    unreadable: tuple[UnreadableObject, ...] = ()
    gap: Unknown | None = None


class Cluster(Protocol):
    """Where objects are read from: a live API server, or a dump of one.

    A dump may answer a read with more than was asked for. Nothing is raised for a failed read: it is `Unknown`.
    """

    @property
    def name(self) -> str:
        """The name that stands on every message."""
        ...

    def read(self, reads: Sequence[Read]) -> tuple[Pages, ...]:
        """Answer the reads, in their order."""
        ...

    def pod_log(self, pod: Ref, container: str, *, previous: bool = False) -> PodLog | Unknown:
        """The last lines of a container's log."""
        ...
