"""From bytes or plain data to the structs of `model.objects`: one seam for the live API and for dumps."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from bot.model.objects import KubeObject
from bot.model.sections import RESOURCES, Section, UnreadableObject
from bot.model.snapshot import TYPES

#: Section by (apiVersion's group, kind); the version is left out, since what is installed decides it.
SECTION_OF: dict[tuple[str, str], Section] = {(one.group, one.kind): one.section for one in RESOURCES.values()}

#: Custom resources nest about twenty levels deep at most.
_DEEPEST = 100


def section_of(api_version: str, kind: str) -> Section | None:
    """The section that an object of this kind belongs to, None if nothing reads it."""
    group = api_version.rpartition("/")[0]
    return SECTION_OF.get((group, kind))


def decode_objects(
    section: Section, items: Iterable[Any]
) -> tuple[tuple[KubeObject, ...], tuple[UnreadableObject, ...]]:
    """Decode plain data item by item; one object that does not decode does not hide the others.

    A null where the API's type allows none (hand-made dumps, some CRDs) counts as absent. Every object has a name;
    only events come without one from some writers, and nothing asks for an event by its name.
    """
    objects: list[KubeObject] = []
    unreadable: list[UnreadableObject] = []
    for item in items:
        try:
            one = msgspec.convert(_sound(item), TYPES[section])
        except (msgspec.ValidationError, _TooDeep) as why:
            unreadable.append(_unreadable(section, item, str(why)))
            continue
        if one.name or section is Section.EVENTS:
            objects.append(one)
        else:
            unreadable.append(_unreadable(section, item, "it has no metadata.name"))
    return tuple(objects), tuple(unreadable)


def _unreadable(section: Section, item: Any, detail: str) -> UnreadableObject:
    metadata = item.get("metadata") if isinstance(item, dict) else None
    meta = metadata if isinstance(metadata, dict) else {}
    name, namespace = (_text(str(meta.get(field, missing))) for field, missing in (("name", "?"), ("namespace", "")))
    return UnreadableObject(section, name, namespace, detail)


class _TooDeep(ValueError):
    """Nested deeper than any object of Kubernetes, or within itself (an alias of YAML)."""


def _sound(value: Any, depth: int = 0) -> Any:
    """The value without nulls, and every text such that it can be written again."""
    if depth > _DEEPEST:
        raise _TooDeep("nested too deeply")
    if isinstance(value, dict):
        return {_text(key): _sound(item, depth + 1) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_sound(item, depth + 1) for item in value if item is not None]
    return _text(value)


def _text(value: Any) -> Any:
    r"""A text without the half of a character that JSON's `\ud800` may leave, which no encoding can write."""
    if isinstance(value, str) and not value.isascii():
        return value.encode("utf-8", "replace").decode("utf-8")
    return value
