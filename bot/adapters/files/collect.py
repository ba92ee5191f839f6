"""Puts the files of a dump together: which sections were collected, which failed, which are not installed.

An object that lies in several files counts once: the one with the newest `resourceVersion`, else the last read.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bot.adapters.decode import decode_objects, section_of
from bot.adapters.files.documents import SUFFIXES, Document, UnreadableDump, documents
from bot.app.ports import Pages
from bot.model.sections import RESOURCES, NotInstalled, Section, Unknown, UnknownReason

_CRD = "CustomResourceDefinition"
_CRD_FILES = frozenset({"crd", "crds", "customresourcedefinitions"})
#: Groups of Kubernetes itself: served by every API server, whatever CRDs there are.
_BUILT_IN = frozenset({"", "apps", "coordination.k8s.io"})
_REFUSED = frozenset({401, 403})
_SECTIONS = {one.value: one for one in Section}


class Collection:
    """What the files of one folder hold.

    Raises:
        UnreadableDump: the folder is not there, or a file of it cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise UnreadableDump(f"{folder}: no such folder")
        self._items: dict[Section, dict[tuple[str, str], Any]] = {}
        self._failed: dict[Section, Unknown | NotInstalled] = {}
        self._served: set[tuple[str, str]] = set()
        self._knows_served = False
        for path in sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES):
            self._add_file(path)

    def pages(self) -> dict[Section, Pages]:
        """The sections that something is known of; every other one was not collected."""
        found = dict(self._absent())
        for section, items in self._items.items():
            objects, unreadable = decode_objects(section, items.values())
            found[section] = Pages(objects=objects, unreadable=unreadable)
        # A list that failed says that the objects which lie in other files are not all.
        return {**found, **{section: Pages(objects=why) for section, why in self._failed.items()}}

    def _add_file(self, path: Path) -> None:
        stem = path.name.partition(".")[0].lower()
        named = _SECTIONS.get(stem)
        found = list(documents(path))
        if not found and named is not None:
            self._failed[named] = Unknown(UnknownReason.FAILED, f"{path}: holds no Kubernetes object")
        if stem in _CRD_FILES and any(one.listed for one in found):
            self._knows_served = True
        for one in found:
            self._add(one, named)

    def _add(self, one: Document, named: Section | None) -> None:
        if one.kind == "Status":
            if named is not None:
                self._failed[named] = _refusal(one.item or {})
            return
        if one.kind == _CRD:
            self._add_definition(one)
            return
        section = section_of(one.api_version, one.kind)
        if one.item is None:
            # `kubectl get` writes an empty result as `kind: List`: only the file's name says of what.
            section = named if one.kind == "" else section
        if section is None:
            return
        items = self._items.setdefault(section, {})
        if one.item is not None:
            key = _key(one.item, len(items))
            if key not in items or _newer(items[key], one.item):
                items[key] = one.item

    def _add_definition(self, one: Document) -> None:
        """A definition; only a list of them tells what is *not* there."""
        self._knows_served |= one.listed
        spec = _part(one.item or {}, "spec")
        self._served.add((str(spec.get("group", "")), str(_part(spec, "names").get("plural", ""))))

    def _absent(self) -> Iterator[tuple[Section, Pages]]:
        if not self._knows_served:
            return
        for resource in RESOURCES.values():
            plural = resource.section.value
            if resource.group not in _BUILT_IN and (resource.group, plural) not in self._served:
                yield resource.section, Pages(objects=NotInstalled(f"{plural}.{resource.group}"))


def _refusal(status: dict[str, Any]) -> Unknown | NotInstalled:
    """What the API server's `Status` in place of a list means."""
    code, message = status.get("code"), str(status.get("message", ""))
    if code == 404:
        return NotInstalled(message)
    return Unknown(UnknownReason.FORBIDDEN if code in _REFUSED else UnknownReason.FAILED, message)


def _key(item: dict[str, Any], number: int) -> tuple[str, str]:
    """Namespace and name; an object without a name is only itself."""
    metadata = _part(item, "metadata")
    name = str(metadata.get("name") or metadata.get("uid") or "")
    return str(metadata.get("namespace", "")), name or f"/{number}"


def _newer(old: dict[str, Any], new: dict[str, Any]) -> bool:
    before, after = (str(_part(one, "metadata").get("resourceVersion", "")) for one in (old, new))
    return not (before.isdigit() and after.isdigit()) or int(after) >= int(before)


def _part(item: dict[str, Any], field: str) -> dict[str, Any]:
    value = item.get(field)
    return value if isinstance(value, dict) else {}
