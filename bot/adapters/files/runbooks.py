"""Reads the front matter of the runbooks that ship with the bot."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from importlib.resources.abc import Traversable

import msgspec
import yaml


class BrokenRunbook(ValueError):
    """A runbook that cannot be read; the text names file, field and reason."""


class FrontMatter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a runbook says about itself: its name, and the codes of the roots that it repairs."""

    name: str
    roots: tuple[str, ...]


def runbook_names(folder: Traversable | None = None) -> Mapping[str, str]:
    """Root code -> name of the runbook that repairs it.

    Raises:
        BrokenRunbook: a runbook's front matter is missing or wrong.
    """
    folder = folder or resources.files("bot").joinpath("runbooks")
    names: dict[str, str] = {}
    for path in sorted(folder.iterdir(), key=lambda path: path.name):
        if path.name.endswith(".md") and path.name != "README.md":
            matter = _front_matter(path)
            names.update(dict.fromkeys(matter.roots, matter.name))
    return names


def _front_matter(path: Traversable) -> FrontMatter:
    _, marker, rest = path.read_text(encoding="utf-8").partition("---\n")
    text, end, _ = rest.partition("\n---\n")
    if not marker or not end:
        raise BrokenRunbook(f"{path.name}: no front matter between two lines of ---")
    try:
        matter = msgspec.convert(yaml.load(text, Loader=yaml.CSafeLoader), FrontMatter)
    except (yaml.YAMLError, msgspec.ValidationError) as why:
        raise BrokenRunbook(f"{path.name}: {why}") from None
    if matter.name not in (path.name.removesuffix(".md"), path.name.removesuffix(".ko.md")):
        raise BrokenRunbook(f"{path.name}: name: {matter.name!r} is not the file's")
    return matter
