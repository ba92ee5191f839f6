"""Buttons and forms in the fake Slack, by signed requests. Axes: button, form, what is typed, who, what fails."""

from __future__ import annotations

import re

from bot.remedy.export import missing_anchor
from bot.remedy.plan import PlanState
from tests.entry.slack.repairing import FIRST, REQUESTER, SECOND, SlackRepair
from tests.support.slack_payloads import click, command, mention, sent, signed, socket_kind
from tests.support.slack_server import SlackServer


def buttons(body: dict[str, object]) -> list[str]:
    blocks = body["blocks"]
    assert isinstance(blocks, list)
    return [one["action_id"] for block in blocks if block["type"] == "actions" for one in block["elements"]]


def test_approved_by_two_run_verified_and_the_next_one_offered(repair: SlackRepair) -> None:
    repair.press("approve", FIRST)
    assert repair.states() == ["awaiting", "pending"]
    assert "Approved by 1 of 2" in repair.card()[1]["text"]
    repair.press("approve", SECOND)
    assert repair.states() == ["approved", "pending"]
    assert repair.refusals() == []
    repair.run()
    assert repair.states() == ["verified", "awaiting"]
    assert len(repair.hands.effects) == 1


def test_the_buttons_leave_before_any_work_starts(easy: SlackRepair) -> None:
    assert buttons(easy.card()[1]) == ["repair:approve", "repair:deny", "repair:details"]
    easy.press("approve", FIRST)
    assert buttons(easy.card()[1]) == []
    assert easy.hands.effects == []


def test_a_click_is_acknowledged_and_queued_without_any_work(easy: SlackRepair) -> None:
    easy.side.app.dispatch(signed(easy.clicked("approve", FIRST)))
    assert len(easy.queue.requests) == 1
    assert easy.states() == ["awaiting", "pending"]


def test_clicks_arrive_by_socket_mode_too(easy: SlackRepair) -> None:
    easy.side.socket.connect()
    easy.server.socket.wait_for_connection()
    body = easy.clicked("approve", FIRST)
    assert easy.server.socket.send(socket_kind(body), body).wait().seconds is not None
    easy.work()
    assert easy.states() == ["approved", "pending"]


def test_a_deny_is_a_veto_and_its_reason_is_kept(repair: SlackRepair) -> None:
    repair.press("approve", FIRST)
    assert repair.fill("deny", "not before the backup", SECOND) == {}
    assert repair.states()[0] == "denied"
    assert repair.plan.state is PlanState.HALTED
    assert any("not before the backup" in one for one in repair.thread())


def test_breaking_the_glass_needs_a_reason(repair: SlackRepair) -> None:
    errors = repair.fill("break-glass", "  ", FIRST)
    assert errors["response_action"] == "errors"
    assert list(errors["errors"]) == ["typed"]
    assert repair.states() == ["awaiting", "pending"]
    assert repair.dispatch(sent(repair.view(), "the room burns", user=FIRST)) == {}
    assert repair.states() == ["approved", "pending"]
    (entry,) = [one for one in repair.journal.entries() if one["type"] == "broke-glass"]
    assert entry["details.why"] == "the room burns"
    assert SECOND in entry["details.skipped"]
    assert (entry["details.pressed.channel"], entry["details.pressed.message"]) == ("C0ALERTS", repair.card()[0])
    assert entry["details.pressed.action"].startswith("17800"), "of the button that opened the form"


def test_the_details_only_show(repair: SlackRepair) -> None:
    repair.press("details", FIRST)
    assert repair.queue.requests == []
    assert repair.plan.step("first").digest in str(repair.view())
    assert "submit" not in repair.view()


def test_a_form_that_does_not_open_is_said_to_who_pressed(repair: SlackRepair) -> None:
    body = repair.clicked("deny", FIRST, response_url=repair.server.response_url())
    repair.server.triggers.clear()
    repair.dispatch(body)
    (told,) = repair.server.wait_for("response_url")
    assert "exchanged_trigger_id" in told["text"]
    assert repair.queue.requests == []


def test_a_queue_that_is_away_is_said_and_nothing_is_lost_in_silence(easy: SlackRepair) -> None:
    easy.queue.fails = True
    easy.side.app.dispatch(signed(easy.clicked("approve", FIRST, response_url=easy.server.response_url())))
    (told,) = easy.server.wait_for("response_url")
    assert "may not have been queued" in told["text"]
    easy.press("deny", FIRST)
    answer = easy.dispatch(sent(easy.view(), "no", user=FIRST))
    assert "may not have been queued" in answer["errors"]["typed"]
    assert easy.states() == ["awaiting", "pending"]


def test_whoever_takes_it_is_its_owner_and_stands_on_the_root(repair: SlackRepair) -> None:
    root = repair.server.messages["C0ALERTS", repair.incident.root]
    assert buttons(root) == ["repair:take"]
    repair.dispatch(click(root, "repair:take", repair.incident.root, user=SECOND))
    incident = repair.incidents.by_id(repair.incident.id)
    assert incident is not None
    assert incident.owner.endswith(f"/{SECOND}")
    assert f"owner {SECOND}" in repair.server.messages["C0ALERTS", repair.incident.root]["text"]


