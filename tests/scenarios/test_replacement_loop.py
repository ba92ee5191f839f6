"""The replacement loop from files: the figures that `expect.yaml` does not hold, and what Karpenter 1.14 wrote."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from bot.adapters.files.knowledge import load_knowledge
from bot.checks import CHECKS
from bot.diagnose.diagnose import diagnose
from bot.model.diagnosis import Diagnosis
from bot.model.findings import Finding, Kind
from bot.model.sections import Section
from bot.model.snapshot import NOT_COLLECTED, Snapshot
from tests.support.scenarios import snapshot_of

FOLDER = Path(__file__).parent / "replacement-loop"
MARKED = "node/ip-10-0-42-131.eu-west-1.compute.internal"


@pytest.fixture
def snapshot(tmp_path: Path) -> Snapshot:
    return snapshot_of(FOLDER / "dump", None, (), tmp_path)


@pytest.fixture
def whole(snapshot: Snapshot) -> Diagnosis:
    return diagnose(snapshot, CHECKS, load_knowledge())


def finding(diagnosis: Diagnosis, code: str) -> Finding:
    return next(one for one in diagnosis.findings if one.code == code)


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
    assert whole.links
    for link in whole.links:
        assert whole.finding(link.cause).evidence, link
        assert whole.finding(link.effect).evidence, link


@pytest.mark.parametrize("section", list(Section))
def test_blanking_a_section_only_adds_cannot_tell(snapshot: Snapshot, whole: Diagnosis, section: Section) -> None:
    blanked = msgspec.structs.replace(snapshot, **{section.value: NOT_COLLECTED})
    diagnosis = diagnose(blanked, CHECKS, load_knowledge())
    assert {one.key for one in diagnosis.findings} <= {one.key for one in whole.findings}
    assert diagnosis.verdict == "broken"


def test_the_order_of_objects_changes_nothing(snapshot: Snapshot, whole: Diagnosis) -> None:
    turned = {one.value: snapshot.section(one) for one in Section}
    turned = {name: value[::-1] if isinstance(value, tuple) else value for name, value in turned.items()}
    assert diagnose(msgspec.structs.replace(snapshot, **turned), CHECKS, load_knowledge()) == whole


def test_what_karpenter_1_14_wrote_is_recognised(tmp_path: Path) -> None:
    """Rebuilt after a run of Karpenter 1.14.1 whose tolerations were 40 times shorter than the table's."""
    real = snapshot_of(FOLDER / "karpenter-1.14", None, (), tmp_path)
    diagnosis = diagnose(real, CHECKS, load_knowledge())
    (root,) = diagnosis.roots
    assert (root.finding.code, root.cause_seen) == ("dcgm-library-missing", True)
    steps = {(one.cause[0], one.effect[0]) for one in diagnosis.links}
    assert ("gpu-condition-false", "node-repair-deletes") in steps
    assert ("node-repair-deletes", "node-replacement-loop") in steps
    assert ("node-replacement-loop", "workload-disrupted") in steps
    assert finding(diagnosis, "replacements").values["count"] == 4
    assert dict(finding(diagnosis, "interval-differs").values) == {
        "interval": "22s",
        "interval_seconds": 22,
        "toleration": "10m",
        "toleration_seconds": 600,
    }
    assert finding(diagnosis, "deletion-running").kind is Kind.FACT
