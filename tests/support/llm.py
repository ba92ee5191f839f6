"""An OpenAI-compatible endpoint on loopback that behaves as a test wants it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def completion(content: object) -> bytes:
    return json.dumps({"id": "1", "object": "chat.completion", "choices": [{"message": {"content": content}}]}).encode()


class Endpoint:
    """What was asked, until when a handler may hang, and how the next request is answered."""

    def __init__(self, play: Play) -> None:
        self.play = play
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.over = threading.Event()


Play = Callable[[BaseHTTPRequestHandler, Endpoint], None]


def says(body: bytes, status: int = 200, kind: str = "application/json") -> Play:
    def play(handler: BaseHTTPRequestHandler, _endpoint: Endpoint) -> None:
        handler.send_response(status)
        handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(body)))
        handler.send_header("Retry-After", "0")
        handler.end_headers()
        handler.wfile.write(body)

    return play


def hangs(_handler: BaseHTTPRequestHandler, endpoint: Endpoint) -> None:
    endpoint.over.wait(30)


def drips(handler: BaseHTTPRequestHandler, endpoint: Endpoint) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.end_headers()
    while not endpoint.over.wait(0.02):
        handler.wfile.write(b" ")
        handler.wfile.flush()


def closes(handler: BaseHTTPRequestHandler, _endpoint: Endpoint) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choi')


@contextmanager
def endpoint_that(play: Play) -> Iterator[tuple[str, Endpoint]]:
    endpoint = Endpoint(play)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            endpoint.bodies.append(json.loads(self.rfile.read(length)))
            endpoint.keys.append(self.headers["Authorization"])
            try:
                endpoint.play(self, endpoint)
            except OSError:  # the other side has hung up, as it should
                endpoint.over.set()
            self.close_connection = True

        def log_message(self, *_args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", endpoint
    finally:
        endpoint.over.set()
        server.shutdown()
        thread.join()
        server.server_close()
