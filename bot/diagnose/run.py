"""Runs the checks: found, clean or cannot tell, and nothing in between."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from bot.checks.check import Check
from bot.model.findings import Blind, Finding
from bot.model.refs import CLUSTER
from bot.model.sections import NotInstalled
from bot.model.snapshot import Snapshot


class Answers(msgspec.Struct, frozen=True):
    """What the checks and the texts gave, in a fixed order."""

    findings: tuple[Finding, ...] = ()
    blind: tuple[Blind, ...] = ()

    def __add__(self, other: Answers) -> Answers:
        return Answers(self.findings + other.findings, self.blind + other.blind)


def run_checks(checks: Iterable[Check], snapshot: Snapshot) -> Answers:
    """Ask every check that applies to this cluster.

    A check whose required section is unknown is not run and answers "cannot tell"; one whose required section is
    not installed does not apply.
    """
    findings: list[Finding] = []
    blind: list[Blind] = []
    for check in checks:
        if any(isinstance(snapshot.section(one), NotInstalled) for one in check.reads) or not check.applies(snapshot):
            continue
        unknown = snapshot.unknown(check.reads)
        if unknown:
            section, why = next(iter(unknown.items()))
            blind.append(
                Blind(
                    check=check.name,
                    codes=check.codes,
                    subject=CLUSTER,
                    why=f"section-{why.reason.value}",
                    command=f"kubectl get {section.value} -A -o yaml",
                    values={"section": section.value, "detail": why.detail},
                    sections=tuple(unknown),
                )
            )
            continue
        for answer in check.run(snapshot):
            if isinstance(answer, Finding):
                findings.append(answer)
            else:
                blind.append(answer)
    return Answers(tuple(sorted(findings, key=_order)), tuple(blind))


def _order(finding: Finding) -> tuple[str, str]:
    return str(finding.subject), finding.code
