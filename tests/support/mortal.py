"""A process that carries out what is approved, and is killed at a call that the environment names.

`python -m tests.support.mortal REDIS KUBECONFIG AT NAME`; `DIES=send:3:after` ends it by SIGKILL right after its third
write to the API server: nothing of the program's runs any more.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from bot.adapters.kubernetes.client import connect
from bot.adapters.kubernetes.cluster import LiveCluster
from bot.adapters.kubernetes.hands import PATIENCE, KubernetesHands
from tests.support.redis import SetClock
from tests.support.restarting import executor_of, journal_of

DIES = "DIES"
#: What is counted: the journal's calls, and requests to the API server (`send` are writes, dry runs included).
CALLS = ("read", "commit", "note", "known", "plans", "get", "send")


class Mortal:
    """A port whose calls are counted together with those of the others; at one of them the process ends."""

    def __init__(self, thing: Any, calls: Counter[str], dies: str) -> None:
        self._thing = thing
        self._calls = calls
        self._dies = dies

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._thing, name)
        if name not in CALLS:
            return method

        def call(*args: Any, **options: Any) -> Any:
            self._calls[name] += 1
            self._reached(f"{name}:{self._calls[name]}:before")
            answer = method(*args, **options)
            self._reached(f"{name}:{self._calls[name]}:after")
            return answer

        return call

    def _reached(self, point: str) -> None:
        if point == self._dies:
            os.kill(os.getpid(), signal.SIGKILL)


def main(url: str, kubeconfig: str, at: str, name: str, environment: Mapping[str, str]) -> None:
    """Work once, and print how often each call was made."""
    clock, calls, dies = SetClock(datetime.fromisoformat(at)), Counter[str](), environment.get(DIES, "")
    client, _ = connect(Path(kubeconfig), None, PATIENCE)
    mortal: Any = Mortal(client, calls, dies)
    journal: Any = Mortal(journal_of(url, "lab", clock), calls, dies)
    executor_of(journal, LiveCluster.connect(Path(kubeconfig)), KubernetesHands(mortal), clock, name).run_once()
    sys.stdout.write("\n".join(f"{call} {count}" for call, count in calls.items()))


if __name__ == "__main__":
    main(*sys.argv[1:5], os.environ)
