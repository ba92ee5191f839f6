"""The endpoint as it may behave, played by a real server on loopback; deadlines are arguments, nothing is timed."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from bot.adapters.llm.openai import LARGEST, OpenAiWriter
from bot.app.writer import Writer, WriterFailed

KEY = "sk-" + "test" * 8


def completion(content: object) -> bytes:
    return json.dumps({"id": "1", "object": "chat.completion", "choices": [{"message": {"content": content}}]}).encode()


class Endpoint:
    """What was asked, and until when a handler may hang."""

    def __init__(self) -> None:
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
    endpoint = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            endpoint.bodies.append(json.loads(self.rfile.read(length)))
            endpoint.keys.append(self.headers["Authorization"])
            try:
                play(self, endpoint)
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


def test_a_good_endpoint_is_asked_once_without_tools() -> None:
    with endpoint_that(says(completion("words"))) as (url, endpoint):
        writer: Writer = OpenAiWriter(url, KEY, "small")
        assert writer.write("instructions", "evidence") == "words"
    body = endpoint.bodies[0]
    assert body["messages"] == [
        {"role": "system", "content": "instructions"},
        {"role": "user", "content": "evidence"},
    ]
    assert body["model"] == "small"
    assert not {"tools", "functions", "tool_choice"} & body.keys()
    assert endpoint.keys == [f"Bearer {KEY}"]


BAD: dict[str, tuple[Play, str]] = {
    "garbage": (says(b"<html>no</html>"), "no chat completion"),
    "no utf-8": (says(b'{"choices": [{"message": {"content": "\xff"}}]}'), "no chat completion"),
    "another object": (says(b'{"error": "x"}'), "no chat completion"),
    "no choice": (says(b'{"choices": []}'), "an empty chat completion"),
    "no content": (says(completion(None)), "an empty chat completion"),
    "content that is no text": (says(completion([1])), "no chat completion"),
    "401": (says(b'{"error": {"message": "Incorrect API key provided: ' + KEY.encode() + b'"}}', 401), "status 401"),
    "429": (says(b'{"error": {"message": "slow down"}}', 429), "status 429"),
    "500": (says(b"", 500), "status 500"),
    "huge": (says(completion("x" * (LARGEST * 4))), f"more than {LARGEST} bytes"),
}


@pytest.mark.parametrize(("play", "reason"), BAD.values(), ids=BAD)
def test_a_bad_endpoint_is_a_reason_asked_once_and_the_key_is_not_told(play: Play, reason: str) -> None:
    with endpoint_that(play) as (url, endpoint), pytest.raises(WriterFailed) as failed:
        OpenAiWriter(url, KEY, "small").write("instructions", "evidence")
    assert str(failed.value) == reason
    assert len(endpoint.bodies) == 1


@pytest.mark.parametrize("play", [hangs, drips], ids=["hang", "slow drip"])
def test_an_endpoint_without_end_is_abandoned_at_the_deadline(play: Play) -> None:
    with endpoint_that(play) as (url, _endpoint), pytest.raises(WriterFailed, match=r"no answer within 0\.3 s|Timeout"):
        OpenAiWriter(url, KEY, "small", deadline=0.3).write("instructions", "evidence")


def test_a_dripping_connection_is_closed_after_it_was_abandoned() -> None:
    with endpoint_that(drips) as (url, endpoint):
        with pytest.raises(WriterFailed):
            OpenAiWriter(url, KEY, "small", deadline=0.3).write("instructions", "evidence")
        assert endpoint.over.wait(20)


def test_a_connection_that_breaks_is_a_reason() -> None:
    with endpoint_that(closes) as (url, _endpoint), pytest.raises(WriterFailed) as failed:
        OpenAiWriter(url, KEY, "small").write("instructions", "evidence")
    assert KEY not in str(failed.value)


def test_nobody_listens() -> None:
    with endpoint_that(says(b"")) as (url, _endpoint):
        pass
    with pytest.raises(WriterFailed, match="APIConnectionError"):
        OpenAiWriter(url, KEY, "small").write("instructions", "evidence")
