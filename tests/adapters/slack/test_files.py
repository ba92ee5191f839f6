"""Axes: size against the limit, whose address it is, what Slack answers, and how long it takes."""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from bot.adapters.slack.files import SlackFiles
from bot.app.ports.people import FileTooBig, FileUnreadable
from tests.support.slack_server import BOT_TOKEN, SlackServer


@pytest.fixture
def server() -> Iterator[SlackServer]:
    with SlackServer() as server:
        yield server


def files(server: SlackServer, **options: Any) -> SlackFiles:
    return SlackFiles(BOT_TOKEN, server.api_url, **options)


@pytest.mark.parametrize("size", [0, 1, 99_999, 100_000])
def test_a_file_within_the_limit_is_read_whole(server: SlackServer, size: int) -> None:
    url = server.add_file("kubelet.log", b"x" * size)["url_private"]
    assert files(server).read(url, 100_000) == b"x" * size


def test_one_byte_more_is_too_big(server: SlackServer) -> None:
    url = server.add_file("kubelet.log", b"x" * 100_001)["url_private"]
    with pytest.raises(FileTooBig):
        files(server).read(url, 100_000)


@pytest.mark.parametrize("scopes", [frozenset(), frozenset({"chat:write"})])
def test_slacks_login_page_is_not_taken_for_the_file(server: SlackServer, scopes: frozenset[str]) -> None:
    url = server.add_file("kubelet.log", b"x")["url_private"]
    server.scopes = scopes
    with pytest.raises(FileUnreadable, match="slack-file-login"):
        files(server).read(url, 10)


@pytest.mark.parametrize(
    "url",
    [
        "https://files.slack.com.evil.example/a",
        "https://evil.example/files.slack.com",
        "https://evilslack.com/a",
        "http://files.slack.com/a",
        "file:///etc/passwd",
        "http://127.0.0.1:1/a",
        "",
    ],
)
def test_the_token_goes_to_slack_only(server: SlackServer, url: str) -> None:
    with pytest.raises(FileUnreadable, match="slack-file-address"):
        files(server).read(url, 10)


def test_no_redirect_is_followed_with_the_token(server: SlackServer) -> None:
    server.redirects["kubelet.log"] = f"{server.url}/files-pri/T0TEAM-other"
    url = server.add_file("kubelet.log", b"x")["url_private"]
    with pytest.raises(FileUnreadable, match="HTTP 302"):
        files(server).read(url, 10)


def test_a_file_that_drips_is_left(server: SlackServer) -> None:
    url = server.add_file("kubelet.log", b"x" * 10)["url_private"]
    ticks = itertools.count(0, 5)
    with pytest.raises(FileUnreadable, match=r"slack-file-slow 2$"):
        files(server, monotonic=lambda: float(next(ticks))).read(url, 10)


def test_a_server_that_is_away_is_a_failure() -> None:
    with SlackServer() as server:
        url = server.add_file("kubelet.log", b"x")["url_private"]
        reader = files(server)
    with pytest.raises(FileUnreadable, match="URLError"):
        reader.read(url, 10)
