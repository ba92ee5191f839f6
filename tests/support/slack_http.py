"""The HTTP of the fake Slack: Web API, response URLs and files, each request in a thread of its own."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from tests.support.slack_methods import Refusal

if TYPE_CHECKING:
    from tests.support.slack_server import SlackServer


class SlackHttp(ThreadingHTTPServer):
    """Listens on loopback, on a free port."""

    #: The library's five would turn away callers that come at once.
    request_queue_size = 128

    def __init__(self, slack: SlackServer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.slack = slack


class _Handler(BaseHTTPRequestHandler):
    @property
    def slack(self) -> SlackServer:
        assert isinstance(self.server, SlackHttp)
        return self.server.slack

    def do_GET(self) -> None:
        self._send(*self.slack.file(self.path, self._token()))

    def do_POST(self) -> None:
        sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        kind, _, name = urlsplit(self.path).path.strip("/").partition("/")
        if kind == "upload":
            self._upload(name, sent)
            return
        raw = sent.decode()
        is_json = "json" in (self.headers.get("Content-Type") or "")
        body = json.loads(raw) if is_json else dict(parse_qsl(raw, keep_blank_values=True))
        try:
            if kind == "commands":
                self.slack.hook(name, body)
                self._send(200, b"ok", {"Content-Type": "text/plain"})
            else:
                self._json(200, {"ok": True} | self.slack.answer(name, body, self._token()))
        except Refusal as why:
            self._refuse(why, is_hook=kind == "commands")

    def _upload(self, name: str, sent: bytes) -> None:
        try:
            self.slack.take_upload(name, sent)
        except Refusal as why:
            self._send(500, why.error.encode(), {"Content-Type": "text/plain"})
        else:
            self._send(200, f"OK - {len(sent)}".encode(), {"Content-Type": "text/plain"})

    def _refuse(self, why: Refusal, *, is_hook: bool) -> None:
        limited = {} if why.retry_after is None else {"Retry-After": str(why.retry_after)}
        if is_hook and not limited:
            self._send(404, why.error.encode(), {"Content-Type": "text/plain"})
        else:
            self._json(429 if limited else 200, {"ok": False, "error": why.error} | why.more, limited)

    def _json(self, status: int, body: dict[str, Any], headers: dict[str, str] | None = None) -> None:
        kind = {"Content-Type": "application/json; charset=utf-8"}
        self._send(status, json.dumps(body).encode(), kind | (headers or {}))

    def _send(self, status: int, content: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in (headers | {"Content-Length": str(len(content))}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def _token(self) -> str:
        return (self.headers.get("Authorization") or "").removeprefix("Bearer ")

    def log_message(self, *_: object) -> None:
        pass
