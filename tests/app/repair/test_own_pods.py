"""The bot's own pods on a node. Axes: what is done there, whose pods they are and where, what cannot be read."""

from __future__ import annotations

from typing import Any

import pytest

from bot.app.repair.own_pods import OwnPods
from bot.model.refs import node
from bot.model.sections import Unknown, UnknownReason
from bot.remedy.plan import Note
from bot.remedy.runbook import Verb
from tests.support.clusters import MemoryCluster
from tests.support.objects import thing


def pod(name: str, namespace: str, on: str) -> dict[str, Any]:
    return thing("Pod", name, namespace, spec={"nodeName": on})


PODS = (
    pod("redis-0", "gpu-autopsy", "omen2"),
    pod("bot-1", "gpu-autopsy", "omen2"),
    pod("bot-2", "gpu-autopsy", "a"),
    pod("job", "ml", "omen2"),
)
HERE = Note("repair-own-pods", {"name": "omen2", "pods": "bot-1, redis-0"})
FAILED = Unknown(UnknownReason.FAILED, "time-out")


@pytest.mark.parametrize(
    ("verb", "on", "namespace", "notes"),
    [
        (Verb.HOST, "omen2", "gpu-autopsy", (HERE,)),
        (Verb.HOST, "b", "gpu-autopsy", ()),
        (Verb.HOST, "omen2", "elsewhere", ()),
        (Verb.HOST, "omen2", "", ()),
        (Verb.CORDON, "omen2", "gpu-autopsy", ()),
    ],
    ids=["here", "another node", "not in this cluster", "nobody knows where", "no work on a host"],
)
def test_whoever_works_on_its_host_is_told(verb: Verb, on: str, namespace: str, notes: tuple[Note, ...]) -> None:
    assert OwnPods(MemoryCluster(*PODS), namespace).notes(verb, node(on)) == notes


def test_what_cannot_be_read_is_said() -> None:
    blind = MemoryCluster(*PODS, answer=lambda _: FAILED)
    (note,) = OwnPods(blind, "gpu-autopsy").notes(Verb.HOST, node("omen2"))
    values = {"name": "omen2", "why": "section-failed", "section": "pods", "detail": "time-out"}
    assert note == Note("repair-own-pods-unread", values)
