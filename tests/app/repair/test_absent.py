"""Where no plan can be offered. Axes: what is wrong; an alert, a question, a paste or a press; how often."""

from __future__ import annotations

import pytest

from bot.adapters.files.runbooks import load_runbooks
from bot.app.ports import PostFailed
from bot.app.repair.absent import NoPlans
from bot.app.repair.posting import Postings
from bot.app.requests import Press, PressKind
from bot.app.threads import Threads
from bot.model.incident import Place
from tests.app.desk import CHANNEL, World, alert, ask, group, paste
from tests.support.desk import AT, PlainPresenter, chains, fault
from tests.support.repair import ANA

WHY = "read-only-no-audit-key"
JOURNAL = "omen2: E0710 15:39:51 run.go:72] running with swap on is not supported"


@pytest.fixture
def world(redis_url: str) -> World:
    one = World(redis_url)
    threads = Threads(
        incidents=one.store, poster=one.board, presenter_of=lambda _channel: PlainPresenter(), clock=one.clock
    )
    one.repair = NoPlans(threads, Postings(threads, iter("abc").__next__), load_runbooks(), WHY)
    one.desk = one.replica()
    return one


def threads(world: World) -> list[list[str]]:
    return list(world.board.threads.values())


def test_below_an_alert_whose_root_a_runbook_repairs_it_is_said_once(world: World) -> None:
    world.loops = True
    world.handle(
        group("a1", alert("ip-10-0-0-1")), group("a1", alert("ip-10-0-0-1")), group("a2", alert("ip-10-0-0-2"))
    )

    (told,) = threads(world)
    assert told.count(WHY) == 1
    assert told.index(WHY) > told.index("chain"), "below the answer"


def test_below_a_question_it_is_said_in_its_thread(world: World) -> None:
    world.loops = True
    world.handle(ask("q1", "gpu"))

    assert threads(world) == [["answer: nodepool/gpu", WHY]]


def test_where_there_would_be_no_plan_in_any_case_nothing_is_said(world: World) -> None:
    world.down = {"omen2"}
    world.handle(group("a1", alert("omen2")), ask("q1", "omen3"))
    assert all(WHY not in told for told in threads(world))
    # The root is seen now, and it is one that a runbook repairs.
    world.handle(paste("p1", JOURNAL, world.incidents()[0].place.thread))
    assert [told.count(WHY) for told in threads(world)] == [1, 0]


def test_two_workers_that_come_to_it_at_once_say_it_once(world: World) -> None:
    world.down = {"omen2"}
    world.handle(group("a1", alert("omen2")))
    (incident,) = world.incidents()
    diagnosis = chains([fault("kubelet-swap-on", "node/omen2")])
    for _ in range(2):
        # Each has read the incident before the other said anything.
        world.repair.offer(incident, diagnosis)

    assert [told.count(WHY) for told in threads(world)] == [1]


def test_a_post_that_fails_is_made_by_the_request_that_comes_again(world: World) -> None:
    world.down = {"omen2"}
    world.handle(group("a1", alert("omen2")))
    (incident,) = world.incidents()
    diagnosis = chains([fault("kubelet-swap-on", "node/omen2")])
    world.board.fails = [WHY]
    with pytest.raises(PostFailed):
        world.repair.offer(incident, diagnosis)
    world.repair.offer(incident, diagnosis)

    assert [told.count(WHY) for told in threads(world)] == [1]


@pytest.mark.parametrize("url", ["", "https://hooks.example/1"])
def test_who_presses_a_button_or_gives_a_command_is_told(world: World, url: str) -> None:
    press = Press(
        id="p1", kind=PressKind.OPEN, actor=ANA, place=Place(CHANNEL, "5.0"), at=AT, response_url=url, plan="old-1"
    )
    world.handle(press)

    assert world.board.answers == ([(url, WHY)] if url else [])
    assert [one.text for one in world.board.posts] == ([] if url else [WHY])
