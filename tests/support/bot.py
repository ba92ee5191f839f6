"""The bot as people run it: `gpu-autopsy serve` as a process of its own, told everything by its environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

import httpx

from tests.support.ports import free_port
from tests.support.slack_server import APP_TOKEN, BOT_TOKEN, SlackServer

WEBHOOK_TOKEN = "correct-horse-battery"
#: Seconds for what must come at all; nothing is measured by it.
PATIENCE = 30.0
_ROOT = Path(__file__).parents[2]


def until(what: str, true: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    """Wait until it is true, and return what it was.

    Raises:
        AssertionError: it never was.
    """
    ends = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < ends, f"not within {seconds:g} s: {what}"
        time.sleep(0.02)
    return found


def settings(slack: SlackServer, redis_url: str, kubeconfig: Path, **other: str) -> dict[str, str]:
    """The least environment of a bot of the cluster `lab`, and other variables."""
    return {
        "AUTOPSY_CLUSTER": "lab",
        "AUTOPSY_WEBHOOK_HOST": "127.0.0.1",
        "AUTOPSY_WEBHOOK_TOKEN": WEBHOOK_TOKEN,
        "REDIS_URL": redis_url,
        "SLACK_BOT_TOKEN": BOT_TOKEN,
        "SLACK_APP_TOKEN": APP_TOKEN,
        "SLACK_API_URL": slack.api_url,
        "KUBECONFIG": str(kubeconfig),
    } | other


class Bot:
    """One process. As a context manager it ends by SIGTERM, and well, unless it has ended before."""

    def __init__(self, environ: Mapping[str, str], log: Path, *, port: int | None = None) -> None:
        self.port = port or free_port()
        self._environ = {**environ, "AUTOPSY_WEBHOOK_PORT": str(self.port)}
        self._path = log
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        status = self.stop() if self.runs else 0
        assert kind is not None or status == 0, f"exit status {status}:\n{self.output}"

    def start(self) -> Self:
        """Start it; its output goes to the end of the log."""
        clean = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        with self._path.open("ab") as out:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "bot", "serve"],
                env=clean | self._environ,
                cwd=_ROOT,
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        return self

    def kill(self) -> None:
        """End it as a node that goes away does."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def tell_to_stop(self) -> None:
        """SIGTERM, without waiting."""
        assert self._process is not None
        self._process.terminate()

    def wait(self) -> int:
        """The exit status, once it has ended."""
        assert self._process is not None
        try:
            return self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    def stop(self) -> int:
        """End it with SIGTERM; returns the exit status."""
        self.tell_to_stop()
        return self.wait()

    @property
    def runs(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def output(self) -> str:
        """Everything that it wrote so far, to standard output and error."""
        return self._path.read_text(encoding="utf-8")

    def log(self, *levels: str) -> list[dict[str, Any]]:
        """The lines of its log, of these levels if any are given."""
        lines = [json.loads(line) for line in self.output.splitlines()]
        return [line for line in lines if not levels or line["level"] in levels]

    def post(self, channel: str, group: Mapping[str, Any], token: str = WEBHOOK_TOKEN) -> httpx.Response:
        """Post a group as Alertmanager does."""
        url = f"http://127.0.0.1:{self.port}/alertmanager/{channel}"
        return httpx.post(
            url, json=group, headers={"Authorization": f"Bearer {token}"}, trust_env=False, timeout=PATIENCE
        )

    def get(self, path: str) -> httpx.Response | None:
        """One of its pages; None while nobody listens."""
        try:
            return httpx.get(f"http://127.0.0.1:{self.port}/{path}", trust_env=False, timeout=PATIENCE)
        except httpx.TransportError:
            return None

    def answers(self, path: str, code: int = 200) -> bool:
        """Whether this page is answered with this code."""
        answer = self.get(path)
        return answer is not None and answer.status_code == code
