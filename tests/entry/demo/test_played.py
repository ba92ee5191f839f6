"""The replacement loop, played to its repaired end on the simulated cluster: what was predicted comes true."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from bot.adapters.redis.embedded import EmbeddedServer
from bot.entry.demo.asking import Nobody
from bot.entry.wiring.demo import rehearsed
from tests.support.redis import binary

#: Half a minute of waiting for world time.
pytestmark = pytest.mark.real


def test_the_replacement_that_is_predicted_is_seen() -> None:
    shown = StringIO()
    with (
        EmbeddedServer(binary("embedded")) as redis,
        rehearsed("replacement-loop", redis.url, Console(file=shown, width=200), Nobody(), lang="en"),
    ):
        pass
    assert "last replacements: 1; seen: 1" in shown.getvalue()
