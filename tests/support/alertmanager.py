"""A real Alertmanager on loopback, as a child process, and a server that answers in its place."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from tests.support.ports import free_port

#: What the program is called: by Debian, and by the project itself.
NAMES = ("prometheus-alertmanager", "alertmanager")
#: Seconds that it may take to answer after its start.
_START = 30.0


def find_alertmanager() -> str | None:
    """The path of the program, None if this machine has none."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


@contextmanager
def answering(status: int, body: bytes) -> Iterator[tuple[str, list[tuple[Mapping[str, str], bytes]]]]:
    """Answers every POST alike, and a GET with an empty list: its address, and what was posted, headers and body."""
    seen: list[tuple[Mapping[str, str], bytes]] = []

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"[]")

        def do_POST(self) -> None:
            seen.append((dict(self.headers), self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(status)
            self.send_header("Location", "/elsewhere")
            self.end_headers()
            self.wfile.write(body)

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}", seen
        finally:
            server.shutdown()
            thread.join()


class Alertmanager:
    """Speaks to a running Alertmanager through its API v2."""

    def __init__(self, address: str) -> None:
        self.address = address

    def tell(self, *alerts: Mapping[str, Any]) -> None:
        """Post alerts as Prometheus does."""
        request = urllib.request.Request(
            f"{self.address}/api/v2/alerts",
            json.dumps(alerts).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=10) as reply:
            assert reply.status == 200

    def ready(self) -> bool:
        """Whether it answers."""
        try:
            with urllib.request.urlopen(f"{self.address}/-/ready", timeout=1) as reply:
                return bool(reply.status == 200)
        except (urllib.error.URLError, OSError):
            return False


def alert(
    labels: Mapping[str, str], starts: datetime, ends: datetime | None = None, **annotations: str
) -> dict[str, Any]:
    """An alert as Prometheus posts it; one with an end in the past is resolved."""
    return {
        "labels": dict(labels),
        "annotations": annotations,
        "startsAt": starts.isoformat(),
        **({"endsAt": ends.isoformat()} if ends else {}),
    }


@contextmanager
def alertmanager(program: str, folder: Path, url: str, token: str, group_by: Sequence[str]) -> Iterator[Alertmanager]:
    """Run it with one route to a webhook; ends it afterwards. Its log is `alertmanager.log` in the folder."""
    config = {
        "route": {
            "receiver": "bot",
            "group_by": list(group_by),
            "group_wait": "500ms",
            "group_interval": "1s",
            "repeat_interval": "1h",
        },
        "receivers": [
            {
                "name": "bot",
                "webhook_configs": [
                    {
                        "url": url,
                        "send_resolved": True,
                        "http_config": {"authorization": {"type": "Bearer", "credentials": token}},
                    }
                ],
            }
        ],
    }
    # JSON is YAML.
    (folder / "alertmanager.yml").write_text(json.dumps(config))
    port = free_port()
    with (folder / "alertmanager.log").open("wb") as log:
        process = subprocess.Popen(
            [
                program,
                f"--config.file={folder / 'alertmanager.yml'}",
                f"--storage.path={folder / 'data'}",
                f"--web.listen-address=127.0.0.1:{port}",
                "--cluster.listen-address=",
            ],
            stdout=log,
            stderr=log,
            env={"PATH": os.environ.get("PATH", "")},
        )
        try:
            server = Alertmanager(f"http://127.0.0.1:{port}")
            until = time.monotonic() + _START
            while not server.ready():
                if process.poll() is not None or time.monotonic() > until:
                    raise RuntimeError((folder / "alertmanager.log").read_text())
                time.sleep(0.05)
            yield server
        finally:
            process.terminate()
            process.wait(10)
