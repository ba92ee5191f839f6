"""The replacement loop, played to its repaired end on the simulated cluster: what was predicted comes true."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from bot.entry.demo.asking import Nobody
from bot.entry.wiring.demo import rehearsed
from tests.support.redis import redis_server, redis_url

__all__ = ["redis_server", "redis_url"]


def test_the_replacement_that_is_predicted_is_seen(redis_url: str) -> None:
    shown = StringIO()
    with rehearsed("replacement-loop", redis_url, Console(file=shown, width=200), Nobody(), lang="en"):
        pass
    assert "last replacements: 1; seen: 1" in shown.getvalue()
