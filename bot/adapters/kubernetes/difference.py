"""What a dry run would change, as lines for people: without what changes by itself and without the bot's own marks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import unified_diff
from typing import Any

from bot.adapters.kubernetes.mutations import Json

#: Changes with every write or heartbeat, or names the step itself.
_BY_ITSELF = re.compile(
    r"^metadata\.(managedFields|resourceVersion|generation)\b"
    r"|\.annotations\[(autopsy\.io/[^]]*|deprecated\.daemonset\.template\.generation)\]$"
    r"|\.lastHeartbeatTime$"
)
#: Lists whose entries are told apart by a key rather than by their place.
_KEYS = ("name", "type", "key")
#: Maps whose keys are people's own words, and keys that are written like a field's.
_FREE = re.compile(r"(^data|\.labels|\.annotations)$")
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_MOST = 200


def changes(before: Json, after: Json) -> dict[str, tuple[str, str]]:
    """The values before and after, by field path, of every field that differs; a missing one is empty."""
    old, new = dict(_leaves(before, "")), dict(_leaves(after, ""))
    return {
        path: (old.get(path, ""), new.get(path, ""))
        for path in sorted(old.keys() | new.keys())
        if old.get(path) != new.get(path) and not _BY_ITSELF.search(path)
    }


def lines(found: dict[str, tuple[str, str]]) -> str:
    """One line for each value that goes and comes; texts of several lines as a unified difference."""
    return "\n".join(line for path, (old, new) in found.items() for line in _lines(path, old, new))


def _lines(path: str, old: str, new: str) -> Iterator[str]:
    if "\n" in old or "\n" in new:
        yield f"  {path}:"
        inner = list(unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=1))[2:]
        yield from (line for line in inner[:_MOST] if not line.startswith("@@"))
        if len(inner) > _MOST:
            yield f"  … (+{len(inner) - _MOST})"
        return
    if old:
        yield f"- {path}: {old}"
    if new:
        yield f"+ {path}: {new}"


def _leaves(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            free = _FREE.search(path) or not _PLAIN.fullmatch(key)
            yield from _leaves(inner, f"{path}[{key}]" if free else f"{path}.{key}".lstrip("."))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _leaves(inner, f"{path}[{_name(inner, index)}]")
    elif value is not None:
        yield path, ("true" if value else "false") if isinstance(value, bool) else str(value)


def _name(entry: Any, index: int) -> str:
    if isinstance(entry, dict):
        return next((str(entry[key]) for key in _KEYS if entry.get(key)), str(index))
    return str(index)
