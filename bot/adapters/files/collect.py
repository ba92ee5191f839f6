"""Puts the files of a dump together: which sections were collected, which failed, which are not installed.

An object that lies in several files counts once: the one with the newest `resourceVersion`, else the last read.
A file that cannot be read hides only what it may have held: the section that its name says, else something of any.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bot.adapters.decode import decode_objects, section_of
from bot.adapters.files.documents import SUFFIXES, Document, documents
from bot.adapters.files.text import UnreadableDump
from bot.app.ports import Pages
from bot.model.sections import RESOURCES, NotInstalled, Section, Unknown, UnknownReason
from bot.model.snapshot import UnreadFile

_CRD = "CustomResourceDefinition"
_CRD_FILES = frozenset({"crd", "crds", "customresourcedefinitions"})
#: Groups of Kubernetes itself: served by every API server, whatever CRDs there are.
_BUILT_IN = frozenset({"", "apps", "coordination.k8s.io"})
_REFUSED = (401, 403)
_SECTIONS = {one.value: one for one in Section}


class Collection:
    """What the files of one folder hold. `unread` are those that could not be read.

    Raises:
        UnreadableDump: the folder is not there.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise UnreadableDump(folder, "file-no-folder")
        self.read: set[Path] = set()
        self.unread: tuple[UnreadFile, ...] = ()
        self._items: dict[Section, dict[tuple[str, str], Any]] = {}
        self._failed: dict[Section, Unknown | NotInstalled] = {}
        #: Files without any object: what `kubectl` leaves where it failed, also for want of the resource.
        self._empty: dict[Section, Unknown] = {}
        self._gaps: dict[Section, Unknown] = {}
        #: Something is missing, and nothing says of which section.
        self._missing: Unknown | None = None
        self._served: set[tuple[str, str]] = set()
        self._knows_served = False
        for path in sorted(path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES):
            self.read.add(path)
            self._add_file(path)

    def pages(self) -> dict[Section, Pages]:
        """The sections that something is known of; every other one was not collected."""
        absent = dict(self._absent())
        found = dict(absent)
        if self._missing is not None:
            found = {**dict.fromkeys(Section, Pages(objects=self._missing)), **absent}
        for section, items in self._items.items():
            objects, unreadable = decode_objects(section, items.values())
            gap = self._gaps.get(section, self._missing)
            found[section] = Pages(objects=objects, unreadable=unreadable, gap=gap)
        # A list that failed says that the objects which lie in other files are not all.
        failed = {one: why for one, why in self._empty.items() if one not in absent} | self._failed
        found |= {section: Pages(objects=why) for section, why in failed.items()}
        return found

    def _add_file(self, path: Path) -> None:
        stem = path.name.partition(".")[0].lower()
        named = _SECTIONS.get(stem)
        try:
            found = list(documents(path))
        except UnreadableDump as why:
            self.unread += (UnreadFile(str(path), why.why),)
            self._lacks(named, Unknown(UnknownReason.FAILED, f"{path}: {why.why}"))
            return
        if not found and named is not None:
            self._empty[named] = Unknown(UnknownReason.FAILED, f"file-without-objects {path}")
        if stem in _CRD_FILES and any(one.listed for one in found):
            self._knows_served = True
        for one in found:
            self._add(path, one, named)

    def _lacks(self, section: Section | None, why: Unknown) -> None:
        """Nothing is known of what is missing: of the section, of any where nobody knows of which."""
        if section is None:
            self._missing = self._missing or why
        else:
            self._failed[section] = why

    def _add(self, path: Path, one: Document, named: Section | None) -> None:
        if one.kind == "Status":
            self._refused(path, one.item or {}, named)
            return
        if one.kind == _CRD:
            self._add_definition(one)
            return
        section = section_of(one.api_version, one.kind)
        if one.item is None:
            # `kubectl get` writes an empty result as `kind: List`: only the file's name says of what.
            section = named if one.kind == "" else section
        if one.missing:
            self._in_part(path, one, section)
        if section is None:
            return
        items = self._items.setdefault(section, {})
        if one.item is not None:
            key = _key(one.item, len(items))
            if key not in items or _newer(items[key], one.item):
                items[key] = one.item

    def _in_part(self, path: Path, one: Document, section: Section | None) -> None:
        """A list that is not whole; of a kind that nothing reads it takes nothing away."""
        why = Unknown(UnknownReason.FAILED, f"{one.missing} {path}")
        if section is not None:
            self._gaps.setdefault(section, why)
        elif not one.kind:
            self._lacks(None, why)

    def _refused(self, path: Path, status: dict[str, Any], named: Section | None) -> None:
        """The API server's `Status` in place of a list, of the resource that the file names, else the answer itself."""
        section = named or _SECTIONS.get(str(_part(status, "details").get("kind", "")).lower())
        code, message = status.get("code"), str(status.get("message", ""))
        if section is not None and code == 404:
            self._failed[section] = NotInstalled(message)
            return
        reason = UnknownReason.FORBIDDEN if code in _REFUSED else UnknownReason.FAILED
        told = message if named else f"{path}: {message or 'a Status in place of objects'}"
        if section is None:
            self.unread += (UnreadFile(str(path), message or "a Status in place of objects"),)
        self._lacks(section, Unknown(reason, told))

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
