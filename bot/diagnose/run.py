"""Runs the checks: found, clean or cannot tell, and nothing in between."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from bot.checks.check import Check, unread
from bot.model.findings import Blind, Finding
from bot.model.sections import NotInstalled
from bot.model.snapshot import Snapshot


class Answers(msgspec.Struct, frozen=True):
    """What the checks and the texts gave, in a fixed order."""

    findings: tuple[Finding, ...] = ()
    blind: tuple[Blind, ...] = ()

    def __add__(self, other: Answers) -> Answers:
        return Answers(self.findings + other.findings, self.blind + other.blind)


def applicable(checks: Iterable[Check], snapshot: Snapshot) -> Iterator[Check]:
    """The checks that apply to this cluster: everything that one reads is installed, and it says so itself."""
    for check in checks:
        is_there = not any(isinstance(snapshot.section(one), NotInstalled) for one in check.reads)
        if is_there and check.applies(snapshot):
            yield check


def run_checks(checks: Iterable[Check], snapshot: Snapshot) -> Answers:
    """Ask every check that applies to this cluster.

    A check whose required section is unknown is not run and answers "cannot tell".
    """
    findings: list[Finding] = []
    blind: list[Blind] = []
    for check in applicable(checks, snapshot):
        if snapshot.unknown(check.reads):
            blind.append(unread(check.name, check.codes, snapshot, check.reads))
            continue
        for answer in check.run(snapshot):
            if isinstance(answer, Finding):
                findings.append(answer)
            else:
                blind.append(answer)
    return Answers(tuple(sorted(findings, key=_order)), tuple(sorted(blind, key=_order_blind)))


def _order(finding: Finding) -> tuple[str, str]:
    return str(finding.subject), finding.code


def _order_blind(blind: Blind) -> tuple[str, str, tuple[str, ...]]:
    return str(blind.subject), blind.check, blind.codes
