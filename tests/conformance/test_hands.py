"""Every verb, from the dry run to what the cluster then shows.

Axes: the verb; the object as planned, drifted, another one of the same name, gone; changed while the step runs.
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from bot.adapters.kubernetes.once import TRIES
from bot.app.repair.ports import CannotPrepare
from bot.remedy.runbook import Verb
from tests.conformance.scenes import EXEC, SCENES, Scene
from tests.support.controlplane import NOBODY
from tests.support.proxy import Cut
from tests.support.servers import HASTY, QUICK, ApiServer
from tests.support.steps import action


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

    @pytest.mark.parametrize("scene", [name for name, one in SCENES.items() if one.drift], indirect=True)
    def test_a_drifted_object_is_left_alone(self, server: ApiServer, scene: Scene) -> None:
        api, hands = server.api(), server.hands()
        scene.play(api)
        step = action(scene.step, hands.prepare(scene.step))
        api.merge(scene.thing, scene.drift)
        before = api.get(scene.thing)
        assert hands.act(EXEC, step).result == "drifted"
        assert api.get(scene.thing) == before

    def test_nothing_is_sent_where_the_dry_run_no_longer_shows_what_was_approved(
        self, server: ApiServer, scene: Scene
    ) -> None:
        scene.play(server.api())
        with server.proxied() as proxy:
            hands = server.hands(proxy=proxy)
            step = action(scene.step, hands.prepare(scene.step))
            found = hands.act(EXEC, replace(step, diff=f"{step.diff}\n+ more"))
            assert proxy.writes == []
        assert (found.result, found.why, found.values) == ("drifted", "hands-other-difference", {"detail": step.diff})
        assert scene.value(server.api()) == scene.before

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
        step = action(scene.step, server.hands().prepare(scene.step))
        hands = server.hands(proxy=proxy, patience=HASTY if cut is Cut.SILENCE else QUICK)
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
    assert (found.why, "409" in found.values["detail"]) == ("hands-never-still", True)
