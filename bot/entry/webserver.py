"""Serves the HTTP door from a thread, as a part of the service."""

from __future__ import annotations

import socket
from threading import Thread

import uvicorn
from starlette.types import ASGIApp

#: Seconds that open requests have to end when the door closes.
_CLOSING = 5


class CannotListen(Exception):
    """Nobody can reach the door; the text says where and why."""


class WebServer:
    """A `service.Part`. `port` is the one that it really listens on, once it is started."""

    name = "webhook"

    def __init__(self, app: ASGIApp, host: str, port: int) -> None:
        self.host, self.port = host, port
        config = uvicorn.Config(
            app,
            lifespan="off",
            # The log is ours, and a line for each probe would be all that it says.
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=_CLOSING,
        )
        self._server = uvicorn.Server(config)
        self._thread: Thread | None = None

    def start(self) -> None:
        """Listen.

        Raises:
            CannotListen: the address is taken or not ours.
        """
        try:
            family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
            listening = socket.create_server((self.host, self.port), family=family)
        except OSError as why:
            raise CannotListen(f"{self.host}:{self.port}: {why.strerror or why}") from None
        self.port = listening.getsockname()[1]
        self._thread = Thread(target=self._server.run, kwargs={"sockets": [listening]}, name=self.name, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Take no further connection."""
        self._server.should_exit = True

    def join(self, seconds: float) -> bool:
        """Wait until open requests are answered."""
        if self._thread is not None:
            self._thread.join(seconds)
        return not self.alive()

    def alive(self) -> bool:
        """Whether it serves."""
        return self._thread is not None and self._thread.is_alive()
