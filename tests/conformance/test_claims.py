"""Claims and the freeze: what stands in the cluster itself.

Axes: nobody was there, somebody was, no right, no answer; the freeze absent, set, lifted, unreadable.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Barrier

import pytest
from msgspec.structs import replace

from bot.adapters.kubernetes.client import NoReply
from bot.adapters.kubernetes.hands import NAMESPACE, KubernetesHands
from bot.app.repair.ports import CannotPrepare, Claimed, ClaimResult
from bot.remedy.digest import digest_of
from bot.remedy.plan import Action, Actor, Holder
from bot.remedy.runbook import Verb
from tests.conformance.scenes import APPROVERS, EXEC, HOLDER, SCENES
from tests.support.controlplane import ADMIN, NOBODY
from tests.support.objects import thing
from tests.support.proxy import Cut
from tests.support.servers import QUICK, ApiServer
from tests.support.steps import action, draft, exec_id
from tests.support.things import config_map, workload

LEASE = thing("Lease", f"autopsy-x-{EXEC}", NAMESPACE, api="coordination.k8s.io/v1")


@pytest.fixture
def step(server: ApiServer) -> Action:
    """A step on a node, and the bot's namespace."""
    api = server.api()
    api.add_namespace()
    SCENES["label-node"].play(api)
    drafted = SCENES["label-node"].step
    return action(drafted, server.hands().prepare(drafted))


def test_the_first_one_has_it_and_nobody_else(server: ApiServer, step: Action) -> None:
    other = Holder(owner="executor/2", audit="43:aaaa")
    assert server.hands().claim(EXEC, step, APPROVERS, HOLDER).result == "ours"
    assert server.hands().claim(EXEC, step, APPROVERS, other) == Claimed(result=ClaimResult.THERE, holder=HOLDER)
    assert server.hands().claim(exec_id("two"), step, APPROVERS, other).result == "ours"


def test_a_claim_that_names_nobody_is_told_from_one_that_cannot_be_read(server: ApiServer, step: Action) -> None:
    server.api().create({**LEASE, "spec": {}})
    assert server.hands().claim(EXEC, step, APPROVERS, HOLDER) == Claimed(
        result=ClaimResult.THERE, holder=Holder(owner="(nobody)")
    )


def test_it_says_what_was_approved_and_by_whom(server: ApiServer, step: Action) -> None:
    server.hands().claim(EXEC, step, APPROVERS, HOLDER)
    told = server.api().get(LEASE)["metadata"]["annotations"]
    assert told == {
        "autopsy.io/digest": digest_of(step),
        "autopsy.io/approvers": "slack:T0TEAM/U0ONCALL,k8s:admin",
        "autopsy.io/audit": "42:9f3c",
        "autopsy.io/step": "tests/only label-node node/n1",
    }


def test_without_the_right_it_is_nobodys(server: ApiServer, step: Action) -> None:
    refused = server.hands(NOBODY).claim(EXEC, step, APPROVERS, HOLDER)
    assert (refused.result, "HTTP 403" in refused.why) == ("refused", True)
    assert server.hands().claim(EXEC, step, APPROVERS, HOLDER).result == "ours"


def test_without_its_namespace_it_is_refused(server: ApiServer, step: Action) -> None:
    with closing(KubernetesHands.connect(server.kubeconfig(ADMIN), namespace="nowhere", patience=QUICK)) as hands:
        refused = hands.claim(EXEC, step, APPROVERS, HOLDER)
    assert (refused.result, "HTTP 404" in refused.why) == ("refused", True)


@pytest.mark.parametrize(("cut", "then"), [(Cut.BEFORE, "ours"), (Cut.AFTER, "there"), (Cut.ERROR, "there")])
def test_without_an_answer_it_is_nobodys(server: ApiServer, step: Action, cut: Cut, then: str) -> None:
    with server.proxied() as proxy:
        hands = server.hands(proxy=proxy)
        proxy.plans.append(cut)
        assert hands.claim(EXEC, step, APPROVERS, HOLDER).result == "unclear"
        assert len(proxy.writes) == 1
        assert hands.claim(EXEC, step, APPROVERS, HOLDER).result == then


