"""What a kubelet does for its node while it lives: renews the Lease and the node's conditions.

The node lifecycle controller calls a node dead 50 s after it last saw either change (Kubernetes 1.36,
`--node-monitor-grace-period`).
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime
from threading import Event, Thread
from types import TracebackType
from typing import Self

from tests.support.kubeapi import Json, KubeApi

#: Seconds between two renewals, as the kubelet does it.
EVERY = 10.0


class Heartbeats:
    """Keeps `alive` nodes well from its own thread.

    `agents` are the nodes whose virt-handler writes its heartbeat, whatever their kubelet does. Nodes and their Leases
    must be there; the first beat is sent on entering.
    """

    def __init__(self, api: KubeApi, alive: Collection[str], agents: Collection[str] = ()) -> None:
        self._api = api
        self._alive = frozenset(alive)
        self._agents = frozenset(agents)
        self._stop = Event()
        self._failure: BaseException | None = None
        self._thread = Thread(target=self._run, name="heartbeats", daemon=True)

    def __enter__(self) -> Self:
        self._beat()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()
        if self._failure is not None and error is None:
            raise self._failure

    def _run(self) -> None:
        while not self._stop.wait(EVERY):
            try:
                self._beat()
            # Shown when the test ends: a thread has nobody to raise to.
            except BaseException as why:
                self._failure = why
                return

    def _beat(self) -> None:
        now = datetime.now(UTC)
        seconds, micros = now.strftime("%Y-%m-%dT%H:%M:%SZ"), now.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        for name in sorted(self._alive):
            self._api.merge(_lease(name), {"spec": {"renewTime": micros}})
            conditions = self._api.get(_node(name))["status"].get("conditions") or []
            beaten = [{**one, "lastHeartbeatTime": seconds} for one in conditions]
            self._api.merge(_node(name), {"status": {"conditions": beaten}}, "status")
        for name in sorted(self._agents):
            self._api.merge(_node(name), {"metadata": {"annotations": {"kubevirt.io/heartbeat": seconds}}})


def _node(name: str) -> Json:
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}


def _lease(name: str) -> Json:
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": name, "namespace": "kube-node-lease"},
    }