def test_the_root_says_for_whom_and_what_it_waits(repair: SlackRepair) -> None:
    text = repair.server.messages["C0ALERTS", repair.incident.root]["text"]
    assert text.startswith("WAITING FOR “first” lab ")
    assert "WAITING FOR anybody who may approve: “first”" in text


def order(repair: SlackRepair, text: str, user: str) -> list[str]:
    """Give a command; returns what it answers in the end."""
    before = len(repair.server.calls_of("response_url"))
    repair.dispatch(command(text, user_id=user, response_url=repair.server.response_url()))
    return [one["text"] for one in repair.server.calls_of("response_url")[before:]]


def test_one_person_freezes_and_two_unfreeze(repair: SlackRepair) -> None:
    shown_before = repair.clicked("approve", SECOND)
    (told,) = order(repair, "freeze the room burns", FIRST)
    assert "the room burns" in told
    assert "approve" not in str(repair.card()[1]["blocks"])
    repair.dispatch(shown_before)
    assert repair.refused()[-1] == (SECOND, "repair-frozen")
    order(repair, "unfreeze", FIRST)
    assert repair.journal.read("").freeze.frozen
    order(repair, "unfreeze", SECOND)
    assert not repair.journal.read("").freeze.frozen


def test_an_order_may_stand_in_a_mention(repair: SlackRepair) -> None:
    repair.dispatch(mention("freeze too many", user=FIRST, thread_ts=repair.incident.place.thread))
    assert repair.journal.read("").freeze.frozen
    assert any("too many" in one for one in repair.thread())


def test_a_freeze_without_a_reason_is_refused_and_audited(repair: SlackRepair) -> None:
    (told,) = order(repair, "freeze", FIRST)
    assert "a reason in words is needed" in told
    assert not repair.journal.read("").freeze.frozen
    assert repair.refused()[-1] == (FIRST, "repair-reason-missing")


def test_who_is_no_approver_freezes_nothing(repair: SlackRepair) -> None:
    repair.server.add_user("U0MEMBER")
    order(repair, "freeze me", "U0MEMBER")
    assert not repair.journal.read("").freeze.frozen
    assert repair.refused()[-1] == ("U0MEMBER", "repair-may-not")


def test_open_lists_what_waits_and_whose_it_is(repair: SlackRepair) -> None:
    (told,) = order(repair, "open", FIRST)
    assert "Open incidents: 1" in told
    assert "no owner yet" in told
    assert "WAITING FOR Step 1 of 2: first" in told


def test_who_asked_may_approve_what_takes_one_person(easy: SlackRepair) -> None:
    easy.press("approve", REQUESTER)
    assert easy.states() == ["approved", "pending"]


def test_with_mutations_off_there_is_nothing_to_approve(server: SlackServer, redis_url: str) -> None:
    dry = SlackRepair(server, redis_url, dry=True)
    try:
        _, card = dry.card()
        assert buttons(card) == ["repair:report", "repair:details"]
        assert "MUTATIONS ARE OFF" in card["text"]
    finally:
        dry.side.close()


def ask_for_the_story(repair: SlackRepair) -> None:
    ts, card = repair.end()
    repair.dispatch(click(card, "repair:postmortem", ts, thread=repair.incident.place.thread, user=FIRST))


def test_the_post_mortem_is_a_file_in_the_thread_and_whole(easy: SlackRepair) -> None:
    ask_for_the_story(easy)
    ((where, name, text),) = easy.server.shared()
    assert where == f"C0ALERTS {easy.incident.place.thread}"
    assert name == f"postmortem-{easy.incident.id}.md"
    assert text.startswith("# ")
    assert FIRST in text
    assert text.rstrip().splitlines()[-1].startswith("- "), "the end of the document, the audit, is there"
    assert any(f"<@{FIRST}> The post-mortem of incident {easy.incident.id}" in one for one in easy.thread())


def test_without_the_right_to_upload_the_thread_says_so_with_the_command(easy: SlackRepair) -> None:
    easy.server.scopes -= {"files:write"}
    ask_for_the_story(easy)
    assert easy.server.shared() == []
    (told,) = [one for one in easy.thread() if "could not be uploaded" in one]
    assert "missing_scope" in told
    assert f"gpu-autopsy audit export --incident {easy.incident.id} --md" in told


def test_broken_glass_calls_in_the_thread_whom_it_passed_over(repair: SlackRepair) -> None:
    before = set(repair.server.messages)
    repair.fill("break-glass", "alone", FIRST)
    told = [str(one) for key, one in repair.server.messages.items() if key not in before]
    (said,) = [one for one in told if "BREAK GLASS" in one]
    assert f"<@{SECOND}>" in said
    assert f"<@{FIRST}>" not in said
    assert "alone" in said
    repair.run()
    assert len([one for one in repair.server.messages.values() if one["text"].startswith("BREAK GLASS")]) == 1


def test_every_outcome_says_where_the_audit_stood(easy: SlackRepair) -> None:
    easy.end()
    posted = [str(one["blocks"]) for one in easy.server.messages.values()]
    anchors = re.findall(r"audit (\d+:[0-9a-f]{12})\b", " ".join(posted))
    lines = easy.journal.audit()[0]
    assert len(anchors) == 3, "two steps, and the end"
    assert missing_anchor(lines, anchors) == ""
    assert missing_anchor(lines[: int(anchors[-1].partition(":")[0]) - 1], anchors) == anchors[-1], "the control"
