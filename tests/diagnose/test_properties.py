"""What holds for every picture: order means nothing, and what is taken away only ever adds "cannot tell"."""

import random
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.adapters.files.knowledge import load_knowledge
from bot.checks import CHECKS
from bot.diagnose.diagnose import diagnose
from bot.model.diagnosis import Diagnosis, Verdict
from bot.model.findings import Code, Kind
from bot.model.sections import Section, Unknown, UnknownReason
from bot.model.snapshot import Snapshot
from tests.support.mutate import Path as Removed
from tests.support.mutate import paths, without_path
from tests.support.scenarios import FOLDER, snapshot_of

KNOWLEDGE = load_knowledge()
SCENARIOS = sorted(path.parent.name for path in FOLDER.glob("*/expect.yaml"))
#: Each scenario's chain: no root may come from anywhere else, whatever is taken away.
CHAINS = {
    "swap-kubelet": {"kubelet-swap-on", "kubelet-down", "node-not-ready", "gpu-not-offered", "vm-unschedulable"},
    "replacement-loop": {
        "dcgm-library-missing",
        "dcgm-unreachable",
        "monitor-dcgm-failed",
        "gpu-condition-false",
        "node-repair-deletes",
        "node-replacement-loop",
        "node-repair-blocked",
        "workload-disrupted",
    },
}


#: What may be a root whose cause is seen: everything else in the chains is an effect of something.
CAUSES = {"swap-kubelet": {"kubelet-swap-on"}, "replacement-loop": {"dcgm-library-missing"}}


def _load(name: str) -> Snapshot:
    with TemporaryDirectory() as scratch:
        return snapshot_of(FOLDER / name / "dump", None, (), Path(scratch))


SNAPSHOTS = {name: _load(name) for name in SCENARIOS}


def answer(snapshot: Snapshot) -> Diagnosis:
    return diagnose(snapshot, CHECKS, KNOWLEDGE)


#: A device that the list does not name is not permitted: here what is gone is no evidence, it is a setting.
SETTINGS = [
    ("kubevirts", 0, *["spec", "configuration", "permittedHostDevices", "pciHostDevices"][:n]) for n in range(1, 5)
]
PATHS = {
    name: tuple(one for one in paths(snapshot) if one not in SETTINGS and one[:6] != SETTINGS[-1])
    for name, snapshot in SNAPSHOTS.items()
}
WHOLE = {name: answer(snapshot) for name, snapshot in SNAPSHOTS.items()}


@pytest.mark.parametrize("name", SCENARIOS)
@given(seed=st.integers(min_value=0, max_value=2**16))
@settings(max_examples=8, deadline=None)
def test_shuffling_changes_nothing(name: str, seed: int) -> None:
    snapshot, chance = SNAPSHOTS[name], random.Random(seed)
    sections = {one.value: value for one in Section if isinstance(value := snapshot.section(one), tuple)}
    shuffled = {key: tuple(chance.sample(value, len(value))) for key, value in sections.items()}
    texts = tuple(chance.sample(snapshot.host_texts, len(snapshot.host_texts)))
    assert answer(msgspec.structs.replace(snapshot, **shuffled, host_texts=texts)) == WHOLE[name]


def _causes(code: Code) -> set[Code]:
    """Every code that may stand before this one."""
    above = set(KNOWLEDGE.links.possible_causes(code))
    return above | {further for one in above for further in _causes(one)}


@pytest.mark.parametrize("name", SCENARIOS)
@given(gone=st.sets(st.sampled_from(list(Section)), min_size=1), texts=st.booleans())
@settings(max_examples=40, deadline=None)
def test_what_is_taken_away_only_adds_cannot_tell(name: str, gone: set[Section], texts: bool) -> None:
    snapshot = SNAPSHOTS[name]
    blank = Unknown(UnknownReason.FORBIDDEN, "403")
    less = msgspec.structs.replace(
        snapshot, **{one.value: blank for one in gone}, host_texts=snapshot.host_texts if texts else ()
    )
    found, whole = answer(less), WHOLE[name]
    assert {one.finding.code for one in found.roots} <= CHAINS[name]
    assert found.verdict is not Verdict.HEALTHY
    faults = {one.key for one in found.findings if one.kind is Kind.FAULT} - found.inferred
    assert faults <= {one.key for one in whole.findings if one.kind is Kind.FAULT}
    open_codes = {code for one in found.blind for code in one.codes}
    lost = {one.code for one in whole.findings if one.kind is Kind.FAULT} - {code for code, _ in faults}
    # A host's text is only asked for where a finding opens the question, an effect where its cause can be told.
    asked = {code for code in lost if not (_causes(code) & open_codes)} - {row.code for row in KNOWLEDGE.signatures}
    assert asked <= open_codes


def _wrong(name: str, removed: Removed, texts: bool) -> list[str]:
    """What is wrong with the answer where this is gone: a root from elsewhere, a symptom as the cause."""
    less = without_path(SNAPSHOTS[name], removed)
    found = answer(less if texts else msgspec.structs.replace(less, host_texts=()))
    roots = {one.finding.code: one.cause_seen for one in found.roots}
    wrong = [f"{code} is not of the chain" for code in set(roots) - CHAINS[name]]
    wrong += [f"{code} is a symptom" for code, seen in roots.items() if seen and code not in CAUSES[name]]
    return wrong + (["healthy"] if found.verdict is Verdict.HEALTHY else [])


@pytest.mark.parametrize("texts", [True, False], ids=["texts", "no texts"])
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_single_object_that_is_gone_makes_no_other_root(name: str, texts: bool) -> None:
    wrong = {one: said for one in PATHS[name] if len(one) == 2 and (said := _wrong(name, one, texts))}
    assert not wrong


@pytest.mark.parametrize("name", SCENARIOS)
@given(data=st.data(), texts=st.booleans())
@settings(max_examples=80, deadline=None)
def test_a_single_field_that_is_gone_makes_no_other_root(name: str, data: st.DataObject, texts: bool) -> None:
    assert not _wrong(name, data.draw(st.sampled_from(PATHS[name])), texts)
