"""A gate before a Redis server: open, it lets everything through; shut, the server is out of reach."""

from __future__ import annotations

import contextlib
import selectors
import socket
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Lock, Thread
from typing import Self

from tests.support.ports import free_port

_PIECE = 1 << 16


class Gate:
    """Listens on a port of loopback, the same one each time it is opened; `url` is the server's address behind it."""

    def __init__(self, socket_url: str) -> None:
        self._target = socket_url.removeprefix("unix://")
        self._port = free_port()
        self._server: _Server | None = None
        self.url = f"redis://127.0.0.1:{self._port}/0"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.shut()

    def open(self) -> None:
        """Let everything through."""
        self._server = _Server(self._port, self._target)

    def shut(self) -> None:
        """Break every connection and take no new one."""
        if self._server is not None:
            self._server.end()
            self._server = None


class _Server(ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, port: int, target: str) -> None:
        super().__init__(("127.0.0.1", port), _Pipe)
        self.target = target
        self._lock = Lock()
        self._open: set[socket.socket] = set()
        self._thread = Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, name="gate")
        self._thread.start()

    def end(self) -> None:
        self.shutdown()
        self._thread.join()
        with self._lock:
            for one in self._open:
                with contextlib.suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
        self.server_close()

    def note(self, one: socket.socket) -> None:
        with self._lock:
            self._open.add(one)

    def forget(self, one: socket.socket) -> None:
        with self._lock:
            self._open.discard(one)


class _Pipe(BaseRequestHandler):
    def handle(self) -> None:
        assert isinstance(self.server, _Server)
        self.server.note(self.request)
        with socket.socket(socket.AF_UNIX) as behind, selectors.DefaultSelector() as ready:
            behind.connect(self.server.target)
            ready.register(self.request, selectors.EVENT_READ, behind)
            ready.register(behind, selectors.EVENT_READ, self.request)
            while all(self._pass_on(key.fileobj, key.data) for key, _ in ready.select()):
                pass
        self.server.forget(self.request)

    @staticmethod
    def _pass_on(one: socket.socket, other: socket.socket) -> bool:
        try:
            piece = one.recv(_PIECE)
            other.sendall(piece)
        except OSError:
            return False
        return bool(piece)
