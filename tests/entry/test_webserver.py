"""The server in its thread: it answers, ends when told, and says why it cannot listen."""

import socket
from collections.abc import Iterator

import httpx
import pytest
from prometheus_client import CollectorRegistry

from bot.entry.webhook import Door, webhook_app
from bot.entry.webserver import CannotListen, WebServer
from tests.entry.fakes import MemoryQueue


@pytest.fixture
def server() -> Iterator[WebServer]:
    door = Door(queue=MemoryQueue(), token=None, channels={}, alive={}, ready={}, registry=CollectorRegistry())
    one = WebServer(webhook_app(door), "127.0.0.1", 0)
    yield one
    one.stop()
    assert one.join(10)


def test_it_answers_until_it_is_told_to_stop(server: WebServer) -> None:
    assert not server.alive()
    server.start()
    assert server.alive()
    reply = httpx.get(f"http://127.0.0.1:{server.port}/healthz")
    assert (reply.status_code, "server" in reply.headers) == (200, False)
    server.stop()
    assert server.join(10)
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"http://127.0.0.1:{server.port}/healthz")


def test_an_address_that_is_taken(server: WebServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        server.port = taken.getsockname()[1]
        with pytest.raises(CannotListen, match=f"127.0.0.1:{server.port}: .*in use"):
            server.start()
