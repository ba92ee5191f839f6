"""A channel becomes shared with another organisation. Axes: when, how it is heard of, what waits, what comes after."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from bot.app.requests import Notice
from bot.entry.wiring.slack import SlackSide
from tests.entry.slack.hearing import dispatch
from tests.entry.slack.repairing import FIRST, SECOND, SlackRepair
from tests.support.slack_payloads import sharing_changed
from tests.support.slack_ports import MemoryQueue
from tests.support.slack_server import SlackServer

HERE = "C0ALERTS"


@pytest.fixture
def remembering(server: SlackServer, redis_url: str) -> Iterator[SlackRepair]:
    """One that believes an answer for an hour."""
    made = SlackRepair(server, redis_url, remember=3600)
    yield made
    made.side.close()


def share(repair: SlackRepair, *, shared: bool = True, flag: str = "is_ext_shared") -> None:
    repair.server.channels[HERE][flag] = shared


def said(repair: SlackRepair) -> int:
    """How much was said in the channel, by posts, edits and files."""
    methods = ("chat.postMessage", "chat.update", "files.completeUploadExternal")
    calls = [one for method in methods for one in repair.server.calls_of(method)]
    return len([one for one in calls if HERE in (one.get("channel"), one.get("channel_id"))])


def approve(repair: SlackRepair) -> None:
    repair.press("approve", FIRST)
    repair.press("approve", SECOND)
    assert repair.states()[0] == "approved"


def later(repair: SlackRepair) -> None:
    """Whoever began to post and was kept from it is stood in for."""
    repair.clock.pass_by(timedelta(seconds=61))
    repair.repairs.sweeper.run_once()


@pytest.mark.parametrize("flag", ["is_ext_shared", "is_pending_ext_shared", "is_shared"])
def test_an_approved_step_waits_while_its_thread_is_shared(repair: SlackRepair, flag: str) -> None:
    approve(repair)
    share(repair, flag=flag)
    before = said(repair)
    for _ in range(3):
        repair.run()
    repair.repairs.sweeper.run_once()
    assert said(repair) == before
    assert (repair.hands.effects, repair.states()[0]) == ([], "approved")
    assert [reason for _, reason in repair.refused()] == ["repair-thread-shared"], "written once"

    share(repair, flag=flag, shared=False)
    repair.run()
    assert len(repair.hands.effects) == 1
    assert said(repair) > before


def test_what_is_shared_within_the_organisation_goes_on(repair: SlackRepair) -> None:
    approve(repair)
    repair.server.channels[HERE] |= {"is_shared": True, "is_org_shared": True}
    repair.run()
    assert len(repair.hands.effects) == 1


def test_what_came_of_a_step_meanwhile_is_told_when_the_sharing_ends(repair: SlackRepair) -> None:
    approve(repair)
    repair.hands.on_effect = _first(repair.hands.on_effect, lambda: share(repair))
    repair.run()
    before = said(repair)
    repair.run()
    later(repair)
    assert len(repair.hands.effects) == 1
    assert repair.states() == ["verified", "awaiting"]
    assert said(repair) == before
    assert all("VERIFIED" not in one for one in repair.thread())

    share(repair, shared=False)
    later(repair)
    assert any(one.startswith("VERIFIED") for one in repair.thread())
    assert repair.card("second")


def test_it_is_audited_and_told_in_another_channel_at_once(remembering: SlackRepair) -> None:
    approve(remembering)
    share(remembering)
    before = said(remembering)
    body = sharing_changed(HERE, shared=True)
    remembering.dispatch(body)
    remembering.dispatch(body)
    assert said(remembering) == before
    (entry,) = [one for one in remembering.journal.entries() if one["type"] == "channel-shared"]
    assert (entry["details.channel"], entry["details.team"]) == (HERE, "E0OTHER")
    (told,) = [one for one in remembering.server.messages.values() if one["text"].startswith("CHANNEL SHARED OUTSIDE")]
    assert told["channel"] == "C0HOOK"
    assert HERE in told["text"]
    # This replica asks anew, though what it knew was good for an hour.
    remembering.run()
    assert remembering.hands.effects == []

    share(remembering, shared=False)
    remembering.dispatch(sharing_changed(HERE, shared=False))
    assert any(one.startswith("CHANNEL NO LONGER SHARED") for one in remembering.thread())
    remembering.run()
    assert len(remembering.hands.effects) == 1


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        (sharing_changed(HERE, shared=True), True),
        (sharing_changed("C0HOOK", shared=False), True),
        (sharing_changed("C0SHARED", shared=True), True),
        (sharing_changed(HERE, shared=False, others=True), False),
        (sharing_changed("C0NOTIN", shared=True), False),
        (sharing_changed("C0PRIVATE", shared=True), False),
        (sharing_changed(HERE, shared=True, team_id="T0OTHER"), False),
    ],
    ids=["shared", "over", "not configured", "others stay", "not in it", "private", "other workspace"],
)
def test_only_channels_where_the_bot_speaks_are_noted(
    side: SlackSide, queue: MemoryQueue, body: dict[str, Any], *, kept: bool
) -> None:
    dispatch(side, body)
    assert [isinstance(one, Notice) for one in queue.requests] == [True] * kept


def _first(before: Any, then: Any) -> Any:
    def both(done: Any) -> None:
        before(done)
        then()

    return both
