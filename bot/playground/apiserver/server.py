"""The simulated cluster: the API server on loopback, in a thread of this process."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from types import TracebackType
from typing import Any, Self

import uvicorn
import yaml

from bot.app.ports import Clock
from bot.playground.apiserver.faults import Faults
from bot.playground.apiserver.http import application
from bot.playground.apiserver.logs import Logs
from bot.playground.apiserver.store import Store
from bot.playground.apiserver.types import Json

USER = "playground"
_START = 10.0


class SimulatedCluster:
    """A cluster to read from and to write to over HTTP; `clock` is its world time.

    `users` are names by bearer token; each has every right until a fault takes one away.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        name: str = "playground",
        users: Mapping[str, str] | None = None,
        new_uid: Callable[[], str] | None = None,
    ) -> None:
        self.name = name
        self.store = Store(clock, new_uid) if new_uid else Store(clock)
        self.logs = Logs()
        self.faults = Faults()
        self._users = dict(users or {"playground": USER})
        app = application(self.store, self.logs, self.faults, self._users)
        # Loopback only, and nothing but plain HTTP: no log of requests, no websockets, no lifespan.
        self._server = uvicorn.Server(
            uvicorn.Config(app, log_level="warning", access_log=False, ws="none", lifespan="off")
        )
        # Only a socket that says that it is TCP gets TCP_NODELAY from asyncio; without it a reply takes 40 ms.
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self._thread = Thread(target=self._serve, name="simulated-apiserver", daemon=True)
        self.url = ""

    def start(self) -> Self:
        """Listen on a free port of loopback.

        Raises:
            RuntimeError: the server did not come up within ten seconds.
        """
        self._socket.bind(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._thread.start()
        ends = monotonic() + _START
        while not self._server.started:
            if monotonic() > ends or not self._thread.is_alive():
                raise RuntimeError("the simulated API server did not start")
            sleep(0.005)
        return self

    def stop(self) -> None:
        """End the server and its thread; requests that are still running are cut off."""
        self._server.should_exit = True
        self._server.force_exit = True
        self._thread.join()
        self._socket.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def load(self, objects: Iterable[Mapping[str, Any]]) -> None:
        """Put objects in as they are, with their uid, times and status, whatever the API would make of them.

        Raises:
            ValueError: an object is of a kind that this server does not know.
        """
        self.store.load(objects)

    def put_log(self, namespace: str, pod: str, container: str, text: str, *, previous: bool = False) -> None:
        """Give a container of a pod that is there its log.

        Raises:
            ValueError: there is no such pod.
        """
        found = self.store.find("pods", namespace, pod)
        if found is None:
            raise ValueError(f"a log of pod {namespace}/{pod}, which is not there")
        self.logs.put(found, container, text, previous=previous)

    def kubeconfig(self, user: str = "") -> Json:
        """A kubeconfig of this user, by default of the first."""
        token = next(token for token, name in self._users.items() if not user or name == user)
        return {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": self.name, "cluster": {"server": self.url}}],
            "users": [{"name": "user", "user": {"token": token}}],
            "contexts": [{"name": self.name, "context": {"cluster": self.name, "user": "user"}}],
            "current-context": self.name,
        }

    def write_kubeconfig(self, path: Path, user: str = "") -> Path:
        """Write the kubeconfig to a file."""
        path.write_text(yaml.safe_dump(self.kubeconfig(user)), encoding="utf-8")
        return path

    def _serve(self) -> None:
        self._server.run(sockets=[self._socket])
