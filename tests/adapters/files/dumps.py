"""What a dump gives for a section."""

from __future__ import annotations

from pathlib import Path

from bot.adapters.files.dump import DumpCluster
from bot.app.ports import Read
from bot.model.objects import KubeObject
from bot.model.sections import NotInstalled, Section, Unknown


def section(folder: Path, which: Section) -> tuple[KubeObject, ...] | Unknown | NotInstalled:
    return DumpCluster(folder, "lab").read([Read(section=which)])[0].objects


def names(folder: Path, which: Section = Section.NODES) -> list[str]:
    found = section(folder, which)
    assert isinstance(found, tuple)
    return [one.name for one in found]
