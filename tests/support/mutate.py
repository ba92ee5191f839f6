"""Twins of a snapshot: the same picture with objects or fields changed, as plain data and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from bot.model.sections import Section, UnreadableObject
from bot.model.snapshot import TYPES, Snapshot

#: The sections of a snapshot that were read, as the API writes their objects.
Plain = dict[str, list[dict[str, Any]]]
#: Where a value stands in plain data: section, place of the object, then keys and places.
Path = tuple[str | int, ...]


def plain(snapshot: Snapshot) -> Plain:
    """The objects of every section that is known."""
    return {
        one.value: msgspec.json.decode(msgspec.json.encode(value))
        for one in Section
        if isinstance(value := snapshot.section(one), tuple)
    }


def twin(snapshot: Snapshot, change: Callable[[Plain], object], **more: Any) -> Snapshot:
    """The snapshot with its objects changed; `more` are fields of the snapshot itself."""
    data = plain(snapshot)
    change(data)
    return _back(snapshot, data, **more)


def one_of(data: Plain, section: str, name: str) -> dict[str, Any]:
    """The object of this name."""
    return next(one for one in data[section] if one["metadata"]["name"] == name)


def condition_of(thing: dict[str, Any], kind: str) -> dict[str, Any]:
    """The object's condition of this type."""
    found: dict[str, Any] = next(one for one in thing["status"]["conditions"] if one["type"] == kind)
    return found


def paths(snapshot: Snapshot) -> tuple[Path, ...]:
    """Every object of the snapshot, and every value inside of one."""
    data = plain(snapshot)
    return tuple(
        path
        for section in sorted(data)
        for place, thing in enumerate(data[section])
        for path in _inside((section, place), thing)
    )


def _inside(path: Path, value: Any) -> Iterator[Path]:
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield from _inside((*path, key), one)


def without_path(snapshot: Snapshot, path: Path) -> Snapshot:
    """The snapshot without one object or one field; an object that does not decode without it is unreadable."""
    data = plain(snapshot)
    holder: Any = data
    for key in path[:-1]:
        holder = holder[key]
    del holder[path[-1]]
    return _back(snapshot, data)


def _back(snapshot: Snapshot, data: Plain, **more: Any) -> Snapshot:
    sections: dict[str, tuple[Any, ...]] = {}
    unreadable = list(snapshot.unreadable)
    for name, things in data.items():
        section = Section(name)
        good = []
        for thing in things:
            try:
                good.append(msgspec.convert(thing, TYPES[section]))
            except msgspec.ValidationError as why:
                metadata = thing.get("metadata", {})
                unreadable.append(
                    UnreadableObject(section, metadata.get("name", ""), metadata.get("namespace", ""), str(why))
                )
        sections[name] = tuple(good)
    return msgspec.structs.replace(snapshot, **{**sections, "unreadable": tuple(unreadable), **more})
