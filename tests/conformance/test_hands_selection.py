"""A step whose objects are found when it runs. Axes: what came and went since, the cap, what is half done."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from bot.app.repair.ports import CannotPrepare, Draft, Result
from bot.model.refs import Ref
from bot.remedy.events import Effect
from bot.remedy.runbook import Verb
from tests.conformance.scenes import BAD, EXEC, marked_nodes, marked_pool
from tests.support.kubeapi import Json
from tests.support.proxy import Cut
from tests.support.servers import ApiServer
from tests.support.steps import action
from tests.support.things import node

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


def labelled(thing: Json) -> Json:
    meta = thing["metadata"]
    return {**thing, "metadata": {**meta, "labels": {**meta["labels"], "by": "a webhook"}}}


class TestSelection:
    def test_the_nodes_are_found_when_it_runs(self, server: ApiServer) -> None:
        api, hands = server.api(), server.hands()
        marked_pool(api, "a", "b")
        marked_pool(api, "other", pool="cpu")
        prepared = hands.prepare(POOL)
        assert prepared.diff == f"diff-each-node\n- status.conditions[{BAD}]"
        assert (prepared.fingerprint, prepared.target.select) == ({}, "nodepool=gpu")
        step = action(POOL, prepared)
        api.delete(node("a"))
        marked_nodes(api, "next")
        assert hands.observe(EXEC, step) == Result(
            result=Effect.REFUSED, why="hands-some-left", values={"names": "node/b, node/next"}
        )
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
        marked_nodes(api, "b", "c")
        found = hands.act(EXEC, step)
        assert found.result == "refused"
        assert (found.why, found.values) == ("hands-too-many", {"count": "3", "cap": "2"})
        assert all(bad(server, name) for name in "abc")
        with pytest.raises(CannotPrepare, match="hands-too-many"):
            hands.prepare(POOL)

    def test_what_it_did_before_counts(self, server: ApiServer) -> None:
        api, hands = server.api(), server.hands()
        marked_pool(api, "a", "b")
        step = action(POOL, hands.prepare(POOL))
        assert hands.act(EXEC, step).result == "applied"
        marked_nodes(api, "c")
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

    def test_nothing_is_sent_where_the_dry_run_changes_more_than_was_approved(self, server: ApiServer) -> None:
        api = server.api()
        marked_pool(api, "a")
        with server.proxied() as proxy:
            hands = server.hands(proxy=proxy)
            step = action(POOL, hands.prepare(POOL))
            proxy.admits = labelled
            found = hands.act(EXEC, step)
            assert proxy.writes == []
        assert found.result == "drifted"
        assert (found.why, found.values) == ("hands-more-than-approved", {"fields": "metadata.labels[by]"})
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
        assert (found.why, found.values["done"], found.values["why"]) == ("hands-some-done", "1", "hands-no-reply")
        assert not bad(server, "a")
