"""Scenarios: a dump, read into a snapshot, and what its `expect.yaml` says of the answer."""

from __future__ import annotations

import re
import shutil
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
import yaml

from bot.adapters.files.dump import DumpCluster
from bot.adapters.files.knowledge import load_policies
from bot.app.ports import Read
from bot.model.hosttext import HostSource, HostText
from bot.model.sections import Section
from bot.model.snapshot import Snapshot

_TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z")
FOLDER = Path(__file__).parent.parent / "scenarios"


class ExpectedRoot(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A root that must lead; `cause_seen` says whether the chain ends there by what was seen."""

    code: str
    subject: str
    cause_seen: bool = True


class Case(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One question about the dump, and its answer; lists must be contained, except `only_roots` and `not_affected`.

    `without` are paths (files or folders) of the dump that are left away. `chain` rows are cause, effect, certainty.
    `at` is the newest time in the dump where it does not stand here.
    """

    name: str
    at: datetime | None = None
    without: tuple[str, ...] = ()
    scope: tuple[str, ...] = ("cluster",)
    verdict: str
    root: ExpectedRoot | None = None
    chain: tuple[tuple[str, str, str], ...] = ()
    ruled_out: tuple[str, ...] = ()
    proves_nothing: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    acting: tuple[str, ...] = ()
    not_seen: tuple[str, ...] = ()
    not_examined: tuple[str, ...] = ()
    do_not: tuple[str, ...] = ()
    affected: tuple[str, ...] = ()
    not_affected: tuple[str, ...] = ()
    forbidden_roots: tuple[str, ...] = ()
    only_roots: tuple[str, ...] = ()


class Expect(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An `expect.yaml`; what stands in `defaults` holds for every case that does not say otherwise."""

    cases: tuple[dict[str, Any], ...]
    defaults: dict[str, Any] = {}


def cases() -> list[tuple[Path, Case]]:
    """Every case of every scenario, with its dump."""
    return [(path.parent / "dump", case) for path in sorted(FOLDER.glob("*/expect.yaml")) for case in _cases(path)]


def _cases(path: Path) -> list[Case]:
    expect = msgspec.convert(yaml.safe_load(path.read_text(encoding="utf-8")), Expect)
    return [msgspec.convert({**expect.defaults, **one}, Case) for one in expect.cases]


def snapshot_of(dump: Path, at: datetime | None, without: tuple[str, ...], scratch: Path) -> Snapshot:
    """The dump as a snapshot, with some of its files left away (in a copy)."""
    copy = scratch / "dump"
    shutil.copytree(dump, copy)
    for one in without:
        target = copy / one
        shutil.rmtree(target) if target.is_dir() else target.unlink()
    cluster = DumpCluster(copy, "lab")
    pages = cluster.read([Read(section=one) for one in Section])
    sections = {section.value: page.objects for section, page in zip(Section, pages, strict=True)}
    unreadable = tuple(one for page in pages for one in page.unreadable)
    return Snapshot(
        at=at or newest(dump),
        **sections,
        host_texts=tuple(_texts(copy)),
        unreadable=unreadable,
        unread_files=cluster.unread,
        gaps={section: page.gap for section, page in zip(Section, pages, strict=True) if page.gap is not None},
        repair_policies=load_policies(),
    )


def newest(dump: Path) -> datetime:
    """The newest time that any object of the dump names."""
    texts = (path.read_text(encoding="utf-8") for path in dump.glob("*.yaml"))
    return max(datetime.fromisoformat(found) for text in texts for found in _TIME.findall(text))


def _texts(dump: Path) -> list[HostText]:
    journals = [
        HostText(node=node, unit=unit, source=HostSource.JOURNAL, text=path.read_text(encoding="utf-8"))
        for path in sorted(dump.glob("journal/*.log"))
        for node, _, unit in [path.stem.rpartition("_")]
    ]
    kernel = [
        HostText(node=path.stem, source=HostSource.DMESG, text=path.read_text(encoding="utf-8"))
        for path in sorted(dump.glob("dmesg/*.log"))
    ]
    return journals + kernel
