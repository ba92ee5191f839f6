"""An HTTP proxy in front of an API server, real or simulated, that does harm to chosen writes.

It counts what comes through, and may change the cluster between a client's read and its write.
"""

from __future__ import annotations

import ssl
import time
from collections import deque
from collections.abc import Callable, Mapping
from enum import Enum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Self

import httpx
import msgspec

Harm = Callable[[], None]


class Cut(Enum):
    """What happens to one write."""

    BEFORE = "the connection breaks before the server has it"
    AFTER = "the server carries it out, the connection breaks before the answer"
    HALF = "the answer breaks off in the middle"
    SILENCE = "the server carries it out, nothing comes back for a second"
    ERROR = "the server carries it out, a gateway answers 502"
    GARBAGE = "the server carries it out, the answer is not JSON"


class Passed(msgspec.Struct, frozen=True):
    """A request that came in."""

    method: str
    path: str
    headers: Mapping[str, str]

    @property
    def is_write(self) -> bool:
        """Whether it would change something."""
        return self.method != "GET" and "dryRun" not in self.path


class Proxy:
    """Listens on loopback without TLS; `plans` meets the writes one after the other, dry runs left out."""

    def __init__(self, upstream: str, verify: ssl.SSLContext | bool = True) -> None:
        self.http = httpx.Client(base_url=upstream, verify=verify, timeout=30, trust_env=False)
        self.seen: list[Passed] = []
        self.plans: deque[Cut | Harm | None] = deque()
        #: Part of the paths that nobody gets an answer of.
        self.hides = ""
        #: As an admission webhook that came meanwhile: what it makes of the object that a dry run shows.
        self.admits: Callable[[Any], Any] | None = None
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                outer.answer(self)

            def do_POST(self) -> None:
                outer.answer(self)

            def do_PATCH(self) -> None:
                outer.answer(self)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, name="proxy")
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        self.http.close()

    @property
    def writes(self) -> list[Passed]:
        """The writes that came in, in their order."""
        return [one for one in self.seen if one.is_write]

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        passed = Passed(request.command, request.path, dict(request.headers))
        self.seen.append(passed)
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        plan = self.plans.popleft() if passed.is_write and self.plans else None
        if plan is Cut.BEFORE or (self.hides and self.hides in passed.path):
            request.close_connection = True
            return
        if callable(plan):
            plan()
        headers = {key: value for key, value in passed.headers.items() if key.lower() not in ("host", "connection")}
        found = self.http.request(passed.method, passed.path, content=body, headers=headers)
        self._reply(request, found, plan)

    def _reply(self, request: BaseHTTPRequestHandler, found: httpx.Response, plan: Cut | Harm | None) -> None:
        if plan is Cut.SILENCE:
            time.sleep(1)
        if plan in (Cut.AFTER, Cut.SILENCE):
            request.close_connection = True
            return
        status, body = found.status_code, found.content
        if plan is Cut.ERROR:
            status, body = 502, b"<html>bad gateway</html>"
        if self.admits and "dryRun" in request.path:
            body = msgspec.json.encode(self.admits(msgspec.json.decode(body)))
        if plan is Cut.GARBAGE:
            body = b"<html>"
        request.send_response(status)
        for name in ("Content-Type", "Retry-After"):
            if name in found.headers:
                request.send_header(name, found.headers[name])
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body[: len(body) // 2] if plan is Cut.HALF else body)
        if plan is Cut.HALF:
            request.close_connection = True
