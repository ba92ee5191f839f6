"""Approvals by people who may not give them, from the signed click to the audit.

Axes: who presses, in which channel, what Slack says of them, what changed between the press and the run.
"""

from __future__ import annotations

import pytest

from tests.entry.slack.repairing import FIRST, GROUP, REQUESTER, SECOND, SlackRepair, held, refused
from tests.support.slack_methods import APP, BOT_ID, BOT_USER
from tests.support.slack_payloads import command, mention


def test_who_asked_does_not_approve_what_takes_two(repair: SlackRepair) -> None:
    repair.press("approve", REQUESTER)
    refused(repair, REQUESTER, "repair-requester-excluded")


def test_the_same_person_is_not_two(repair: SlackRepair) -> None:
    repair.press("approve", FIRST)
    repair.press("approve", FIRST)
    refused(repair, FIRST, "repair-voted-already")
    repair.run()
    assert repair.hands.effects == []


@pytest.mark.parametrize(
    ("user", "reason"),
    [
        ("U0GUEST", "refused-guest"),
        ("U0SINGLE", "refused-guest"),
        ("U0GONE", "refused-deactivated"),
        ("U0OTHERBOT", "refused-bot"),
        ("U0NOBODY", "refused-lookup-failed"),
    ],
)
@pytest.mark.parametrize("kind", ["approve", "deny", "break-glass"])
def test_guests_bots_and_who_is_gone(repair: SlackRepair, user: str, reason: str, kind: str) -> None:
    # Even where the group names them: Slack lets a guest be listed in no group, but ids are typed by people.
    repair.server.groups[GROUP].append(user)
    repair.press("approve" if kind == "break-glass" else kind, user)
    refused(repair, user, reason)
    assert repair.server.calls_of("views.open") == []


@pytest.mark.parametrize("team", ["T0OTHER", "E0GRID"])
def test_people_of_another_workspace(repair: SlackRepair, team: str) -> None:
    body = repair.clicked("approve", "U0STRANGER")
    body["user"]["team_id"] = team
    repair.dispatch(body)
    refused(repair, "U0STRANGER", "refused-other-team")


def test_a_channel_that_is_shared_with_others_meanwhile(repair: SlackRepair) -> None:
    repair.server.channels["C0ALERTS"]["is_ext_shared"] = True
    before = repair.thread()
    body = repair.clicked("approve", FIRST, response_url=repair.server.response_url())
    repair.dispatch(body)
    assert repair.refused() == [(FIRST, "refused-shared-channel")]
    # Where strangers read, not even the refusal is said: only who pressed reads it.
    assert repair.thread() == before
    assert "shared with another organisation" in repair.server.wait_for("response_url")[-1]["text"]
    assert repair.states() == ["awaiting", "pending"]


def test_a_member_who_is_no_approver(repair: SlackRepair) -> None:
    repair.server.add_user("U0MEMBER")
    repair.press("approve", "U0MEMBER")
    refused(repair, "U0MEMBER", "repair-may-not")
    assert "not among the configured approvers" in repair.refusals()[-1]


@pytest.mark.parametrize("error", ["ratelimited", "no_such_subteam", "subteam_disabled"])
def test_what_slack_does_not_say_is_a_no(repair: SlackRepair, error: str) -> None:
    repair.server.fail_next("usergroups.users.list", error)
    repair.press("approve", FIRST)
    refused(repair, FIRST, "repair-may-not")
    assert f"Slack did not say who that is ({error})" in repair.refusals()[-1]


def test_a_look_up_of_a_person_that_fails_is_a_no(repair: SlackRepair) -> None:
    repair.server.fail_next("users.info", "internal_error")
    repair.press("approve", FIRST)
    refused(repair, FIRST, "refused-lookup-failed")


def test_who_left_the_group_between_the_press_and_the_run(repair: SlackRepair) -> None:
    repair.press("approve", FIRST)
    repair.press("approve", SECOND)
    assert repair.states()[0] == "approved"
    repair.server.groups[GROUP].remove(SECOND)
    repair.run()
    held(repair, "repair-voter-may-not", "not among the configured approvers")


def test_who_was_deactivated_between_the_press_and_the_run(easy: SlackRepair) -> None:
    easy.press("approve", FIRST)
    easy.server.users[FIRST]["deleted"] = True
    easy.run()
    held(easy, "repair-voter-may-not", "a deactivated account")


def test_who_is_in_the_group_only_now_counts_and_the_audit_says_who(repair: SlackRepair) -> None:
    # Who may edit a user group is the workspace's setting; the documentation says to lock it, or to name ids.
    repair.server.add_user("U0NEW")
    repair.press("approve", "U0NEW")
    refused(repair, "U0NEW", "repair-may-not")
    repair.server.groups[GROUP].append("U0NEW")
    repair.press("approve", "U0NEW")
    assert repair.states() == ["awaiting", "pending"]
    (entry,) = [one for one in repair.journal.entries() if one["type"] == "approved"]
    assert entry["actor"].endswith("/U0NEW")


# Orders are approvals, too: to go on takes two people


@pytest.mark.parametrize("words", ["unfreeze", "freeze now"])
@pytest.mark.parametrize(("user", "reason"), [("U0GUEST", "refused-guest"), ("U0OTHERBOT", "refused-bot")])
def test_orders_of_guests_and_bots(repair: SlackRepair, words: str, user: str, reason: str) -> None:
    answer = repair.dispatch(command(words, user_id=user))
    assert answer["text"]
    assert repair.refused()[-1] == (user, reason)
    thread = repair.incident.place.thread
    repair.dispatch(mention(words, user=user, thread_ts=thread))
    assert repair.refused()[-2:] == [(user, reason)] * 2
    repair.side.executor.shutdown(wait=True)
    assert len(repair.thread()) > 1
    assert not repair.journal.read("").freeze.frozen


def test_the_bots_own_words_are_no_orders(repair: SlackRepair) -> None:
    said = mention("freeze now", user=BOT_USER, bot_id=BOT_ID, app_id=APP, thread_ts=repair.incident.place.thread)
    before = repair.types()
    repair.dispatch(said)
    assert (repair.types(), repair.queue.requests) == (before, [])
