"""Every verb, from the dry run to what the cluster then shows.

Axes: the verb; the object as planned, drifted, another one of the same name, gone; changed while the step runs.
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from bot.adapters.kubernetes.once import TRIES
from bot.app.repair.ports import CannotPrepare, Draft, Prepared, Result
from bot.model.refs import Ref
from bot.remedy.runbook import Verb
from tests.conformance.scenes import BAD, CONFIG, GATES, MODE, SCENES, Scene, marked_pool
from tests.conformance.test_evictions import JOB, guarded, running
from tests.support.controlplane import NOBODY
from tests.support.proxy import Cut
from tests.support.servers import ApiServer
from tests.support.steps import action, draft, exec_id
from tests.support.things import config_map, node, workload

EXEC = exec_id("one")


@pytest.fixture(params=SCENES)
def scene(request: pytest.FixtureRequest) -> Scene:
    return SCENES[request.param]


def wanted(scene: Scene) -> object:
    return EXEC if scene.after == "EXEC-ID" else scene.after


class TestEveryVerb:
    def test_a_dry_run_shows_the_change_and_makes_none(self, server: ApiServer, scene: Scene) -> None:
        api = server.api()
        scene.play(api)
        before = api.get(scene.thing)
        prepared = server.hands().prepare(scene.step)
        assert prepared.diff == scene.diff
        assert prepared.target.uid == before["metadata"]["uid"]
        assert api.get(scene.thing) == before

    def test_it_is_done_once_and_leaves_its_mark(self, server: ApiServer, scene: Scene) -> None:
        api, hands = server.api(), server.hands()
        scene.play(api)
        step = action(scene.step, hands.prepare(scene.step))
        assert scene.value(api) == scene.before
        assert hands.observe(EXEC, step).result == "refused"
        assert hands.act(EXEC, step).result == "applied"
        assert scene.value(api) == wanted(scene)
        if scene.step.verb is not Verb.EVICT_POD:
            assert scene.marks(api) == EXEC
        version = api.get(scene.thing)["metadata"]["resourceVersion"]
        assert hands.act(EXEC, step).result == "satisfied"
        assert hands.observe(EXEC, step).result == "applied"
        assert api.get(scene.thing)["metadata"]["resourceVersion"] == version

    def test_another_object_of_the_same_name_is_left_alone(self, server: ApiServer, scene: Scene) -> None:
        api, hands = server.api(), server.hands()
        scene.play(api)
        step = action(scene.step, hands.prepare(scene.step))
        scene.recreate(api)
        pod = scene.step.verb is Verb.EVICT_POD
        assert hands.act(EXEC, step).result == ("satisfied" if pod else "drifted")
        assert hands.observe(EXEC, step).result == ("applied" if pod else "unclear")
        assert scene.value(api) == scene.before

    def test_an_object_that_went(self, server: ApiServer, scene: Scene) -> None:
        api, hands = server.api(), server.hands()
        scene.play(api)
        step = action(scene.step, hands.prepare(scene.step))
        api.delete(scene.thing, gracePeriodSeconds=0)
        pod = scene.step.verb is Verb.EVICT_POD
        assert hands.act(EXEC, step).result == ("satisfied" if pod else "drifted")
        assert hands.observe(EXEC, step).result == ("applied" if pod else "unclear")

    def test_a_drifted_object_is_left_alone(self, server: ApiServer, scene: Scene) -> None:
        if not scene.drift:
            return
        api, hands = server.api(), server.hands()
        scene.play(api)
        step = action(scene.step, hands.prepare(scene.step))
        api.merge(scene.thing, scene.drift)
        before = api.get(scene.thing)
        assert hands.act(EXEC, step).result == "drifted"
        assert api.get(scene.thing) == before

    def test_one_that_is_recreated_between_read_and_write(self, server: ApiServer, scene: Scene) -> None:
        api = server.api()
        scene.play(api)
        with server.proxied() as proxy:
            hands = server.hands(proxy=proxy)
            step = action(scene.step, hands.prepare(scene.step))
            proxy.plans.append(lambda: scene.recreate(api))
            pod = scene.step.verb is Verb.EVICT_POD
            assert hands.act(EXEC, step).result == ("satisfied" if pod else "drifted")
        assert scene.value(api) == scene.before

    def test_a_change_of_something_else_meanwhile_is_kept(self, server: ApiServer, scene: Scene) -> None:
        api = server.api()
        scene.play(api)
        with server.proxied() as proxy:
            hands = server.hands(proxy=proxy)
            step = action(scene.step, hands.prepare(scene.step))
            proxy.plans.append(lambda: api.merge(scene.thing, {"metadata": {"labels": {"by": "another"}}}))
            assert hands.act(EXEC, step).result == "applied"
        assert scene.value(api) == wanted(scene)
        assert api.get(scene.thing)["metadata"]["labels"]["by"] == "another"

    def test_without_the_right(self, server: ApiServer, scene: Scene) -> None:
        api, nobody = server.api(), server.hands(NOBODY)
        scene.play(api)
        with pytest.raises(CannotPrepare, match="403"):
            nobody.prepare(scene.step)
        step = action(scene.step, server.hands().prepare(scene.step))
        found = nobody.act(EXEC, step)
        assert found.result == "refused"
        assert "403" in found.why
        assert nobody.observe(EXEC, step).result == "unclear"
        assert scene.value(api) == scene.before

    def test_every_write_names_the_step(self, server: ApiServer, scene: Scene) -> None:
        scene.play(server.api())
        with server.proxied() as proxy:
            hands = server.hands(proxy=proxy)
            hands.act(EXEC, action(scene.step, hands.prepare(scene.step)))
            (write,) = proxy.writes
        assert write.headers["User-Agent"].endswith(f" x={EXEC}")


#: What may happen to the one real request: the result, what a look then says, and whether it took effect.
CUTS = {
    Cut.BEFORE: ("unclear", "refused", False),
    Cut.AFTER: ("unclear", "applied", True),
    Cut.SILENCE: ("unclear", "applied", True),
    Cut.ERROR: ("unclear", "applied", True),
    Cut.HALF: ("applied", "applied", True),
    Cut.GARBAGE: ("applied", "applied", True),
}


@pytest.mark.parametrize("cut", CUTS, ids=lambda cut: cut.name.lower())
@pytest.mark.parametrize("name", ["label-node", "evict-pod", "rollout-restart-ds", "clear-condition"])
def test_an_answer_that_does_not_come(server: ApiServer, name: str, cut: Cut) -> None:
    scene, api = SCENES[name], server.api()
    result, observed, effect = CUTS[cut]
    scene.play(api)
    with server.proxied() as proxy:
        hands = server.hands(proxy=proxy)
        step = action(scene.step, hands.prepare(scene.step))
        proxy.plans.append(cut)
        assert hands.act(EXEC, step).result == result
        assert len(proxy.writes) == 1, "sent once, whatever comes back"
        assert hands.observe(EXEC, step).result == observed
        assert (scene.value(api) == wanted(scene)) is effect
        generation = api.get(scene.thing)["metadata"].get("generation")
        assert hands.act(EXEC, step).result == ("satisfied" if effect else "applied")
        if effect:
            assert len(proxy.writes) == 1
            assert api.get(scene.thing)["metadata"].get("generation") == generation
    assert scene.value(api) == wanted(scene)


def test_an_object_that_never_stands_still(server: ApiServer) -> None:
    scene, api = SCENES["label-node"], server.api()
    scene.play(api)
    with server.proxied() as proxy:
        hands = server.hands(proxy=proxy)
        step = action(scene.step, hands.prepare(scene.step))
        for number in range(TRIES):
            label = {"metadata": {"labels": {"count": str(number)}}}
            proxy.plans.append(lambda label=label: api.merge(scene.thing, label))  # type: ignore[misc]
        found = hands.act(EXEC, step)
        assert len(proxy.writes) == TRIES
    assert (found.result, scene.value(api)) == ("refused", scene.before)
    assert "409" in found.why


class TestEvictionUnderABudget:
    def test_it_cannot_be_prepared(self, server: ApiServer) -> None:
        running(server.api())
        guarded(server.api())
        with pytest.raises(CannotPrepare, match="needs 1 healthy pods and has 1 currently"):
            server.hands().prepare(draft(Verb.EVICT_POD, "pod/default/job"))

    def test_it_is_refused_in_the_budgets_words_and_never_forced(self, server: ApiServer) -> None:
        api = server.api()
        running(api)
        drafted = draft(Verb.EVICT_POD, "pod/default/job")
        with server.proxied() as proxy:
            hands = server.hands(proxy=proxy)
            step = action(drafted, hands.prepare(drafted))
            guarded(api)
            found = hands.act(EXEC, step)
            assert proxy.writes == []
        assert found.result == "refused"
        assert "The disruption budget one needs 1 healthy pods and has 1 currently" in found.why
        assert "deletionTimestamp" not in api.get(JOB)["metadata"]

    def test_one_that_is_spent_between_dry_run_and_eviction(self, server: ApiServer) -> None:
        api = server.api()
        running(api)
        drafted = draft(Verb.EVICT_POD, "pod/default/job")
        with server.proxied() as proxy:
            hands = server.hands(proxy=proxy)
            step = action(drafted, hands.prepare(drafted))
            proxy.plans.append(lambda: guarded(api))
            found = hands.act(EXEC, step)
        assert found.result == "refused"
        assert "disruption budget one" in found.why
        assert "deletionTimestamp" not in api.get(JOB)["metadata"]


POOL = Draft(
    verb=Verb.CLEAR_CONDITION,
    target=Ref("nodepool", "gpu"),
    select="nodepool=gpu",
    params={"condition": BAD},
    cap=2,
)


def bad(server: ApiServer, name: str) -> bool:
    conditions = server.api().get(node(name))["status"]["conditions"]
    assert any(one["type"] == "Ready" for one in conditions)
    return any(one["type"] == BAD for one in conditions)


class TestSelection:
    def test_the_nodes_are_found_when_it_runs(self, server: ApiServer) -> None:
        api, hands = server.api(), server.hands()
        marked_pool(api, "a", "b")
        marked_pool(api, "other", pool="cpu")
        prepared = hands.prepare(POOL)
        assert prepared.diff == f"each node of nodepool=gpu, at most 2:\n- status.conditions[{BAD}]"
        assert (prepared.fingerprint, prepared.target.select) == ({}, "nodepool=gpu")
        step = action(POOL, prepared)
        api.delete(node("a"))
        api.create(node("next", labels={"karpenter.sh/nodepool": "gpu"}))
        api.merge(node("next"), {"status": api.get(node("b"))["status"]}, "status")
        assert hands.observe(EXEC, step) == Result(result="refused", why="it is still to be done on node/b, node/next")
        assert hands.act(EXEC, step).result == "applied"
        assert not bad(server, "b")
        assert not bad(server, "next")
        assert bad(server, "other")
        assert hands.observe(EXEC, step).result == "applied"
        assert hands.act(EXEC, step).result == "satisfied"

    def test_the_cap_holds(self, server: ApiServer) -> None:
        api, hands = server.api(), server.hands()
        marked_pool(api, "a")
        step = action(POOL, hands.prepare(POOL))
        for name in ("b", "c"):
            api.create(node(name, labels={"karpenter.sh/nodepool": "gpu"}))
            api.merge(node(name), {"status": api.get(node("a"))["status"]}, "status")
        found = hands.act(EXEC, step)
        assert found.result == "refused"
        assert "3 objects, the step may change 2" in found.why
        assert all(bad(server, name) for name in "abc")
        with pytest.raises(CannotPrepare, match="3 objects need it"):
            hands.prepare(POOL)

    def test_what_it_did_before_counts(self, server: ApiServer) -> None:
        api, hands = server.api(), server.hands()
        marked_pool(api, "a", "b")
        step = action(POOL, hands.prepare(POOL))
        status = api.get(node("a"))["status"]
        assert hands.act(EXEC, step).result == "applied"
        api.create(node("c", labels={"karpenter.sh/nodepool": "gpu"}))
        api.merge(node("c"), {"status": status}, "status")
        assert hands.act(EXEC, step).result == "refused"
        assert bad(server, "c")

    def test_a_healthy_condition_stays(self, server: ApiServer) -> None:
        api, hands = server.api(), server.hands()
        marked_pool(api, "a")
        api.merge(node("a"), {"status": {"conditions": [{"type": BAD, "status": "True"}]}}, "status")
        assert hands.act(EXEC, action(POOL, hands.prepare(POOL))).result == "satisfied"
        (condition,) = api.get(node("a"))["status"]["conditions"]
        assert (condition["type"], condition["status"]) == (BAD, "True")

    def test_another_pool_of_the_same_name(self, server: ApiServer) -> None:
        api, hands = server.api(), server.hands()
        marked_pool(api, "a")
        step = action(POOL, hands.prepare(POOL))
        other = replace(step, target=replace(step.target, uid="another"))
        assert hands.act(EXEC, other).result == "drifted"
        assert bad(server, "a")

    def test_half_of_them_is_not_known_to_be_done(self, server: ApiServer) -> None:
        api = server.api()
        marked_pool(api, "a", "b")
        with server.proxied() as proxy:
            hands = server.hands(proxy=proxy)
            step = action(POOL, hands.prepare(POOL))
            proxy.plans.extend([None, Cut.BEFORE])
            found = hands.act(EXEC, step)
            assert len(proxy.writes) == 2
        assert found.result == "unclear"
        assert found.why.startswith("1 of 2 objects are done, then: unclear")
        assert not bad(server, "a")


UNFIT = {
    "half a label": (draft(Verb.LABEL_NODE, "node/n1", label=MODE), "parameters are missing: value"),
    "a pool itself": (draft(Verb.CLEAR_CONDITION, "nodepool/gpu", condition=BAD), "acts on node"),
    "the wrong kind": (draft(Verb.CORDON, "pod/default/n1"), "acts on node"),
    "a person's verb": (draft(Verb.HOST, "node/n1"), "not done through the Kubernetes API"),
    "not there": (draft(Verb.CORDON, "node/gone"), "node/gone is not there"),
    "a label that cannot be": (draft(Verb.LABEL_NODE, "node/n1", label="a b", value="c"), "HTTP 422"),
    "no such container": (
        draft(Verb.SET_ENV, "deploy/default/karpenter", container="other", name="A", value="b"),
        "no container other",
    ),
    "a value from elsewhere": (
        draft(Verb.SET_ENV, "deploy/default/karpenter", container="main", name="POD", value="b"),
        "takes its value from elsewhere",
    ),
    "a paused rollout": (draft(Verb.ROLLOUT_RESTART, "deploy/default/paused"), "paused"),
    "a strategy without rollout": (draft(Verb.ROLLOUT_RESTART, "ds/default/manual"), "OnDelete"),
    "not YAML": (
        draft(Verb.PATCH_CONFIGMAP, "configmap/default/agent", key="bad", path="a.b", value="1"),
        "not YAML",
    ),
    "no mapping": (
        draft(Verb.PATCH_CONFIGMAP, "configmap/default/agent", key="c", path="monitors.nvidia.enabled.x", value="1"),
        "no mapping",
    ),
    "another condition": (draft(Verb.CLEAR_CONDITION, "node/n1", condition="Ready"), "Ready is none of"),
    "the bot's own pod": (draft(Verb.EVICT_POD, "pod/gpu-autopsy/p1"), "the bot's own"),
    "a selection that nobody knows": (
        Draft(verb=Verb.CORDON, target=Ref("node", "n1"), select="zone=a"),
        "is not nodepool=NAME",
    ),
}


@pytest.mark.parametrize("case", UNFIT)
def test_what_cannot_be_prepared(server: ApiServer, case: str) -> None:
    drafted, words = UNFIT[case]
    api = server.api()
    api.create(node("n1"))
    pod_name = {"name": "POD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}
    api.create(workload("Deployment", "karpenter", GATES, pod_name))
    api.create(workload("Deployment", "paused", paused=True))
    api.create(workload("DaemonSet", "manual", updateStrategy={"type": "OnDelete"}))
    api.create(config_map("agent", bad="a: [", c=CONFIG))
    with server.proxied() as proxy:
        with pytest.raises(CannotPrepare) as why:
            server.hands(proxy=proxy).prepare(drafted)
        assert proxy.writes == []
    assert words in str(why.value)


def test_what_is_as_wanted_has_no_difference(server: ApiServer) -> None:
    server.api().create(node("n1", labels={MODE: "container"}))
    prepared = server.hands().prepare(draft(Verb.LABEL_NODE, "node/n1", label=MODE, value="container"))
    assert isinstance(prepared, Prepared)
    assert prepared.diff == ""
