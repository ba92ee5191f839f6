"""The approvers' user group changes. Axes: who comes and goes, which group, how it arrives, what is remembered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.entry.slack.repairing import FIRST, GROUP, SlackRepair, refused
from tests.support.slack_payloads import group_updated, members_changed, socket_kind
from tests.support.slack_server import SlackServer

EVIL = "U0EVIL"


@pytest.fixture
def remembering(server: SlackServer, redis_url: str) -> Iterator[SlackRepair]:
    """One that believes an answer for an hour."""
    made = SlackRepair(server, redis_url, remember=3600)
    made.server.add_user(EVIL)
    yield made
    made.side.close()


def changes(repair: SlackRepair) -> list[dict[str, str]]:
    entries = [one for one in repair.journal.entries() if one["type"] == "approvers-changed"]
    return [{key.removeprefix("details."): value for key, value in one.items() if "details." in key} for one in entries]


def posted(repair: SlackRepair) -> list[dict[str, Any]]:
    bodies = repair.server.messages.values()
    return [one for one in bodies if one["text"].startswith("WHO MAY APPROVE HAS CHANGED")]


def test_who_adds_himself_to_the_approvers_is_audited_and_told_in_the_thread(repair: SlackRepair) -> None:
    repair.dispatch(members_changed(GROUP, added=(EVIL,)))
    assert changes(repair) == [
        {"group": GROUP, "added": EVIL, "removed": "-", "reason": "approvers-changed"},
    ]
    (told,) = posted(repair)
    assert told["thread_ts"] == repair.incident.place.thread
    assert f"<!subteam^{GROUP}>" in told["text"]
    assert EVIL in told["text"]
    assert f"<@{EVIL}>" not in told["text"]


def test_who_was_removed_is_called_too(repair: SlackRepair) -> None:
    # Somebody who puts everybody else out would otherwise call only himself.
    repair.dispatch(members_changed(GROUP, added=(EVIL,), removed=(FIRST,)))
    assert f"<@{FIRST}>" in posted(repair)[0]["text"]


def test_it_arrives_by_socket_mode_too(repair: SlackRepair) -> None:
    repair.side.socket.connect()
    repair.server.socket.wait_for_connection()
    body = members_changed(GROUP, added=(EVIL,))
    assert repair.server.socket.send(socket_kind(body), body).wait().seconds is not None
    repair.work()
    assert len(changes(repair)) == len(posted(repair)) == 1


def test_one_that_comes_twice_is_told_once(repair: SlackRepair) -> None:
    body = members_changed(GROUP, added=(EVIL,))
    repair.dispatch(body)
    repair.dispatch(body)
    repair.repairs.desk.notice(repair.queue.requests[-1])  # type: ignore[arg-type]
    assert len(changes(repair)) == len(posted(repair)) == 1


def test_a_group_that_is_disabled(repair: SlackRepair) -> None:
    repair.dispatch(group_updated(GROUP, deleted=1595814999, deleted_by=EVIL))
    assert changes(repair) == [{"group": GROUP, "by": EVIL, "reason": "approvers-disabled"}]
    assert EVIL in posted(repair)[0]["text"]


@pytest.mark.parametrize(
    "body",
    [
        members_changed("S0OTHER", added=(EVIL,)),
        members_changed(GROUP, added=(EVIL,), team_id="T0OTHER"),
        group_updated("S0OTHER", deleted=1),
        group_updated(GROUP),
    ],
    ids=["other group", "other workspace", "other group disabled", "renamed"],
)
def test_what_concerns_no_approvers_is_dropped(repair: SlackRepair, body: dict[str, Any]) -> None:
    repair.dispatch(body)
    assert repair.queue.requests == []
    assert changes(repair) == posted(repair) == []


def test_who_was_removed_may_not_approve_from_then_on(remembering: SlackRepair) -> None:
    remembering.press("approve", EVIL)
    refused(remembering, EVIL, "repair-may-not")
    remembering.server.groups[GROUP].remove(FIRST)
    remembering.dispatch(members_changed(GROUP, removed=(FIRST,)))
    remembering.press("approve", FIRST)
    refused(remembering, FIRST, "repair-may-not")


def test_a_group_that_was_renamed_is_asked_for_anew(remembering: SlackRepair) -> None:
    remembering.press("approve", EVIL)
    remembering.server.groups[GROUP].remove(FIRST)
    remembering.dispatch(group_updated(GROUP))
    remembering.press("approve", FIRST)
    refused(remembering, FIRST, "repair-may-not")
