"""A dump of a cluster: a folder of `kubectl get -o json|yaml` files, read as if it were the cluster.

Objects lie in files of any name, as lists or single documents. A section that no file holds was not collected.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import yaml

from bot.adapters.decode import decode_objects, section_of
from bot.app.ports import Pages, Read
from bot.model.hosttext import PodLog
from bot.model.objects import KubeObject
from bot.model.refs import Ref
from bot.model.sections import Section, Unknown, UnknownReason, UnreadableObject
from bot.model.snapshot import NOT_COLLECTED

_SUFFIXES = (".json", ".yaml", ".yml")


class _Loader(yaml.CSafeLoader):
    """YAML as Kubernetes means it: a timestamp stays a string."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, regex) for tag, regex in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


class UnreadableDump(ValueError):
    """A dump that cannot be read; the text names the file and the reason."""


class DumpCluster:
    """`app.ports.Cluster` over a folder. Everything is read once, when it is made.

    Raises:
        UnreadableDump: the folder is not there, or a file is neither JSON nor YAML.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self.name = name
        self._pages: dict[Section, Pages] = _sections(folder)

    def read(self, reads: Sequence[Read]) -> tuple[Pages, ...]:
        """Every object of the section; selectors are not applied, more than was asked for does no harm."""
        return tuple(self._pages.get(one.section, Pages(objects=NOT_COLLECTED)) for one in reads)

    def pod_log(self, pod: Ref, container: str, *, previous: bool = False) -> PodLog | Unknown:
        """The log file of a container."""
        return Unknown(UnknownReason.NOT_COLLECTED, f"{pod} {container}")


def _sections(folder: Path) -> dict[Section, Pages]:
    if not folder.is_dir():
        raise UnreadableDump(f"{folder}: no such folder")
    items: dict[Section, list[Any]] = {}
    for path in sorted(path for path in folder.rglob("*") if path.suffix in _SUFFIXES):
        for api_version, kind, item in _objects(path):
            section = section_of(api_version, kind)
            if section is not None:
                items.setdefault(section, []).append(item)
    return {section: _pages(section, found) for section, found in items.items()}


def _pages(section: Section, items: list[Any]) -> Pages:
    objects: tuple[KubeObject, ...]
    unreadable: tuple[UnreadableObject, ...]
    objects, unreadable = decode_objects(section, items)
    return Pages(objects=objects, unreadable=unreadable)


def _objects(path: Path) -> Iterator[tuple[str, str, Any]]:
    """(apiVersion, kind, object) of every object in the file, lists taken apart."""
    for document in _documents(path):
        if not isinstance(document, dict):
            continue
        kind = str(document.get("kind", ""))
        if not kind.endswith("List"):
            yield str(document.get("apiVersion", "")), kind, document
            continue
        for item in document.get("items") or ():
            if isinstance(item, dict):
                api_version = item.get("apiVersion") or document.get("apiVersion", "")
                yield str(api_version), str(item.get("kind") or kind.removesuffix("List")), item


def _documents(path: Path) -> Iterator[Any]:
    text = path.read_text(encoding="utf-8")
    try:
        if path.suffix == ".json":
            yield json.loads(text)
        else:
            yield from yaml.load_all(text, Loader=_Loader)
    except (ValueError, yaml.YAMLError, msgspec.DecodeError) as why:
        raise UnreadableDump(f"{path}: {why}") from None
