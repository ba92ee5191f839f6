"""Axes: which alert ends, whether its cause is still seen, what overtakes what, what fires again afterwards."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

from bot.model.incident import State
from tests.app.desk import GENERATIONS, World, alert, group, message
from tests.support.desk import AT


def test_the_end_is_told_and_the_root_message_says_so(world: World) -> None:
    world.down = {"omen2"}
    world.handle(group("r1", alert("omen2")))
    world.down = set()
    world.handle(group("r2", alert("omen2", firing=False)))

    ((root, *replies),) = world.board.threads.values()
    assert root == "RESOLVED x1: nothing"
    assert replies[-1] == "the alert no longer fires"
    assert world.incidents() == []


def test_it_is_resolved_only_when_all_its_alerts_have_ended(world: World) -> None:
    world.loops = True
    first, second = GENERATIONS[:2]
    world.handle(group("r1", alert(first), key="g1"), group("r2", alert(second), key="g2"))
    world.loops = False
    world.handle(group("r3", alert(first, firing=False), key="g1"))
    assert [(one.state, one.firing) for one in world.incidents()] == [(State.OPEN, (f"f-{second}@{AT.isoformat()}",))]
    world.handle(group("r4", alert(second, firing=False), key="g2"))

    ((root, *replies),) = world.board.threads.values()
    assert root.startswith("RESOLVED x2")
    assert replies.count("the alert no longer fires") == 1


def test_an_alert_that_ends_while_its_cause_is_seen_leaves_the_incident_open(world: World) -> None:
    world.down = {"omen2"}
    world.handle(group("r1", alert("omen2")), group("r2", alert("omen2", firing=False)))

    ((root, *replies),) = world.board.threads.values()
    assert root.startswith("OPEN")
    assert replies[-1] == "desk-still-there"


def test_after_the_end_the_same_alert_opens_a_new_thread(world: World) -> None:
    world.down = {"omen2"}
    world.handle(group("r1", alert("omen2")))
    world.down = set()
    world.handle(group("r2", alert("omen2", firing=False)))
    world.down = {"omen2"}
    world.handle(group("r3", alert("omen2", AT + timedelta(hours=1))))

    assert [texts[0][:4] for texts in world.board.threads.values()] == ["RESO", "OPEN"]


def test_an_end_that_overtakes_its_alert_is_not_lost(world: World) -> None:
    world.handle(group("r2", alert("omen2", firing=False)), group("r1", alert("omen2")))

    ((root, *replies),) = world.board.threads.values()
    assert root == "RESOLVED x1: nothing"
    assert replies[-1] == "the alert no longer fires"


def test_an_end_of_nothing_says_nothing(world: World) -> None:
    world.handle(group("r1", alert("omen2", firing=False)), message("r2", "[RESOLVED] omen2 is back", "7.0"))

    assert world.board.posts == []


def test_dying_while_resolving_still_resolves(world: World) -> None:
    world.down = {"omen2"}
    world.handle(group("r1", alert("omen2")))
    world.down = set()
    world.handle_dying(group("r2", alert("omen2", firing=False)))

    ((root, *_),) = world.board.threads.values()
    assert root.startswith("RESOLVED")
    assert world.incidents() == []


def test_an_end_at_the_same_moment_as_its_alert_always_resolves(redis_url: str) -> None:
    rounds = 15
    start = Barrier(2)
    world = World(redis_url)

    def work(firing: bool) -> None:
        desk = world.replica()
        for number in range(rounds):
            start.wait()
            desk.handle(
                group(f"{number}-{firing}", alert("omen2", firing=firing, fingerprint=f"f{number}"), key=f"g{number}")
            )

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, (True, False)))

    assert len(world.board.threads) == rounds
    assert {texts[0] for texts in world.board.threads.values()} == {"RESOLVED x1: nothing"}
    assert world.incidents() == []
