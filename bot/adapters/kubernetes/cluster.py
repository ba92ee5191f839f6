"""A live cluster as `app.ports.Cluster`: lists page by page, several at a time; a failed read is an answer."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Self

from bot.adapters.kubernetes.bulk import rare_collections
from bot.adapters.kubernetes.client import THREADS, Client, NoReply, Patience, Reply, connect
from bot.adapters.kubernetes.paths import PODS, Served, path
from bot.adapters.kubernetes.replies import Outcome, page, problem, single, told
from bot.app.ports import Pages, Read
from bot.model.hosttext import PodLog
from bot.model.objects import KubeObject
from bot.model.refs import Ref
from bot.model.sections import (
    RESOURCES,
    NotInstalled,
    Resource,
    Unknown,
    UnknownReason,
    UnreadableObject,
)

PAGE = 500
#: How often a list that expired while it was read is begun anew.
RESTARTS = 2
LOG_LINES = 200
LOG_BYTES = 256 * 1024
_PATIENCE = Patience()


class LiveCluster:
    """Reads one API server. Never raises for a failed read and never writes."""

    def __init__(self, client: Client, name: str) -> None:
        self.name = name
        self._client = client

    @classmethod
    def connect(
        cls,
        kubeconfig: Path | None = None,
        context: str | None = None,
        name: str | None = None,
        patience: Patience = _PATIENCE,
    ) -> Self:
        """Prepare the connection; nothing is sent yet.

        In a pod, without a kubeconfig, its service account is used. `name` stands on every message; without it the
        context's cluster name does.

        Raises:
            NoClusterConfiguration: there is no usable configuration.
        """
        client, found = connect(kubeconfig, context, patience)
        return cls(client, name or found)

    def close(self) -> None:
        """Close the connections that are kept open."""
        self._client.close()

    def read(self, reads: Sequence[Read]) -> tuple[Pages, ...]:
        """Answer the reads in their order, up to eight at a time."""
        with rare_collections(), ThreadPoolExecutor(THREADS, "kubernetes") as pool:
            return tuple(pool.map(self._answer, reads))

    def pod_log(self, pod: Ref, container: str, *, previous: bool = False) -> PodLog | Unknown:
        """The last 200 lines of a container's log.

        The kubelet finds the last lines first and then stops after `limitBytes`, so it is the newest line that a
        byte limit cuts: the limit is far above what the lines usually need.
        """
        log = path(PODS, pod.namespace, pod.name, "log")
        query: dict[str, str | int] = {"container": container, "tailLines": LOG_LINES, "limitBytes": LOG_BYTES}
        if previous:
            query["previous"] = "true"
        try:
            reply = self._client.get(log, query)
        except NoReply as why:
            return Unknown(UnknownReason.FAILED, str(why))
        if reply.status == 204:
            return Unknown(UnknownReason.FAILED, "log-without-node")
        if reply.status != 200:
            reason = UnknownReason.FORBIDDEN if reply.status == 403 else UnknownReason.FAILED
            return Unknown(reason, f"HTTP {reply.status}: {told(reply)}")
        text = reply.body.decode("utf-8", "replace")
        return PodLog(pod=pod, container=container, text=text, previous=previous)

    def _answer(self, read: Read) -> Pages:
        resource = RESOURCES[read.section]
        try:
            if read.name and (read.namespace or not resource.namespaced):
                return self._one(read, resource)
            for _ in range(1 + RESTARTS):
                pages = self._list(read, resource)
                if pages is not None:
                    return pages
        except NoReply as why:
            return _unknown(str(why))
        return _unknown(f"list-expired {1 + RESTARTS}")

    def _one(self, read: Read, resource: Resource) -> Pages:
        reply = self._client.get(_path(resource, read.namespace, read.name), {})
        wrong = problem(reply, resource)
        if wrong is Outcome.ABSENT:
            return Pages(objects=())
        if wrong is not None:
            return _without(wrong, reply)
        found = single(reply, read.section)
        if isinstance(found, Unknown):
            return Pages(objects=found)
        return Pages(objects=found.objects, unreadable=found.unreadable)

    def _list(self, read: Read, resource: Resource) -> Pages | None:
        """Every page of the list; None where it expired on the way."""
        objects: list[KubeObject] = []
        unreadable: list[UnreadableObject] = []
        query = _query(read)
        while True:
            reply = self._client.get(_path(resource, read.namespace), query)
            wrong = problem(reply, resource)
            if wrong is Outcome.EXPIRED:
                return None
            if wrong is not None:
                return _without(wrong, reply)
            found = page(reply, read.section)
            if isinstance(found, Unknown):
                return Pages(objects=found)
            objects += found.objects
            unreadable += found.unreadable
            if not found.next:
                return Pages(objects=tuple(objects), unreadable=tuple(unreadable))
            query["continue"] = found.next


def _path(resource: Resource, namespace: str, name: str = "") -> str:
    return path(Served(resource.api_version, resource.section.value, resource.namespaced), namespace, name)


def _query(read: Read) -> dict[str, str | int]:
    """The query of the first page. A name without its namespace is looked for in all of them."""
    by_name = f"metadata.name={read.name}" if read.name else ""
    query: dict[str, str | int] = {"limit": PAGE}
    if read.label_selector:
        query["labelSelector"] = read.label_selector
    if fields := ",".join(filter(None, (read.field_selector, by_name))):
        query["fieldSelector"] = fields
    return query


def _unknown(detail: str) -> Pages:
    return Pages(objects=Unknown(UnknownReason.FAILED, detail))


def _without(wrong: Outcome | Unknown | NotInstalled, reply: Reply) -> Pages:
    """The answer of a reply without objects. What is no answer to this kind of read is a failed one."""
    if isinstance(wrong, Outcome):
        return _unknown(f"HTTP {reply.status}: {told(reply)}")
    return Pages(objects=wrong)
