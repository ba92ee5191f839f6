"""Axes: how we end; where the folder lies; what is missing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import redis

from bot.adapters.redis.client import connect_reader
from bot.adapters.redis.durability import Confirming, Durability
from bot.adapters.redis.embedded import LONGEST_SOCKET, EmbeddedServer, NoEmbeddedServer, binary_in, valkey_binary

#: A shell's background job ignores the interrupt, and its children inherit that.
_OWNER = """
import signal
import sys
from pathlib import Path
from bot.adapters.redis.durability import Confirming, Durability
from bot.adapters.redis.embedded import EmbeddedServer
signal.signal(signal.SIGINT, signal.default_int_handler)
server = EmbeddedServer(Path(sys.argv[1]))
print(server.url, flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def binary() -> Path:
    try:
        return valkey_binary()
    except NoEmbeddedServer as why:
        pytest.skip(str(why))


def owner(binary: Path, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _OWNER, str(binary)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )


def gone(folder: Path) -> bool:
    """Whether the folder vanishes, which is the last thing that happens; a deadline only for the broken case."""
    deadline = time.monotonic() + 20
    while folder.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    return not folder.exists()


@pytest.mark.parametrize("end", ["exit", "interrupt", "kill"])
def test_it_ends_with_us_however_we_end(binary: Path, end: str) -> None:
    with owner(binary) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        url = process.stdout.readline().strip()
        with connect_reader(url) as client:
            assert client.ping()
            if end == "exit":
                process.stdin.write("\n")
                process.stdin.flush()
            else:
                process.send_signal(signal.SIGINT if end == "interrupt" else signal.SIGKILL)
            assert gone(Path(url.removeprefix("unix://")).parent)
            with pytest.raises(redis.ConnectionError):
                client.ping()


def test_it_listens_nowhere_else_and_lets_nobody_else_in(binary: Path) -> None:
    with EmbeddedServer(binary) as server, connect_reader(server.url) as client:
        socket = Path(server.url.removeprefix("unix://"))
        assert "'0'" in str(client.config_get("port"))
        assert socket.stat().st_mode & 0o777 == 0o700
        assert socket.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("durable", [True, False])
def test_each_write_is_on_disk_before_it_is_answered_where_that_is_asked_for(binary: Path, durable: bool) -> None:
    with EmbeddedServer(binary, durable=durable) as server, connect_reader(server.url) as client:
        assert ("read-only-redis-appendonly-off" in Confirming(client, Durability.STRICT).preflight()) is not durable
        setting = client.config_get("appendfsync")
        assert not durable or "always" in str(setting)


def test_a_long_temporary_folder_is_avoided(binary: Path, tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 120)
    deep.mkdir()
    with owner(binary, TMPDIR=str(deep)) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert 0 < len(url.removeprefix("unix://")) <= LONGEST_SOCKET
        process.kill()
        assert gone(Path(url.removeprefix("unix://")).parent)
    assert list(deep.iterdir()) == []


def test_stopping_twice_does_nothing(binary: Path) -> None:
    server = EmbeddedServer(binary)
    server.stop()
    server.stop()
    assert gone(Path(server.url.removeprefix("unix://")).parent)


@pytest.mark.parametrize(
    ("script", "words"),
    [("#!/bin/sh\necho no memory left; exit 1\n", "no memory left"), ("", "start")],
    ids=["it says why", "it is no program"],
)
def test_a_server_that_does_not_start_says_why(tmp_path: Path, script: str, words: str) -> None:
    binary = tmp_path / "valkey-server"
    binary.write_text(script)
    binary.chmod(0o755)

    with pytest.raises(NoEmbeddedServer, match=words):
        EmbeddedServer(binary)


@pytest.mark.parametrize(
    ("system", "machine", "folder"),
    [("Linux", "x86_64", "linux-x86_64"), ("Linux", "AMD64", "linux-x86_64"), ("Darwin", "arm64", "darwin-arm64")],
)
def test_the_binary_is_that_of_the_platform(tmp_path: Path, system: str, machine: str, folder: str) -> None:
    there = tmp_path / "_binaries" / folder / "valkey-server"
    there.parent.mkdir(parents=True)
    there.touch()

    assert binary_in(tmp_path, system, machine) == there


def test_a_platform_without_a_binary_is_named(tmp_path: Path) -> None:
    (tmp_path / "_binaries" / "linux-x86_64").mkdir(parents=True)

    with pytest.raises(NoEmbeddedServer, match=r"no server for linux-riscv64 \(it has: linux-x86_64\)"):
        binary_in(tmp_path, "Linux", "riscv64")
