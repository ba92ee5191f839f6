"""How much of Redis's memory an incident takes whose plan was carried out: `python -m tests.bench.storing`.

Both rehearsed outages are played to their repaired end on the embedded server, each on a server of its own. What has no
expiry stays for good: the audit, the plan, its report in every language.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from io import StringIO

from rich.console import Console

from bot.adapters.redis.client import connect
from bot.adapters.redis.embedded import EmbeddedServer, valkey_binary
from bot.entry.demo.asking import Nobody
from bot.entry.demo.scripts import SCRIPTS
from bot.entry.wiring.demo import rehearsal

EXPIRES = "(expires)"


def stored(scenario: str) -> Mapping[str, int]:
    """Bytes of memory by the kind of key."""
    found: Counter[str] = Counter()
    nobody = Console(file=StringIO())
    with (
        EmbeddedServer(valkey_binary(), durable=True) as redis,
        connect(redis.url) as client,
        rehearsal(scenario, redis.url, nobody, Nobody(), lang="en") as ready,
    ):
        ready.play()
        for key in client.scan_iter():
            kind = key.decode().split(":")[2] if client.ttl(key) < 0 else EXPIRES
            found[kind] += client.memory_usage(key, samples=0) or 0
    return found


def main() -> None:
    """Play and print."""
    for scenario in SCRIPTS:
        found = stored(scenario)
        for_good = sum(size for kind, size in found.items() if kind != EXPIRES)
        parts = ", ".join(f"{kind} {size:,}" for kind, size in sorted(found.items(), key=lambda one: -one[1]))
        sys.stdout.write(f"{scenario}: {for_good:,} bytes for good; {parts}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
