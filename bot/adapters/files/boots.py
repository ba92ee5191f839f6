"""Takes a journal apart at the markers that `journalctl` writes between two boots."""

from __future__ import annotations

import re

from bot.model.hosttext import ENDED_BOOT

#: `-- Boot 0f3c… --` (systemd 250 and later) and `-- Reboot --` (before); journalctl(1).
MARKER = re.compile(r"^-- (?:Boot (?P<id>[0-9a-f]{32})|Reboot) --\s*$")
_FIELD = re.compile(r"\b_BOOT_ID=([0-9a-f]{32})\b")


def by_boot(text: str) -> tuple[tuple[str, str], ...]:
    """(boot id, lines of that boot), oldest first; the id is empty where the text names none.

    What stands before `-- Reboot --` is of `ENDED_BOOT`.
    """
    parts: list[tuple[str, list[str]]] = [("", [])]
    for line in text.splitlines():
        hit = MARKER.match(line)
        if hit is None:
            parts[-1][1].append(line)
            continue
        if not hit["id"]:
            parts[-1] = (ENDED_BOOT, parts[-1][1])
        parts.append((hit["id"] or "", []))
    return tuple((boot or _named(lines), "\n".join(lines)) for boot, lines in parts if any(map(str.strip, lines)))


def _named(lines: list[str]) -> str:
    ids = [hit[1] for line in lines if (hit := _FIELD.search(line))]
    return ids[-1] if ids else ""
