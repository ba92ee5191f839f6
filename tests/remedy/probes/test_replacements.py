"""Axes: what came, went and was marked in a NodePool, when; how long it has to be quiet; what could not be read."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bot.model.refs import Ref
from bot.model.sections import Section
from bot.model.snapshot import RepairPolicy
from bot.remedy.probes import Answer, ProbeAnswer
from bot.remedy.runbook import Probe
from tests.remedy.probes.asking import FAILED, asked
from tests.remedy.probes.workloads import AGENT, POOL
from tests.support import replacement
from tests.support.replacement import AT, claim, cluster, event, mark

GPU_READY = "AcceleratedHardwareReady"


@pytest.mark.parametrize(
    ("nodes", "answer"),
    [
        ((replacement.node("a"), replacement.node("b", mark("True"))), Answer.HOLDS),
        ((replacement.node("a"), replacement.node("b", mark())), Answer.NOT_YET),
        ((replacement.node("other", mark(), pool="cpu"),), Answer.HOLDS),
        ((), Answer.HOLDS),
        (FAILED, Answer.CANNOT_TELL),
    ],
    ids=["gone or well", "one left", "of another pool", "no node", "unread"],
)
def test_the_condition_is_gone_from_the_pool(nodes: object, answer: Answer) -> None:
    said = asked(Probe.CONDITION_GONE, cluster(nodes=nodes), POOL, condition=GPU_READY)
    assert said.answer is answer
    assert said.evidence or answer is Answer.CANNOT_TELL


def test_the_condition_is_gone_from_one_node() -> None:
    picture = cluster(nodes=(replacement.node("a", mark()), replacement.node("b")))
    assert asked(Probe.CONDITION_GONE, picture, POOL, node="b", condition=GPU_READY).holds
    assert not asked(Probe.CONDITION_GONE, picture, Ref("node", "a"), condition=GPU_READY).holds
    assert asked(Probe.CONDITION_GONE, picture, AGENT, condition=GPU_READY).why == "repair-probe-malformed"


def test_a_part_of_the_nodes_does_not_show_that_none_carries_it() -> None:
    picture = cluster(nodes=(), gaps={Section.NODES: FAILED})
    assert asked(Probe.CONDITION_GONE, picture, POOL, condition=GPU_READY).answer is Answer.CANNOT_TELL


def quiet(*claims: Any, lasting: int = 3000, events: tuple[Any, ...] = (), **params: str) -> ProbeAnswer:
    picture = cluster(nodeclaims=claims, events=events)
    return asked(Probe.NO_REPLACEMENT, picture, POOL, lasting=lasting, **params)


@pytest.mark.parametrize(
    ("claims", "events", "held"),
    [
        ((claim("gpu-aaaaa", age=51),), (), True),
        ((claim("gpu-aaaaa", age=49),), (), False),
        ((claim("cpu-aaaaa", pool="cpu", age=1), claim("gpu-aaaaa")), (), True),
        ((claim("gpu-aaaaa", age=300, deleting=200),), (), False),
        ((claim("gpu-aaaaa"),), replacement.new_dialect([49]), False),
        ((claim("gpu-aaaaa"),), replacement.new_dialect([55]), True),
        ((), (), True),
    ],
    ids=["old enough", "too young", "of another pool", "deletion runs", "end in an event", "long ended", "no machine"],
)
def test_no_machine_came_or_went(claims: tuple[Any, ...], events: tuple[Any, ...], held: bool) -> None:
    said = quiet(*claims, events=events)
    assert said.answer is (Answer.HOLDS if held else Answer.NOT_YET)
    assert said.evidence


def test_an_end_that_karpenter_chose_is_no_replacement() -> None:
    ended = event("NodeClaim", "gpu-bbbbb", "Drained", 20)
    chosen = event("NodeClaim", "gpu-bbbbb", "DisruptionTerminating", 21, "Disrupting NodeClaim: Underutilized")
    assert not quiet(claim("gpu-aaaaa"), events=(ended,)).holds
    assert quiet(claim("gpu-aaaaa"), events=(ended, chosen)).holds


def test_quiet_counts_from_the_repair_at_the_earliest() -> None:
    ago = {name: (AT - timedelta(minutes=minutes)).isoformat() for name, minutes in (("new", 10), ("old", 55))}
    assert not quiet(claim("gpu-aaaaa"), since=ago["new"]).holds
    assert quiet(claim("gpu-aaaaa"), since=ago["old"]).holds
    assert quiet(claim("gpu-aaaaa"), since=(AT + timedelta(days=9)).isoformat()).holds


def test_what_happened_is_told_beside_what_was_predicted() -> None:
    since = (AT - timedelta(minutes=90)).isoformat()
    said = quiet(claim("gpu-zzzzz"), events=replacement.new_dialect([100, 80, 60]), since=since, predicted="1")
    assert (said.holds, said.values["count"], said.values["predicted"]) == (True, "2", "1")


@pytest.mark.parametrize(("minutes", "count"), [(90, "2"), (70, "1"), (55, "0")])
def test_replacements_are_counted_where_karpenter_tells_of_nodes_only(minutes: int, count: str) -> None:
    since = (AT - timedelta(minutes=minutes)).isoformat()
    said = quiet(claim("gpu-zzzzz"), events=replacement.old_dialect([100, 80, 60]), since=since)
    assert (said.holds, said.values["count"]) == (True, count)


@pytest.mark.parametrize(("minutes", "count"), [(61, "1"), (60, "1"), (59.95, "0"), (59, "0")])
def test_a_deletion_that_began_before_the_repair_is_not_counted_though_it_drained_after(
    minutes: float, count: str
) -> None:
    since = (AT - timedelta(minutes=minutes)).isoformat()
    begun = f"All pods will be deleted by {AT - timedelta(minutes=60):%Y-%m-%dT%H:%M:%SZ}"
    node = event("Node", "ip-10-0-0-1", "TerminationGracePeriodExpiring", 60, begun)
    said = quiet(claim("gpu-zzzzz"), events=(*replacement.new_dialect([60]), node), since=since)
    assert (said.holds, said.values["count"]) == (True, count)


@pytest.mark.parametrize(
    ("seconds", "age", "held"),
    [(15, 76 / 60, True), (15, 74 / 60, False), (600, 51, True), (600, 49, False), (0, 51, True), (0, 49, False)],
    ids=["sped up", "sped up, too soon", "of AWS", "of AWS, too soon", "no row", "no row, too soon"],
)
def test_quiet_lasts_so_many_tolerations_of_the_policy(seconds: int, age: float, held: bool) -> None:
    rows = [RepairPolicy("Ready", "False", timedelta(hours=9))]
    rows += [RepairPolicy(GPU_READY, "False", timedelta(seconds=seconds))] if seconds else []
    picture = cluster(nodeclaims=(claim("gpu-aaaaa", age=age),), events=(), repair_policies=tuple(rows))
    assert asked(Probe.NO_REPLACEMENT, picture, POOL, lasting=3000, tolerations="5").holds == held


@pytest.mark.parametrize("tolerations", ["0", "-1", "2.5", "many"])
def test_a_number_of_tolerations_is_a_number(tolerations: str) -> None:
    assert quiet(tolerations=tolerations).why == "repair-probe-malformed"


@pytest.mark.parametrize("since", ["yesterday", "2026-10-30T15:40:00"])
def test_a_moment_without_a_zone_is_none(since: str) -> None:
    assert quiet(since=since).why == "repair-probe-malformed"


@pytest.mark.parametrize("section", ["nodeclaims", "events"])
@pytest.mark.parametrize("in_part", [True, False])
def test_quiet_is_not_told_where_the_history_was_not_read(section: str, in_part: bool) -> None:
    gone = {"gaps": {Section(section): FAILED}} if in_part else {section: FAILED}
    assert asked(Probe.NO_REPLACEMENT, cluster(**gone), POOL).answer is Answer.CANNOT_TELL
