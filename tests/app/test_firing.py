"""Axes: what the alert names; what is open already; where the process dies; who is at it too. Ends: elsewhere."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest

from bot.app.ports import PostFailed
from bot.app.requests import Alert, AlertGroup
from bot.model.incident import Place, State
from bot.model.refs import CLUSTER, Ref, node
from tests.app.desk import CHANNEL, GENERATIONS, Prose, World, alert, group, message
from tests.support.desk import AT


def test_an_alert_group_opens_a_thread_of_its_own(world: World) -> None:
    world.down = {"omen2"}
    world.handle(group("r1", alert("omen2")))

    assert world.board.threads == {
        (CHANNEL, "1000.0"): ["OPEN x1: kubelet-down node/omen2", "chain", "not seen"],
    }
    (incident,) = world.incidents()
    assert (incident.place, incident.root) == (Place(CHANNEL, "1000.0"), "1000.0")


def test_an_alert_message_is_answered_in_its_own_thread(world: World) -> None:
    world.down = {"omen2"}
    world.handle(message("r1", "[FIRING:1] node omen2 is not ready", "77.0"))

    assert world.board.threads == {(CHANNEL, "77.0"): ["OPEN x1: kubelet-down node/omen2", "chain", "not seen"]}
    assert world.cluster.asked[0] == (node("omen2"),)


@pytest.mark.parametrize("way", ["groups", "one group", "messages"])
def test_five_alerts_of_five_generations_are_one_thread_that_counts_five(world: World, way: str) -> None:
    world.loops = True
    for number, name in enumerate(GENERATIONS):
        at = AT + timedelta(minutes=11 * number)
        before = alert(GENERATIONS[number - 1], at - timedelta(minutes=11), firing=False)
        requests = {
            "groups": group(f"r{number}", alert(name, at), key=f"g{number}"),
            "one group": group(f"r{number}", alert(name, at), *([before] if number else [])),
            "messages": message(f"r{number}", f"node {name} is not ready", f"{number}.0"),
        }
        world.handle(requests[way])

    assert len(world.board.threads) == 1
    (incident,) = world.incidents()
    assert incident.count == 5
    ((root, *replies),) = world.board.threads.values()
    assert root == "OPEN x5: dcgm-library-missing nodepool/gpu"
    assert [one for one in replies if "again" in one] == [f"again: x{number}" for number in (2, 3, 4, 5)]


def test_a_loop_whose_alert_ends_between_generations_stays_one_thread(world: World) -> None:
    world.loops = True
    for number, name in enumerate(GENERATIONS):
        at = AT + timedelta(minutes=11 * number)
        world.handle(
            group(f"fires-{number}", alert(name, at), key=f"g{number}"),
            group(f"ends-{number}", alert(name, at, firing=False), key=f"g{number}"),
        )

    assert len(world.board.threads) == 1
    (incident,) = world.incidents()
    assert (incident.count, incident.state, incident.firing) == (5, State.OPEN, ())


@pytest.mark.parametrize(
    ("second", "count"),
    [
        (group("r1", alert("omen2")), 1),
        (group("r2", alert("omen2")), 1),
        (group("r2", alert("omen2", AT + timedelta(hours=1))), 2),
        (group("r2", alert("omen2", fingerprint="f-other")), 2),
        (group("r2", alert("omen2"), key="g2"), 1),
        (group("r2", alert("omen2"), alert("omen3")), 2),
    ],
    ids=["redelivered", "repeated", "fires anew", "another alert", "another group of it", "the group grows"],
)
def test_the_same_alert_counts_once_and_a_new_firing_counts(world: World, second: AlertGroup, count: int) -> None:
    world.down = {"omen2"}
    world.handle(group("r1", alert("omen2")), second)

    (incident,) = world.incidents()
    ((root, *replies),) = world.board.threads.values()
    assert incident.count == count
    assert root.startswith(f"OPEN x{count}")
    assert [one for one in replies if "again" in one] == ([] if count == 1 else [f"again: x{count}"])


def test_four_nodes_with_unknown_causes_are_one_thread_that_says_so(world: World) -> None:
    names = ("omen2", "omen3", *GENERATIONS[:2])
    world.down = set(names)
    world.handle(group("r1", *(alert(one) for one in names)))
    world.handle(group("r2", alert("omen3", fingerprint="f-more"), key="g2"))

    ((root, *replies),) = world.board.threads.values()
    assert root.startswith("OPEN x5")
    (said,) = [one for one in replies if one.startswith("desk-several-causes")]
    assert "count=4" in said
    assert all(f"node/{one}" in said for one in names)


def test_another_root_is_another_thread(world: World) -> None:
    world.down = {"omen2", "omen3"}
    world.handle(group("r1", alert("omen2")), group("r2", alert("omen3"), key="g2"))

    assert len(world.board.threads) == 2


def test_alerts_without_a_root_stay_apart(world: World) -> None:
    world.handle(group("r1", alert("omen2")), group("r2", alert("omen2", fingerprint="f-other"), key="g2"))

    assert [texts[0] for texts in world.board.threads.values()] == ["OPEN x1: nothing"] * 2


@pytest.mark.parametrize(
    ("labels", "annotations", "scope"),
    [
        ({"node": "omen2"}, {}, ("node/omen2",)),
        ({"instance": "omen2:9100"}, {}, ("node/omen2",)),
        ({"alertname": "Down"}, {"summary": "node omen2 is down"}, ("node/omen2",)),
        ({"node": "omen2", "instance": "omen3:9100"}, {}, ("node/omen2",)),
        ({"node": "omen2", "nodepool": "gone"}, {}, ("node/omen2",)),
        ({"name": "gpu-fedora"}, {}, ("vm/vms/gpu-fedora", "vm/lab/gpu-fedora")),
        ({"node": "elsewhere"}, {}, ("cluster",)),
        ({"alertname": "Watchdog"}, {}, ("cluster",)),
    ],
)
def test_what_an_alert_names_is_looked_at_or_the_whole_cluster_which_is_said(
    world: World, labels: dict[str, str], annotations: dict[str, str], scope: tuple[str, ...]
) -> None:
    world.handle(group("r1", Alert(firing=True, labels=labels, annotations=annotations, fingerprint="f1")))

    assert world.cluster.asked[0] == tuple(CLUSTER if one == "cluster" else Ref.parse(one) for one in scope)
    said = [one.text for one in world.board.posts if one.text == "desk-whole-cluster"]
    assert len(said) == (scope == ("cluster",))


@pytest.mark.parametrize("truncated", [0, 7])
def test_alerts_that_were_not_sent_are_said(world: World, truncated: int) -> None:
    world.handle(group("r1", alert("omen2"), truncated=truncated))

    said = [one.text for one in world.board.posts if one.text.startswith("desk-truncated")]
    assert said == (["desk-truncated count=7"] if truncated else [])


def test_the_other_channel_is_told_where_the_incident_is(world: World) -> None:
    world.down = {"omen2"}
    world.handle(group("r1", alert("omen2")), group("r2", alert("omen2", AT + timedelta(hours=1)), channel="C0OTHER"))

    assert [one.text for one in world.board.posts if one.place.channel == "C0OTHER"] == [
        f"desk-elsewhere channel={CHANNEL} count=2"
    ]
    assert len(world.incidents()) == 1


@pytest.mark.parametrize("has_prose", [True, False])
def test_prose_comes_last_and_once(redis_url: str, has_prose: bool) -> None:
    prose = Prose() if has_prose else None
    world = World(redis_url, summariser=prose)
    world.down = {"omen2"}
    world.handle(group("r1", alert("omen2")), group("r1", alert("omen2")))

    ((_, *replies),) = world.board.threads.values()
    assert replies == ["chain", "not seen", *(["prose"] if has_prose else [])]
    assert prose is None or prose.asked == 1


def test_dying_after_any_post_costs_that_post_and_nothing_else(redis_url: str) -> None:
    """Every message is posted once more than without dying: no other is repeated, none is missing."""
    world = World(redis_url, summariser=Prose())
    world.down = {"omen2", "omen3"}
    both = group("r1", alert("omen2"), alert("omen3"))
    deaths = world.handle_dying(both)

    (incident,) = world.incidents()
    undisturbed = [
        "OPEN x2: kubelet-down node/omen2, kubelet-down node/omen3",
        "desk-several-causes",
        "chain",
        "not seen",
    ]
    assert deaths == len(undisturbed) + 1
    assert incident.count == 2
    posted = [one.text.split(" count=")[0] for one in world.board.posts]
    assert posted == [text for one in (*undisturbed, "prose") for text in (one, one)]
    assert len([one for one in world.board.posts if not one.place.thread]) == 2, "the one duplicate of the root"


def test_dying_while_folding_counts_once(world: World) -> None:
    world.loops = True
    world.handle(group("r1", alert(GENERATIONS[0])))
    deaths = world.handle_dying(group("r2", alert(GENERATIONS[1]), key="g2"))

    (incident,) = world.incidents()
    ((root, *replies),) = world.board.threads.values()
    assert (deaths, incident.count) == (1, 2)
    assert root.startswith("OPEN x2")
    assert replies.count("again: x2") == 2


def test_whoever_opened_it_and_never_posts_is_stood_in_for(world: World) -> None:
    world.down = {"omen2"}
    world.board.absent_from = [CHANNEL]
    world.handle(group("r1", alert("omen2")))
    world.board.absent_from = []
    world.handle(group("r2", alert("omen2", AT + timedelta(seconds=1)), key="g2"))
    assert world.board.posts == [], "r1 may still be at it"

    world.clock.pass_by(timedelta(minutes=3))
    world.handle(group("r3", alert("omen2", AT + timedelta(minutes=3)), key="g3"))
    world.handle(group("r1", alert("omen2")))

    assert [texts[0] for texts in world.board.threads.values()] == ["OPEN x3: kubelet-down node/omen2"]


@pytest.mark.parametrize("is_gone", [True, False], ids=["the bot has left", "Slack is away for long"])
def test_an_end_that_nobody_can_be_told_leaves_nothing_firing(world: World, is_gone: bool) -> None:
    world.down = {"omen2"}
    world.handle(group("r1", alert("omen2")))
    (before,) = world.incidents()
    assert before.firing
    end = group("r2", alert("omen2", firing=False))
    if is_gone:
        world.board.absent_from = [CHANNEL]
        world.handle(end)
    else:
        world.board.fails = ["desk-still-there"]
        with pytest.raises(PostFailed):
            world.handle(end)
        world.desk.give_up(end)

    (incident,) = world.incidents()
    assert (incident.firing, incident.is_open) == ((), True)


def test_many_replicas_at_once_open_one_thread_and_lose_no_count(redis_url: str) -> None:
    workers, rounds = 4, 10
    start = Barrier(workers)
    world = World(redis_url)
    world.cluster.live += [node(f"n{number}") for number in range(rounds)]
    world.down = {f"n{number}" for number in range(rounds)}

    def work(worker: int) -> None:
        desk = world.replica()
        for number in range(rounds):
            start.wait()
            desk.handle(
                group(f"{number}-{worker}", alert(f"n{number}", fingerprint=f"f{worker}"), key=f"{number}-{worker}")
            )

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(work, range(workers)))

    assert len(world.board.threads) == rounds
    assert [one.count for one in world.incidents()] == [workers] * rounds
    assert [texts[0][:7] for texts in world.board.threads.values()] == [f"OPEN x{workers}"] * rounds
