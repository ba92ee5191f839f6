"""Reads one file of Kubernetes objects: JSON or YAML, one document or many, lists taken apart."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import yaml

from bot.adapters.files.text import UnreadableDump, read_text

SUFFIXES = (".json", ".yaml", ".yml")


class Document(msgspec.Struct, frozen=True):
    """One object of a file. `item` is plain data; `listed` says that it came in a list.

    An empty list is one document without an item, so that "collected, and there is none" is not lost. `missing` says
    why a list is not whole; that too is a document without an item.
    """

    api_version: str
    kind: str
    item: dict[str, Any] | None
    listed: bool = False
    missing: str = ""


class PlainLoader(yaml.CSafeLoader):
    """YAML as Kubernetes means it: a timestamp stays a string."""


PlainLoader.yaml_implicit_resolvers = {
    first: [(tag, regex) for tag, regex in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


def documents(path: Path) -> Iterator[Document]:
    """Every object of the file; what has no `kind` is no object and is left out.

    Raises:
        UnreadableDump: the file cannot be read, is neither JSON nor YAML, or is cut off within a list.
    """
    text = read_text(path, errors="strict")
    try:
        parsed = list(_json(text) if path.suffix.lower() == ".json" else _yaml(text))
    except (ValueError, yaml.YAMLError) as why:
        raise UnreadableDump(path, str(why)) from None
    except RecursionError:
        raise UnreadableDump(path, "nested too deeply") from None
    for document in parsed:
        yield from _objects(document if isinstance(document, list) else [document])


def _json(text: str) -> Iterator[Any]:
    """JSON documents one after the other, as several `kubectl get -o json` into one file leave them."""
    decoder = json.JSONDecoder()
    rest = text.strip()
    while rest:
        document, end = decoder.raw_decode(rest)
        yield document
        rest = rest[end:].lstrip()


def _yaml(text: str) -> Iterator[Any]:
    """YAML documents; what is cut off at the end of a line is YAML still."""
    loader = PlainLoader(text)
    try:
        while loader.check_node():
            root = loader.get_node()
            if root is not None and _is_cut(root):
                raise ValueError("ends within a list: behind its items `kubectl get -o yaml` writes kind and metadata")
            yield loader.construct_document(root)
    finally:
        loader.dispose()


def _is_cut(root: yaml.Node) -> bool:
    """Whether nothing closes a list: kubectl sorts the keys, so that `kind` and `metadata` stand behind the items.

    A file that puts `kind` first closes it by `metadata`; braces close it as well.
    """
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        return False
    keys = [key.value for key, _ in root.value]
    if "items" not in keys:
        return False
    last = root.value[-1]
    return keys[-1] == "items" or (keys[-1] == "kind" and not last[1].value.endswith("List"))


def _objects(values: Iterable[Any]) -> Iterator[Document]:
    for value in values:
        if not isinstance(value, dict) or not value.get("kind"):
            continue
        kind, api_version = str(value["kind"]), str(value.get("apiVersion", ""))
        if not kind.endswith("List"):
            yield Document(api_version, kind, value)
            continue
        items, missing = _items(value)
        for item in items:
            of = str(item.get("kind") or kind.removesuffix("List"))
            yield Document(str(item.get("apiVersion") or api_version), of, item, listed=True)
        if missing or not items:
            yield Document(api_version, kind.removesuffix("List"), None, listed=True, missing=missing)


def _items(value: dict[str, Any]) -> tuple[list[dict[str, Any]], str]:
    """The objects of a list, and why they are not all, as a reason of the catalogue."""
    if "items" not in value:
        return [], "list-ends-early"
    found = value["items"]
    if found is not None and not isinstance(found, list):
        return [], "list-items-no-list"
    items = [item for item in found or () if isinstance(item, dict)]
    metadata = value.get("metadata")
    page = metadata if isinstance(metadata, dict) else {}
    if len(items) < len(found or ()):
        return items, "list-item-no-object"
    # A page of a longer list: https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks
    if page.get("continue") or page.get("remainingItemCount"):
        return items, "list-is-a-page"
    return items, ""
