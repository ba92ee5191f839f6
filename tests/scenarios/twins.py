"""What is asked of the answer to a twin: its roots, its faults, its codes."""

from __future__ import annotations

from datetime import UTC, datetime

from bot.adapters.files.knowledge import load_knowledge
from bot.checks import CHECKS
from bot.diagnose.diagnose import diagnose
from bot.model.diagnosis import Diagnosis
from bot.model.findings import Kind
from bot.model.hosttext import HostSource, HostText
from bot.model.snapshot import Snapshot

AT = datetime(2026, 10, 30, 16, 40, tzinfo=UTC)
KNOWLEDGE = load_knowledge()
MARKED = "ip-10-0-42-131.eu-west-1.compute.internal"
XID = "[ 100.123456] NVRM: Xid (PCI:0000:00:1e.0): 79, pid=1, GPU has fallen off the bus.\n"


def answer(snapshot: Snapshot) -> Diagnosis:
    return diagnose(snapshot, CHECKS, KNOWLEDGE)


def roots(found: Diagnosis) -> list[str]:
    return [f"{one.finding.code} {one.finding.subject}" for one in found.roots]


def codes(found: Diagnosis, kind: Kind) -> set[str]:
    return {one.code for one in found.findings if one.kind is kind}


def faults(found: Diagnosis) -> set[str]:
    return {f"{code} {subject}" for code, subject in found.inferred} | {
        f"{one.code} {one.subject}" for one in found.findings if one.kind is Kind.FAULT
    }


def seen_roots(found: Diagnosis) -> set[str]:
    return {one.finding.code for one in found.roots if one.cause_seen}


def text(words: str, node: str = "omen2", source: HostSource = HostSource.JOURNAL, unit: str = "kubelet") -> HostText:
    return HostText(node=node, source=source, unit=unit if source is HostSource.JOURNAL else "", text=words)
