"""The channel is shared with another organisation for a while. Axes: what happens meanwhile; it is told afterwards."""

from __future__ import annotations

import msgspec

from bot.app.requests import Ask, Notice
from bot.model.incident import Place, State
from tests.app.desk import GENERATIONS, World, alert, group
from tests.support.desk import AT


def unshared(channel: str) -> Notice:
    return Notice(id="sharing:1", entry="channel-unshared", reason="channel-unshared", values={}, at=AT, again=channel)


def test_an_alert_that_came_meanwhile_is_told_when_the_sharing_ends(world: World) -> None:
    world.down = {"omen2"}
    request = group("r1", alert("omen2"))
    world.board.shared = {request.place.channel}
    world.handle(request)
    assert world.board.posts == []
    world.board.shared = set()
    world.handle(unshared(request.place.channel), unshared(request.place.channel))
    ((root, *replies),) = world.board.threads.values()
    assert root.startswith("OPEN")
    assert len(replies) == len(set(replies)) > 0


def test_an_alert_that_ended_meanwhile_is_resolved_when_the_sharing_ends(world: World) -> None:
    world.down = {"omen2"}
    request = group("r1", alert("omen2"))
    world.handle(request)
    before = list(world.board.posts)
    world.board.shared = {request.place.channel}
    world.down = set()
    world.handle(group("r2", alert("omen2", firing=False)))
    assert (world.board.posts, world.board.edits) == (before, [])
    assert [one.state for one in world.incidents()] == [State.OPEN]
    world.board.shared = set()
    world.handle(unshared("C0ELSE"))
    assert world.board.posts == before
    world.handle(unshared(request.place.channel))
    ((root, *replies),) = world.board.threads.values()
    assert root.startswith("RESOLVED")
    assert replies[-1] == "the alert no longer fires"


def test_who_asks_there_is_answered_alone(world: World) -> None:
    world.down = {"omen2"}
    world.board.shared = {"C0ASK"}
    ask = Ask(id="a1", words="node/omen2", place=Place("C0ASK"), user="U0ONCALL", response_url="https://hooks/1")
    world.handle(ask)
    assert world.board.posts == []
    assert [text for _, text in world.board.answers] == ["refused-shared-channel mention=U0ONCALL"]


def test_the_same_cause_in_another_channel_is_told_there(world: World) -> None:
    world.down = {"omen2"}
    first, second = group("r1", alert("omen2"), key="g1"), group("r2", alert("omen2"), key="g2")
    world.board.shared = {first.place.channel}
    second = msgspec.structs.replace(second, place=Place("C0OTHER"))
    world.handle(first, second)
    ((root, *_),) = world.board.threads.values()
    assert {one.place.channel for one in world.board.posts} == {"C0OTHER"}
    assert root.startswith("OPEN")


def test_whose_thread_became_shared_is_named_in_the_other_channel(world: World) -> None:
    world.loops = True
    first, second = (group(f"r{one}", alert(one), key=f"g{one}") for one in GENERATIONS[:2])
    world.handle(first)
    world.board.shared = {first.place.channel}
    world.handle(msgspec.structs.replace(second, place=Place("C0OTHER")))
    assert [one.text.split()[0] for one in world.board.posts if one.place.channel == "C0OTHER"] == ["desk-elsewhere"]
