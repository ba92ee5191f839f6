"""The Socket Mode half of the fake Slack: hello, envelopes, acknowledgements with their latency, redelivery, silence.

Shapes: https://docs.slack.dev/apis/events-api/using-socket-mode
"""

from __future__ import annotations

import json
import logging
import time
import uuid
from collections.abc import Sequence
from threading import Event, Lock, Thread, Timer
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.sync.server import ServerConnection, serve

_log = logging.getLogger("tests.slack_socket")
_log.setLevel(logging.CRITICAL)


class Delivery:
    """One payload and what became of it; `seconds` is how long the first acknowledgement took."""

    def __init__(self, kind: str, payload: dict[str, Any]) -> None:
        self.kind = kind
        self.payload = payload
        self.envelopes: list[str] = []
        self.sent_at = 0.0
        self.seconds: float | None = None
        self.answer: dict[str, Any] = {}
        self._acked = Event()

    def wait(self, seconds: float = 20) -> Delivery:
        """Wait for the acknowledgement; the long time is only for when it never comes."""
        assert self._acked.wait(seconds), f"{self.kind} was not acknowledged in {len(self.envelopes)} attempts"
        return self

    @property
    def acked(self) -> bool:
        return self._acked.is_set()

    def ack(self, answer: dict[str, Any]) -> None:
        if not self._acked.is_set():
            self.seconds = time.monotonic() - self.sent_at
            self.answer = answer
            self._acked.set()


class _Connection(ServerConnection):
    """Can fall silent as a dead server does: the TCP connection stays, nothing comes, not even a pong."""

    muted = False

    def send_data(self) -> None:
        if self.muted:
            self.protocol.data_to_send()
        else:
            super().send_data()


class SlackSocket:
    """Takes connections, one for each ticket of `apps.connections.open`."""

    def __init__(self, app_id: str, *, ack_seconds: float = 3, retries: Sequence[float] = (0, 60, 300)) -> None:
        """Set the times.

        Args:
            app_id: the app that connects.
            ack_seconds: an event that is not acknowledged within them is sent again.
            retries: seconds before each further attempt.
        """
        self.deliveries: list[Delivery] = []
        #: In the order of their acknowledgements.
        self.acked: list[Delivery] = []
        self.unexpected: list[str] = []
        self.connected = 0
        self._app_id = app_id
        self._ack_seconds = ack_seconds
        self._retries = retries
        self._lock = Lock()
        self._tickets: set[str] = set()
        self._connections: list[_Connection] = []
        self._timers: list[Timer] = []

    def start(self) -> None:
        self._server = serve(
            self._serve,
            "127.0.0.1",
            0,
            process_request=self._admit,
            create_connection=_Connection,
            # Slack pings too. The SDK holds a lock while it listens, and lets go of it only when something comes.
            ping_interval=0.1,
            # One at a time, however long the answer takes: the SDK goes one call deeper for each that lies in a heap.
            ping_timeout=3600,
            compression=None,
            logger=_log,
        )
        self._thread = Thread(target=self._server.serve_forever, name="slack-socket")
        self._thread.start()

    def stop(self) -> None:
        for timer in self._timers:
            timer.cancel()
        self.mute(on=False)
        self._server.shutdown()
        self._thread.join()

    def url(self) -> str:
        """A new address, good for one connection."""
        ticket = uuid.uuid4().hex
        with self._lock:
            self._tickets.add(ticket)
        port = self._server.socket.getsockname()[1]
        return f"ws://127.0.0.1:{port}/link/?ticket={ticket}&app_id={self._app_id}"

    def send(self, kind: str, payload: dict[str, Any]) -> Delivery:
        """Send an `events_api`, `slash_commands` or `interactive` payload; only events are sent again."""
        delivery = Delivery(kind, payload)
        with self._lock:
            self.deliveries.append(delivery)
        delivery.sent_at = time.monotonic()
        self._attempt(delivery, 0)
        return delivery

    def mute(self, *, on: bool = True) -> None:
        """Let the present connections fall silent."""
        with self._lock:
            for connection in self._connections:
                connection.muted = on

    def ask_to_refresh(self) -> None:
        """Tell the client that its connection goes away, as Slack does every few hours."""
        self._put({"type": "disconnect", "reason": "refresh_requested", "debug_info": {"host": "fake"}})

    def drop(self) -> None:
        """Close the present connections."""
        with self._lock:
            connections = list(self._connections)
        for connection in connections:
            connection.close()

    def wait_for_connection(self, number: int = 1, seconds: float = 30) -> None:
        """Wait until that many connections have been made in all."""
        deadline = time.monotonic() + seconds
        while self.connected < number:
            assert time.monotonic() < deadline, f"{self.connected} of {number} connections were made"
            time.sleep(0.01)

    def _attempt(self, delivery: Delivery, number: int) -> None:
        if delivery.acked:
            return
        envelope = str(uuid.uuid4())
        delivery.envelopes.append(envelope)
        told = {"envelope_id": envelope, "type": delivery.kind, "payload": delivery.payload}
        told["accepts_response_payload"] = delivery.kind != "events_api"
        if delivery.kind == "events_api":
            told |= {"retry_attempt": number, "retry_reason": "timeout" if number else ""}
        self._put(told)
        if delivery.kind == "events_api" and number < len(self._retries):
            timer = Timer(self._ack_seconds + self._retries[number], self._attempt, (delivery, number + 1))
            timer.daemon = True
            with self._lock:
                self._timers.append(timer)
            timer.start()

    def _put(self, message: dict[str, Any]) -> None:
        with self._lock:
            connection = self._connections[-1] if self._connections else None
        if connection is not None:
            try:
                connection.send(json.dumps(message))
            except ConnectionClosed:
                self.unexpected.append(f"{message.get('type')} went to a closed connection")

    def _admit(self, connection: ServerConnection, request: Request) -> Response | None:
        ticket = request.path.partition("ticket=")[2].partition("&")[0]
        with self._lock:
            if ticket in self._tickets:
                self._tickets.remove(ticket)
                return None
        return connection.respond(403, "ticket unknown or used\n")

    def _serve(self, connection: ServerConnection) -> None:
        assert isinstance(connection, _Connection)
        hello = {"type": "hello", "num_connections": 1, "connection_info": {"app_id": self._app_id}}
        connection.send(json.dumps(hello | {"debug_info": {"host": "fake", "approximate_connection_time": 18060}}))
        with self._lock:
            self._connections.append(connection)
            self.connected += 1
        try:
            for message in connection:
                self._take(json.loads(message))
        finally:
            with self._lock:
                self._connections.remove(connection)

    def _take(self, message: dict[str, Any]) -> None:
        envelope = message.get("envelope_id")
        with self._lock:
            delivery = next((one for one in self.deliveries if envelope in one.envelopes), None)
            if delivery is None:
                self.unexpected.append(f"no envelope {envelope}")
            else:
                if not delivery.acked:
                    self.acked.append(delivery)
                delivery.ack(message.get("payload") or {})
