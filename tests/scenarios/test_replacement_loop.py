"""The replacement loop from files: what stands in `expect.yaml`, and the figures that it does not hold."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.adapters.files.dump import DumpCluster
from bot.adapters.files.knowledge import load_knowledge, load_policies
from bot.app.ports import Read
from bot.checks import CHECKS
from bot.diagnose.diagnose import diagnose
from bot.model.diagnosis import Diagnosis
from bot.model.findings import Finding, Kind
from bot.model.refs import CLUSTER, Ref
from bot.model.sections import Section
from bot.model.snapshot import Snapshot

FOLDER = Path(__file__).parent / "replacement-loop"
CASES: list[dict[str, Any]] = yaml.safe_load((FOLDER / "expect.yaml").read_text(encoding="utf-8"))["cases"]
AT = datetime(2025, 6, 11, 8, 53, tzinfo=UTC)
MARKED = "node/ip-10-0-42-131.eu-west-1.compute.internal"


def snapshot_of(folder: Path, at: datetime) -> Snapshot:
    sections = list(Section)
    pages = DumpCluster(folder, "train-eu").read([Read(section=one) for one in sections])
    read: dict[str, Any] = {one.value: page.objects for one, page in zip(sections, pages, strict=True)}
    return Snapshot(at=at, repair_policies=load_policies(), **read)


def answer(folder: Path, at: datetime, *scope: Ref) -> Diagnosis:
    return diagnose(snapshot_of(folder, at), CHECKS, load_knowledge(), scope or (CLUSTER,))


@pytest.fixture
def whole() -> Diagnosis:
    return answer(FOLDER / "dump", AT)


def finding(diagnosis: Diagnosis, code: str) -> Finding:
    return next(one for one in diagnosis.findings if one.code == code)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_the_case(case: dict[str, Any], tmp_path: Path) -> None:
    dump = tmp_path / "dump"
    shutil.copytree(FOLDER / "dump", dump)
    for name in case["without"]:
        (dump / name).unlink()
    diagnosis = answer(dump, AT, *(Ref.parse(text) for text in case["scope"]))
    (root,) = diagnosis.roots
    kinds = {kind: {one.code for one in diagnosis.findings if one.kind is kind} for kind in Kind}
    assert diagnosis.verdict == case["verdict"]
    assert {
        "code": root.finding.code,
        "subject": str(root.finding.subject),
        "cause_seen": root.cause_seen,
    } == case["root"]
    links = {(one.cause[0], one.effect[0], one.certainty.value) for one in diagnosis.links}
    assert {tuple(link) for link in case.get("chain", ())} <= links
    assert set(case.get("ruled_out", ())) <= kinds[Kind.RULED_OUT]
    assert set(case.get("facts", ())) <= kinds[Kind.FACT]
    assert set(case.get("do_not", ())) <= kinds[Kind.DO_NOT]
    assert set(case.get("not_seen", ())) <= {code for one in diagnosis.blind for code in one.codes}
    assert root.finding.code not in case.get("forbidden_roots", ())
    assert set(case.get("affected", ())) <= {str(subject) for _, subject in diagnosis.affected}
    assert [str(subject) for _, subject in diagnosis.not_examined] == case.get("not_examined", [])


def test_four_replacements_about_every_twelve_minutes(whole: Diagnosis) -> None:
    values = finding(whole, "replacements").values
    assert (values["count"], values["interval"], values["toleration"]) == (4, "11m50s", "10m")
    assert not [one for one in whole.findings if one.code == "interval-differs"]


def test_the_row_that_fires_and_the_next_deletion(whole: Diagnosis) -> None:
    row = finding(whole, "repair-policy").values
    assert (row["condition"], row["status"], row["toleration"]) == ("AcceleratedHardwareReady", "False", "10m")
    following = finding(whole, "next-deletion")
    assert str(following.subject) == MARKED
    assert following.values["at"] == datetime(2025, 6, 11, 8, 59, tzinfo=UTC)


def test_a_pool_of_one_allows_one(whole: Diagnosis) -> None:
    assert dict(finding(whole, "repair-breaker").values) == {"nodes": 1, "unhealthy": 1, "allowed": 1}
    assert finding(whole, "node-repair-blocked").kind is Kind.FACT


def test_the_root_names_image_and_machines(whole: Diagnosis) -> None:
    (root,) = whole.roots
    assert root.finding.onset is not None
    assert root.finding.onset.at == datetime(2025, 6, 11, 8, 1, 40, tzinfo=UTC)
    assert root.finding.values["architecture"] == "arm64"
    assert (root.finding.values["machines"], root.finding.values["generations"]) == (5, 5)
    assert any("libdcgm.so not Found" in one.quote for one in root.finding.evidence)


def test_who_acts_and_by_which_gate(whole: Diagnosis) -> None:
    acting = finding(whole, "karpenter-node-repair")
    assert acting.kind is Kind.ACTING
    assert "NodeRepair=true" in acting.evidence[0].quote


def test_every_link_has_evidence_on_both_ends(whole: Diagnosis) -> None:
    for link in whole.links:
        assert whole.finding(link.cause).evidence, link
        assert whole.finding(link.effect).evidence, link


def test_what_karpenter_1_14_wrote_is_recognised() -> None:
    """Rebuilt after a run of Karpenter 1.14.1 whose tolerations were 40 times shorter than the table's."""
    diagnosis = answer(FOLDER / "karpenter-1.14", datetime(2026, 11, 30, 6, 25, 34, tzinfo=UTC))
    (root,) = diagnosis.roots
    assert (root.finding.code, root.cause_seen) == ("dcgm-library-missing", True)
    steps = {(one.cause[0], one.effect[0]) for one in diagnosis.links}
    assert ("gpu-condition-false", "node-repair-deletes") in steps
    assert ("node-repair-deletes", "node-replacement-loop") in steps
    assert ("node-replacement-loop", "workload-disrupted") in steps
    assert finding(diagnosis, "replacements").values["count"] == 4
    assert dict(finding(diagnosis, "interval-differs").values) == {"interval": "22s", "toleration": "10m"}
    assert finding(diagnosis, "deletion-running").kind is Kind.FACT
