"""Approvals that somebody tries to get by a trick, from the signed click to the audit.

Axes: what is forged, how often it is pressed, what changed since the card was posted. Who presses: `test_impostors`.
After each the clicker sees why, the audit has it, and nothing was done.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from bot.model.cards import Token, cluster_mark
from bot.remedy.runbook import Risk
from tests.app.repair.small import call
from tests.entry.slack.repairing import FIRST, GROUP, REQUESTER, SECOND, SlackRepair, refused
from tests.support.slack_payloads import command, sent, signed
from tests.support.slack_server import SlackServer


def with_value(body: dict[str, Any], **changes: str) -> dict[str, Any]:
    """The click with another value in its button."""
    token = Token.read(body["actions"][0]["value"])
    fields = {key: getattr(token, key) for key in token.__struct_fields__} | changes
    changed = copy.deepcopy(body)
    changed["actions"][0]["value"] = Token(**fields).written()
    return changed


# Forged buttons


@pytest.mark.parametrize("value", ["", "x", "a|b|c", "kubectl delete node omen2", "|" * 3, "a|b|c|d|e", "a" * 2000])
def test_a_value_that_we_did_not_write(repair: SlackRepair, value: str) -> None:
    body = repair.clicked("approve", FIRST)
    body["actions"][0]["value"] = value
    repair.dispatch(body)
    refused(repair, FIRST, "refused-button-tampered")
    assert repair.states() == ["awaiting", "pending"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"plan": "elsewhere"}, "repair-no-such-plan"),
        ({"part": "third"}, "repair-no-such-step"),
        ({"digest": "0" * 32}, "repair-other-digest"),
        ({"digest": ""}, "repair-other-digest"),
        ({"cluster": cluster_mark("prod")}, "refused-button-other-cluster"),
    ],
)
def test_a_value_with_other_ids(repair: SlackRepair, changes: dict[str, str], reason: str) -> None:
    repair.dispatch(with_value(repair.clicked("approve", FIRST), **changes))
    refused(repair, FIRST, reason)
    assert repair.states() == ["awaiting", "pending"]


def test_the_button_of_another_clusters_bot_is_refused_by_name(repair: SlackRepair) -> None:
    repair.dispatch(with_value(repair.clicked("approve", FIRST), cluster=cluster_mark("prod")))
    assert "I am the bot of lab" in repair.refusals()[-1]


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body.update(api_app_id="A0OTHER"),
        lambda body: body["message"].update(app_id="A0OTHER"),
        lambda body: body["message"].update(bot_id="B0OTHER"),
        lambda body: body.pop("message"),
    ],
    ids=["app", "message's app", "message's bot", "no message"],
)
def test_a_button_in_a_message_that_is_not_ours(repair: SlackRepair, change: Callable[[dict[str, Any]], None]) -> None:
    body = repair.clicked("approve", FIRST)
    change(body)
    repair.dispatch(body)
    refused(repair, FIRST, "refused-button-other-app")
    assert repair.states() == ["awaiting", "pending"]


def test_a_look_alike_that_was_posted_with_a_stolen_token(repair: SlackRepair) -> None:
    ts, card = repair.card()
    repair.server.messages["C0ALERTS", "1790009999.000001"] = card
    body = repair.clicked("approve", FIRST)
    body["container"]["message_ts"] = body["message"]["ts"] = "1790009999.000001"
    repair.dispatch(body)
    refused(repair, FIRST, "repair-not-our-card")
    assert ts != "1790009999.000001"


def test_a_form_that_brings_back_something_else(repair: SlackRepair) -> None:
    repair.press("deny", FIRST)
    forged = sent(repair.view(), "because", user=FIRST)
    forged["view"]["private_metadata"] = '{"channel": "C0ALERTS"}'
    answer = repair.dispatch(forged)
    # Such a form names no thread: the reason stands in the form itself.
    assert "nothing that I wrote" in str(answer["errors"])
    assert repair.refused()[-1] == (FIRST, "refused-button-tampered")
    assert repair.states() == ["awaiting", "pending"]


@pytest.mark.parametrize("callback", ["repair:nonsense", "repair:approve"])
def test_a_form_that_is_none_of_ours(repair: SlackRepair, callback: str) -> None:
    repair.press("deny", FIRST)
    forged = sent(repair.view(), "because", user=FIRST)
    forged["view"]["callback_id"] = callback
    assert repair.dispatch(forged)["response_action"] == "errors"
    assert repair.refused()[-1] == (FIRST, "refused-button-tampered")
    assert repair.states() == ["awaiting", "pending"]


def test_a_button_that_is_none_of_ours(repair: SlackRepair) -> None:
    body = repair.clicked("approve", FIRST)
    body["actions"][0]["action_id"] = "repair:nonsense"
    repair.dispatch(body)
    refused(repair, FIRST, "refused-button-tampered")
    assert repair.states() == ["awaiting", "pending"]


# Old, repeated, too late


def test_a_signed_request_that_is_replayed_has_one_effect(easy: SlackRepair) -> None:
    replayed = signed(easy.clicked("approve", FIRST))
    for _ in range(3):
        assert easy.side.app.dispatch(copy.copy(replayed)).status == 200
        easy.work()
        easy.run()
    refused(easy, FIRST, "refused-came-again", effects=1)
    assert easy.types().count("approved") == 1
    assert (len(easy.refusals()), len(easy.refused())) == (1, 1), "however often it comes"


def test_a_command_that_is_replayed_has_one_effect(repair: SlackRepair) -> None:
    replayed = signed(command("freeze wrong node!", user_id=FIRST, response_url=repair.server.response_url()))
    for _ in range(3):
        assert repair.side.app.dispatch(copy.copy(replayed)).status == 200
        repair.work()
    assert repair.types().count("freeze") == 1
    assert repair.refused() == [(FIRST, "refused-came-again")]


@pytest.mark.parametrize(("secret", "age"), [("forged", 0), ("signing-secret", 301), ("signing-secret", -302), ("", 0)])
def test_a_click_that_slack_did_not_sign_or_long_ago(repair: SlackRepair, secret: str, age: int) -> None:
    request = signed(repair.clicked("approve", FIRST), secret=secret, at=time.time() - age)
    before, thread = repair.types(), repair.thread()
    assert repair.side.app.dispatch(request).status == 401
    # Nothing of it arrives, so it is neither told nor audited: anybody can send anything.
    assert (repair.queue.requests, repair.types(), repair.thread()) == ([], before, thread)
    assert repair.states() == ["awaiting", "pending"]


def test_a_press_that_the_worker_gets_twice_counts_once(repair: SlackRepair) -> None:
    repair.press("approve", FIRST)
    repair.repairs.desk.handle(repair.queue.requests[-1])  # type: ignore[arg-type]
    assert repair.types().count("approved") == 1
    assert repair.refusals() == []


def test_a_double_click_is_one_vote_and_a_clear_word(repair: SlackRepair) -> None:
    first, second = repair.clicked("approve", FIRST), repair.clicked("approve", FIRST)
    repair.dispatch(first)
    repair.dispatch(second)
    refused(repair, FIRST, "repair-voted-already")
    assert repair.states() == ["awaiting", "pending"]


def test_two_people_at_once_have_one_effect(easy: SlackRepair) -> None:
    first, second = easy.clicked("approve", FIRST), easy.clicked("approve", SECOND)
    easy.dispatch(first)
    easy.dispatch(second)
    refused(easy, SECOND, "repair-approved-already")
    easy.run()
    easy.run()
    assert len(easy.hands.effects) == 1


def test_an_old_button_after_the_step_is_done(easy: SlackRepair) -> None:
    old = easy.clicked("approve", SECOND)
    easy.press("approve", FIRST)
    easy.run()
    easy.dispatch(old)
    refused(easy, SECOND, "repair-step-state", effects=1)


def test_an_old_button_of_a_plan_that_was_given_up(repair: SlackRepair) -> None:
    old = repair.clicked("approve", SECOND)
    repair.fill("deny", "another way", FIRST)
    repair.dispatch(old)
    refused(repair, SECOND, "repair-plan-over")


def test_what_was_approved_and_is_not_as_it_was_any_more(server: SlackServer, redis_url: str) -> None:
    changed = SlackRepair(server, redis_url, risk=Risk.REVERSIBLE, precondition=(call("guard"),))
    try:
        changed.node.labels["guard"] = "on"
        changed.press("approve", FIRST)
        del changed.node.labels["guard"]
        changed.run()
        assert changed.hands.effects == []
        (entry,) = [one for one in changed.journal.entries() if one["type"] == "outcome"]
        assert (entry["details.reason"], entry["details.result"]) == ("repair-drifted", "drifted")
        assert any("outdated. Its object has changed" in one for one in changed.thread()), changed.thread()
    finally:
        changed.side.close()


def test_a_button_after_its_time(repair: SlackRepair) -> None:
    late = repair.clicked("approve", FIRST)
    repair.clock.pass_by(timedelta(minutes=15))
    repair.dispatch(late)
    refused(repair, FIRST, "repair-approval-expired")
    assert repair.states()[0] == "expired"


def test_the_next_step_before_its_turn_is_refused_with_the_hazard(repair: SlackRepair) -> None:
    step = repair.plan.step("second")
    body = with_value(repair.clicked("approve", FIRST), part="second", digest=step.digest)
    repair.dispatch(body)
    assert repair.refused()[-1] == (FIRST, "hazard-second-first")
    assert "hazard-second-first" in repair.refusals()[-1]
    assert repair.hands.effects == []
    assert repair.states() == ["awaiting", "pending"]


# Forms are checked again when they are sent


def test_who_opened_a_form_and_lost_the_right_before_sending_it(repair: SlackRepair) -> None:
    repair.press("break-glass", FIRST)
    repair.server.groups[GROUP].remove(FIRST)
    repair.dispatch(sent(repair.view(), "now", user=FIRST))
    refused(repair, FIRST, "repair-may-not")


def test_a_form_of_another_app(repair: SlackRepair) -> None:
    repair.press("deny", FIRST)
    repair.dispatch(sent(repair.view(), "no", user=FIRST, api_app_id="A0OTHER"))
    refused(repair, FIRST, "refused-button-other-app")
    assert repair.states() == ["awaiting", "pending"]


def test_every_refusal_is_chained_into_the_audit(repair: SlackRepair) -> None:
    before = len(repair.journal.entries())
    repair.press("approve", "U0GUEST")
    repair.press("approve", REQUESTER)
    entries = repair.journal.entries()[before:]
    assert [one["type"] for one in entries] == ["refused", "refused"]
    assert all(one["plan"] == repair.plan.id and one["step"] == "first" for one in entries)
