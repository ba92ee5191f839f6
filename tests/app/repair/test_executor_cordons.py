"""Cordons by the executor. Axes: how many nodes the bot keeps cordoned, what of it is on its way."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.app.repair.executor import LEASE
from bot.remedy.runbook import Verb
from tests.app.repair.small import Small
from tests.support.repair import Fuse, Killed
from tests.support.things import node


def test_a_cordon_waits_while_the_bot_keeps_as_many_nodes_cordoned_as_it_may(redis_url: str) -> None:
    small = Small(redis_url, verb=Verb.CORDON)
    small.cluster.others = [
        {**node("a", annotations={"autopsy.io/exec-id": "x"}), "spec": {"unschedulable": True}},
    ]
    small.approve()
    small.run()
    assert (small.hands.effects, small.states()) == ([], ["approved", "pending"])
    assert small.refused_in_audit() == ["repair-too-many-cordoned"]

    small.cluster.others = []
    small.run()
    assert len(small.hands.effects) == 1


def test_a_cordon_on_its_way_counts_for_every_process(redis_url: str) -> None:
    small, fuse = Small(redis_url, verb=Verb.CORDON), Fuse(1)
    small.approve()
    with pytest.raises(Killed):
        small.run(small.replica("dying", fuse, names=("claim",)))
    assert small.journal.read("").budget.cordoning == 1
    small.clock.pass_by(LEASE + timedelta(seconds=1))
    for _ in range(2):
        small.run(small.replica("heir"))
    assert (len(small.hands.effects), small.journal.read("").budget.cordoning) == (1, 0)