def test_earlier_steps_on_a_target_are_found_by_its_uid(server: ApiServer, step: Action) -> None:
    hands = server.hands()
    assert hands.earlier(step.target) == ()
    names = [exec_id(word) for word in ("a", "b", "c")]
    for name in names[:2]:
        hands.claim(name, step, APPROVERS, HOLDER)
    another = replace(step.target, uid="another")
    hands.claim(names[2], replace(step, target=another), APPROVERS, HOLDER)
    found = hands.earlier(step.target)
    assert {one.exec_id for one in found} == set(names[:2])
    assert {one.what for one in found} == {"tests/only label-node node/n1"}
    assert all(one.at for one in found)
    assert [one.exec_id for one in hands.earlier(another)] == [names[2]]
    with pytest.raises(NoReply, match="403"):
        server.hands(NOBODY).earlier(step.target)


def test_what_is_prepared_says_what_was_done_there_before(server: ApiServer, step: Action) -> None:
    hands = server.hands()
    hands.claim(EXEC, step, APPROVERS, HOLDER)
    assert [one.exec_id for one in hands.prepare(SCENES["label-node"].step).earlier] == [EXEC]


def test_where_the_claims_cannot_be_listed_nothing_is_prepared(server: ApiServer, step: Action) -> None:
    with server.proxied() as proxy:
        hands = server.hands(proxy=proxy)
        hands.prepare(SCENES["label-node"].step)
        proxy.hides = "/leases"
        with pytest.raises(CannotPrepare):
            hands.prepare(SCENES["label-node"].step)


def test_of_many_executors_one_has_it_and_one_effect_follows(server: ApiServer) -> None:
    api = server.api()
    api.add_namespace()
    agent = workload("DaemonSet", "agent")
    api.create(agent)
    drafted = draft(Verb.ROLLOUT_RESTART, "ds/default/agent")
    executors = [server.hands() for _ in range(4)]
    together = Barrier(len(executors))
    rounds = 20
    with ThreadPoolExecutor(len(executors)) as pool:
        for number in range(rounds):
            name = exec_id(f"round {number}")
            step = action(drafted, executors[0].prepare(drafted))

            def compete(index: int, name: str = name, step: Action = step) -> str:
                together.wait()
                claimed = executors[index].claim(name, step, APPROVERS, HOLDER).result
                return executors[index].act(name, step).result if claimed == "ours" else claimed

            assert sorted(pool.map(compete, range(len(executors)))) == ["applied", "there", "there", "there"]
    assert api.get(agent)["metadata"]["generation"] == 1 + rounds


def test_even_without_claims_one_step_has_one_effect(server: ApiServer) -> None:
    """The claim is the first guard and not the only one: the mark in the object and its version are the second."""
    api = server.api()
    agent = workload("DaemonSet", "agent")
    api.create(agent)
    drafted = draft(Verb.ROLLOUT_RESTART, "ds/default/agent")
    executors = [server.hands() for _ in range(4)]
    together = Barrier(len(executors))
    step = action(drafted, executors[0].prepare(drafted))

    def compete(index: int) -> str:
        together.wait()
        return executors[index].act(EXEC, step).result

    with ThreadPoolExecutor(len(executors)) as pool:
        found = sorted(pool.map(compete, range(len(executors))))
    assert found == ["applied", "satisfied", "satisfied", "satisfied"]
    assert api.get(agent)["metadata"]["generation"] == 2


FREEZES = {
    "no ConfigMap": (None, False, ""),
    "one that says nothing": ({}, True, "autopsy-freeze"),
    "one with a reason": ({"why": "migration", "by": "k8s:admin"}, True, "migration"),
    "one that says true": ({"frozen": "true", "why": "x"}, True, "x"),
    "one that says something else": ({"frozen": "maybe"}, True, "autopsy-freeze"),
    "a lifted one": ({"frozen": "false", "why": "migration"}, False, ""),
}


@pytest.mark.parametrize("case", FREEZES)
def test_the_freeze(server: ApiServer, case: str) -> None:
    data, frozen, why = FREEZES[case]
    server.api().add_namespace()
    if data is not None:
        server.api().create(config_map("autopsy-freeze", NAMESPACE, **data))
    found = server.hands().frozen()
    assert (found.frozen, why in found.why) == (frozen, True)
    assert found.by == (Actor("k8s:admin") if "by" in (data or {}) else None)


def test_what_cannot_be_read_is_frozen(server: ApiServer) -> None:
    found = server.hands(NOBODY).frozen()
    assert found.frozen
    assert "403" in found.why


def test_a_server_that_is_gone_is_frozen(server: ApiServer) -> None:
    proxy = server.proxied()
    hands = server.hands(proxy=proxy)
    with proxy:
        assert not hands.frozen().frozen
    found = hands.frozen()
    assert found.frozen
    assert found.why.startswith("freeze-configmap-unread ")
