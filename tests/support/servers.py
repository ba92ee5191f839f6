"""The two API servers that must give the same answers, under one set of handles."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

import pytest
import yaml

from bot.adapters.kubernetes.client import Patience
from bot.adapters.kubernetes.cluster import LiveCluster
from bot.adapters.kubernetes.hands import KubernetesHands
from bot.model.sections import RESOURCES, Section
from bot.playground.apiserver.faults import Effect, Fault
from bot.playground.apiserver.server import SimulatedCluster
from bot.playground.apiserver.types import of_kind
from tests.support.controlplane import ADMIN, NOBODY, ControlPlane
from tests.support.crds import definitions, install, uninstall
from tests.support.etcd import Etcd
from tests.support.kubeapi import Json, KubeApi
from tests.support.proxy import Proxy

#: Half a second of silence is a time-out: for who meets silence. Anybody else would meet it too on a busy machine.
HASTY = Patience(connect=2, read=0.5, whole=5, attempts=3, first_wait=0.01, longest_wait=2)
QUICK = Patience(connect=2, read=5, whole=10, attempts=3, first_wait=0.01, longest_wait=2)


class WallClock:
    """Time as it is."""

    def now(self) -> datetime:
        return datetime.now(UTC)


class ApiServer(Protocol):
    """What a test can do with either."""

    def api(self, user: str = ADMIN) -> KubeApi:
        """A client for setting the scene and for looking at it."""
        ...

    def cluster(self, user: str = ADMIN) -> LiveCluster:
        """The adapter under test."""
        ...

    def kubeconfig(self, user: str) -> Path:
        """A kubeconfig of this user."""
        ...

    def proxied(self) -> Proxy:
        """A proxy in front of it, not started yet."""
        ...

    def hands(self, user: str = ADMIN, proxy: Proxy | None = None, patience: Patience = QUICK) -> KubernetesHands:
        """The executor's adapter, through the proxy if one is given."""
        ...

    def forget_lists(self) -> None:
        """Make the continue token of every list of events too old."""
        ...

    def without(self, section: Section) -> contextlib.AbstractContextManager[None]:
        """A custom resource is not installed meanwhile."""
        ...


class _Handles:
    """Closes what it gave out."""

    def __init__(self) -> None:
        self._open = contextlib.ExitStack()

    def close(self) -> None:
        self._open.close()

    def _client(self, api: KubeApi) -> KubeApi:
        self._open.callback(api.http.close)
        return api

    def _adapter(self, kubeconfig: Path) -> LiveCluster:
        return self._open.enter_context(contextlib.closing(LiveCluster.connect(kubeconfig, patience=QUICK)))

    def _hands(self, kubeconfig: Path, proxy: Proxy | None, patience: Patience) -> KubernetesHands:
        if proxy is not None:
            config = yaml.safe_load(kubeconfig.read_text())
            config["clusters"][0]["cluster"] = {"server": proxy.url}
            kubeconfig = kubeconfig.with_name(f"{kubeconfig.name}-proxied")
            kubeconfig.write_text(yaml.safe_dump(config))
        return self._open.enter_context(contextlib.closing(KubernetesHands.connect(kubeconfig, patience=patience)))


class Simulated(_Handles):
    """The simulated server; `nobody` has no right to anything."""

    def __init__(self, server: SimulatedCluster, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self.server = server
        self.server.faults.add(Fault(effect=Effect.FORBIDDEN, user=NOBODY))
        for resource in RESOURCES.values():
            if resource.group:
                self.server.store.install(resource.group)

    def api(self, user: str = ADMIN) -> KubeApi:
        return self._client(KubeApi.at(self.server.url, user))

    def kubeconfig(self, user: str) -> Path:
        return self.server.write_kubeconfig(self._folder / f"kubeconfig-{user}", user)

    def proxied(self) -> Proxy:
        return Proxy(self.server.url)

    def hands(self, user: str = ADMIN, proxy: Proxy | None = None, patience: Patience = QUICK) -> KubernetesHands:
        return self._hands(self.kubeconfig(user), proxy, patience)

    def cluster(self, user: str = ADMIN) -> LiveCluster:
        return self._adapter(self.kubeconfig(user))

    def forget_lists(self) -> None:
        self.server.store.expire_lists()

    @contextmanager
    def without(self, section: Section) -> Iterator[None]:
        resource = RESOURCES[section]
        kind = of_kind(resource.api_version, resource.kind)
        assert kind is not None
        self.server.store.uninstall(kind)
        yield
        self.server.store.install(resource.group)


class Real(_Handles):
    """The real server. Its lists expire once etcd has compacted; lists of events are not served from a cache."""

    def __init__(self, plane: ControlPlane) -> None:
        super().__init__()
        self._plane = plane

    def api(self, user: str = ADMIN) -> KubeApi:
        return self._client(self._plane.api(user))

    def kubeconfig(self, user: str) -> Path:
        return self._plane.kubeconfig(user)

    def proxied(self) -> Proxy:
        return Proxy(self._plane.url, self._plane.trusted())

    def hands(self, user: str = ADMIN, proxy: Proxy | None = None, patience: Patience = QUICK) -> KubernetesHands:
        return self._hands(self.kubeconfig(user), proxy, patience)

    def cluster(self, user: str = ADMIN) -> LiveCluster:
        return self._adapter(self.kubeconfig(user))

    def forget_lists(self) -> None:
        Etcd(self._plane.etcd).compact()

    def effects(self, agent: str) -> list[str]:
        """What a client did, by the server's own log: verb and path of every write that took effect."""
        return [
            f"{one['verb']} {one['requestURI'].partition('?')[0]}"
            for one in self._plane.writes(agent)
            if one["responseStatus"]["code"] < 300 and "dryRun=All" not in one["requestURI"]
        ]

    def load(self, things: Sequence[Json]) -> None:
        """Load the objects of a dump with the times that they have there; their uids are new ones."""
        api = self.api()
        api.load(things)
        Etcd(self._plane.etcd).date_back(api, things)

    @contextmanager
    def without(self, section: Section) -> Iterator[None]:
        name = f"{section.value}.{RESOURCES[section].group}"
        definition = next(one for one in definitions() if one["metadata"]["name"] == name)
        uninstall(self.api(), definition)
        try:
            yield
        finally:
            install(self.api(), [definition])


@pytest.fixture(scope="session")
def shared_simulated_server() -> Iterator[SimulatedCluster]:
    """The session's simulated server: starting one for each test would take most of the time."""
    with SimulatedCluster(WallClock(), users={ADMIN: ADMIN, NOBODY: NOBODY}) as server:
        yield server


@pytest.fixture
def simulated(shared_simulated_server: SimulatedCluster, tmp_path: Path) -> Iterator[Simulated]:
    """The session's simulated server, empty and without faults again after the test."""
    one = Simulated(shared_simulated_server, tmp_path)
    yield one
    shared_simulated_server.faults.clear()
    one.api().wipe()
    one.close()


@pytest.fixture
def real(control_plane: ControlPlane) -> Iterator[Real]:
    """The session's real API server, empty again after the test."""
    one = Real(control_plane)
    yield one
    one.close()
