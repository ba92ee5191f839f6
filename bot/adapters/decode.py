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


def section_of(api_version: str, kind: str) -> Section | None:
    """The section that an object of this kind belongs to, None if nothing reads it."""
    group = api_version.rpartition("/")[0]
    return SECTION_OF.get((group, kind))


def decode_objects(
    section: Section, items: Iterable[Any]
) -> tuple[tuple[KubeObject, ...], tuple[UnreadableObject, ...]]:
    """Decode plain data item by item; one object that does not decode does not hide the others.

    A null where the API's type allows none (hand-made dumps, some CRDs) counts as absent.
    """
    objects: list[KubeObject] = []
    unreadable: list[UnreadableObject] = []
    for item in items:
        try:
            objects.append(msgspec.convert(_without_nulls(item), TYPES[section]))
        except msgspec.ValidationError as why:
            unreadable.append(_unreadable(section, item, str(why)))
    return tuple(objects), tuple(unreadable)


def _unreadable(section: Section, item: Any, detail: str) -> UnreadableObject:
    metadata = item.get("metadata") if isinstance(item, dict) else None
    meta = metadata if isinstance(metadata, dict) else {}
    return UnreadableObject(section, str(meta.get("name", "?")), str(meta.get("namespace", "")), detail)


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_without_nulls(item) for item in value if item is not None]
    return value
