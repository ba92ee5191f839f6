"""Axes: where the root stands; what the chain shares with it; which event comes to an incident in which state."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest

from bot.app.incidents import (
    cannot_tell,
    causes_not_seen,
    ended,
    folded,
    incident_id,
    keys_of,
    opening,
    resolved,
    rooted,
    sharpened,
    still_seen,
)
from bot.model.findings import Blind, Code, Finding
from bot.model.incident import Incident, Place, State
from bot.model.refs import CLUSTER, Ref, node
from tests.support.desk import AT, chains, fault

SWAP = fault("kubelet-swap-on", "node/omen2", pasted_by="<@U0ONCALL>")
DOWN = fault("kubelet-down", "node/omen2")
NOT_READY = fault("node-not-ready", "node/omen2")
VM = fault("vm-unschedulable", "vm/vms/gpu-fedora")
DCGM = fault("dcgm-library-missing", "nodepool/gpu")
LOOP = fault("node-replacement-loop", "nodepool/gpu")


def generation(number: int) -> Finding:
    return fault("gpu-condition-false", f"node/ip-10-0-0-{number}", pool="gpu")


def card(name: str) -> Finding:
    return fault("gpu-hardware-fault", f"node/{name}", pool="gpu")


@pytest.mark.parametrize(
    ("first", "second", "is_one"),
    [
        ([[DOWN, NOT_READY, VM]], [[SWAP, DOWN, NOT_READY, VM]], True),
        ([[DCGM, generation(1), LOOP]], [[DCGM, generation(5), LOOP]], True),
        ([[generation(1)]], [[generation(2)]], True),
        ([[generation(1)]], [[DCGM, generation(2), LOOP]], True),
        ([[DOWN, NOT_READY, VM]], [[fault("kubelet-down", "node/omen3"), VM]], False),
        ([[card("a")]], [[card("b")]], False),
        ([[card("a"), generation(1)]], [[card("b"), generation(2)]], False),
        ([[card("a"), generation(1)]], [[DCGM, generation(2)]], False),
        ([[DOWN]], [[fault("gpu-hardware-fault", "node/omen2")]], False),
        ([[DOWN], [DCGM, LOOP]], [[DCGM]], True),
        ([], [], False),
        ([[DOWN]], [], False),
    ],
    ids=[
        "the root moves along the chain",
        "another generation of the loop's node",
        "generations without the pool's own evidence",
        "a sharper look at another generation",
        "two roots hit one VM",
        "two broken cards",
        "two broken cards in one pool",
        "a broken card and the pool's configuration",
        "two faults of one node that nothing links",
        "one of two roots",
        "nothing found, twice",
        "nothing found",
    ],
)
def test_an_incident_is_its_root_and_scope(
    first: list[list[Finding]], second: list[list[Finding]], is_one: bool
) -> None:
    shared = set(keys_of(chains(*first))) & set(keys_of(chains(*second)))

    assert bool(shared) is is_one


def test_roots_come_first_among_the_keys() -> None:
    keys = keys_of(chains([SWAP, DOWN, NOT_READY], [DCGM, LOOP]))

    assert keys[:2] == ("kubelet-swap-on node/omen2", "dcgm-library-missing nodepool/gpu")
    assert len(keys) == len(set(keys)) == 5


def test_a_circle_of_links_ends() -> None:
    diagnosis = chains([DCGM, LOOP, DCGM])

    assert len(keys_of(diagnosis)) == 2


def start(*alerts: str) -> Incident:
    return opening(
        cluster="omen",
        request_id="r1",
        at=AT,
        place=Place("C0GPU"),
        scope=(node("omen2"),),
        keys=("kubelet-down node/omen2",),
        source="group:g1",
        alerts=alerts,
    )


def fold(incident: Incident, *alerts: str, source: str = "group:g2") -> Incident:
    fresh = msgspec.structs.replace(start(*alerts), sources=(source,))
    return folded(incident, fresh, at=AT + timedelta(minutes=5), counted="r2/counted")


@pytest.mark.parametrize(
    ("alerts", "count", "firing"),
    [
        (("f1@1",), 1, ("f1@1",)),
        (("f2@1",), 2, ("f1@1", "f2@1")),
        (("f1@2",), 2, ("f1@2",)),
        (("f1@1", "f2@1", "f3@1"), 3, ("f1@1", "f2@1", "f3@1")),
    ],
    ids=["the same firing", "another alert", "the same alert anew", "one known, two new"],
)
def test_every_firing_counts_once(alerts: tuple[str, ...], count: int, firing: tuple[str, ...]) -> None:
    after = fold(start("f1@1"), *alerts)

    assert (after.count, after.firing) == (count, firing)
    assert ("r2/counted" in after.steps) is (count > 1)
    assert fold(after, *alerts).count == count


def test_what_ended_does_not_fire_again_when_its_request_comes_again() -> None:
    after = ended(start("f1@1", "f2@1"), ["f1@1", "f2@1"])

    assert fold(after, "f1@1", "f2@1").firing == ()


@pytest.mark.parametrize(
    ("over", "state"), [(("f1@1",), State.OPEN), (("f1@1", "f2@1"), State.RESOLVED), ((), State.OPEN)]
)
def test_it_is_resolved_when_nothing_fires(over: tuple[str, ...], state: State) -> None:
    assert resolved(ended(start("f1@1", "f2@1"), over), AT).state is state


def test_what_is_remembered_is_bounded() -> None:
    incident = start()
    for number in range(700):
        incident = fold(incident, f"f{number}@1", source=f"group:{number}")

    assert incident.count == 700
    assert (len(incident.alerts), len(incident.firing), len(incident.sources)) == (500, 500, 64)
    assert incident.alerts[-1] == "f699@1"


def test_the_first_root_message_stays_the_root() -> None:
    first = rooted(start(), "1.0", "open 1")

    assert (first.root, first.place) == ("1.0", Place("C0GPU", "1.0"))
    assert rooted(first, "2.0", "open 2") == first


def test_a_root_message_in_an_alert_s_thread_leaves_the_thread_as_it_is() -> None:
    alert = msgspec.structs.replace(start(), place=Place("C0GPU", "0.5"))

    assert rooted(alert, "1.0", "").place == Place("C0GPU", "0.5")


def test_a_better_look_adds_and_a_conversation_stays_one() -> None:
    after = sharpened(start(), ("kubelet-swap-on node/omen2",), [node("omen2"), node("omen3")], AT)
    talk = sharpened(msgspec.structs.replace(start(), sources=(), keys=()), ("x node/a",), [CLUSTER], AT)

    assert after.keys == ("kubelet-down node/omen2", "kubelet-swap-on node/omen2")
    assert after.scope == (node("omen2"), node("omen3"))
    assert talk.keys == ()


@pytest.mark.parametrize(
    ("diagnosis", "is_seen"),
    [
        (chains([DOWN]), True),
        (chains([SWAP, DOWN]), True),
        (chains([SWAP]), False),
        (chains([fault("kubelet-down", "node/omen3")]), False),
        (chains(), False),
    ],
    ids=["still there", "with a paste", "only the paste says so", "another node", "nothing"],
)
def test_only_what_the_bot_sees_itself_is_still_there(diagnosis: object, is_seen: bool) -> None:
    incident = msgspec.structs.replace(start(), keys=("kubelet-down node/omen2", "kubelet-swap-on node/omen2"))

    assert still_seen(incident, diagnosis) is is_seen  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("code", "subject", "required", "left", "untold"),
    [
        ("kubelet-down", CLUSTER, True, (), True),
        ("kubelet-down", node("omen2"), True, (), True),
        ("kubelet-down", node("omen3"), True, (), False),
        ("kubelet-down", node("omen2"), False, (), False),
        ("vm-unschedulable", CLUSTER, True, (), False),
        ("vm-unschedulable", CLUSTER, True, ("vm-unschedulable",), True),
    ],
    ids=["cluster", "its node", "another node", "asked by nobody", "another fault", "what was left"],
)
def test_what_could_not_be_looked_for_may_still_be_there(
    code: str, subject: Ref, required: bool, left: tuple[str, ...], untold: bool
) -> None:
    incident = msgspec.structs.replace(start(), keys=("kubelet-down node/omen2",), left=left)
    blind = Blind(check="tests", codes=(Code(code),), subject=subject, why="section-failed", required=required)

    assert cannot_tell(incident, msgspec.structs.replace(chains(), blind=(blind,))) is untold


def test_causes_not_seen_are_counted_by_object() -> None:
    down = [[fault("kubelet-down", f"node/omen{number}")] for number in (2, 3)]

    assert causes_not_seen(chains(*down, unseen=["kubelet-swap-on"])) == (node("omen2"), node("omen3"))
    assert causes_not_seen(chains(*down)) == ()


def test_an_id_is_short_and_the_same_for_the_same_request() -> None:
    assert incident_id("Ev1") == incident_id("Ev1") != incident_id("Ev2")
    assert len(incident_id("Ev1")) == 8
