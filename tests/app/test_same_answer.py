"""A question reads a small part of the cluster: the answer has to be the one that the whole of it gives.

Axes: scenario, what is asked, also of what is gone by now.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.adapters.files.dump import DumpCluster
from bot.adapters.files.knowledge import load_knowledge, load_policies
from bot.app.investigate import Investigator
from bot.app.ports import Cluster
from bot.checks import CHECKS
from bot.model.diagnosis import Diagnosis
from bot.model.refs import Ref
from tests.support.clusters import FixedClock, Selecting

SCENARIOS = Path(__file__).parent.parent / "scenarios"
QUESTIONS = {
    "swap-kubelet": ["cluster", "node/omen2", "vm/vms/gpu-fedora", "vm/vms/rhel9-gpu-vm", "node/omen1"],
    "replacement-loop": [
        "cluster",
        "nodepool/gpu",
        "nodeclaim/gpu-vh9cx",
        "deploy/training/trainer",
        "pod/training/trainer-5d9f7c6b84-tq8rz",
        "pod/training/trainer-5d9f7c6b84-k2vqx",
        "node/ip-10-0-42-131.eu-west-1.compute.internal",
        "node/ip-10-0-41-17.eu-west-1.compute.internal",
    ],
}


def asked(scenario: str, question: str, *, narrow: bool) -> Diagnosis:
    dump = DumpCluster(SCENARIOS / scenario / "dump", "lab")
    cluster: Cluster = Selecting(dump) if narrow else dump
    one = Investigator(
        cluster=cluster,
        hosts=dump,
        clock=FixedClock(),
        checks=CHECKS,
        knowledge=load_knowledge(),
        repair_policies=load_policies(),
    )
    return one.investigate([Ref.parse(question)], dump.newest()).diagnosis


@pytest.mark.parametrize(
    ("scenario", "question"), [(scenario, one) for scenario, questions in QUESTIONS.items() for one in questions]
)
def test_the_part_that_is_read_gives_the_answer_of_the_whole(scenario: str, question: str) -> None:
    part, whole = (asked(scenario, question, narrow=narrow) for narrow in (True, False))
    assert part.verdict is whole.verdict
    assert [(root.finding.key, root.open_causes) for root in part.roots] == [
        (root.finding.key, root.open_causes) for root in whole.roots
    ]
    assert part.links == whole.links
    assert part.affected == whole.affected
    assert part.roots
