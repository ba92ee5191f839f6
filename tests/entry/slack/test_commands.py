"""Axes: what the command asks; from whom and where, so refused and why; given once or again; queued or not."""

from __future__ import annotations

import pytest

from bot.app.requests import Ask
from bot.entry.wiring.slack import SlackSide
from bot.model.incident import Place
from tests.entry.slack.hearing import dispatch
from tests.support.slack_payloads import command
from tests.support.slack_ports import MemoryQueue
from tests.support.slack_server import SlackServer


@pytest.mark.parametrize(
    ("text", "words", "answer"),
    [
        ("node omen2", "node/omen2", "en:slack-looking-at cluster=lab subject=node/omen2"),
        ("vm vms/gpu-fedora", "vm/vms/gpu-fedora", "en:slack-looking-at cluster=lab subject=vm/vms/gpu-fedora"),
        ("cluster", "cluster", "en:slack-looking-at-cluster cluster=lab subject=cluster"),
        ("is omen2 ok?", "is omen2 ok?", "en:slack-looking-for cluster=lab words=is omen2 ok?"),
        (
            "node <http://gpu-1.lab|gpu-1.lab>",
            "node/gpu-1.lab",
            "en:slack-looking-at cluster=lab subject=node/gpu-1.lab",
        ),
    ],
)
def test_a_command_is_queued_and_says_what_is_looked_at(
    side: SlackSide, queue: MemoryQueue, text: str, words: str, answer: str
) -> None:
    body = command(text, response_url="https://hooks.slack.com/commands/1")
    assert dispatch(side, body) == {"response_type": "ephemeral", "text": answer}
    assert queue.requests == [
        Ask(
            id=body["trigger_id"],
            words=words,
            place=Place("C0ALERTS"),
            user="U0ONCALL",
            response_url="https://hooks.slack.com/commands/1",
        )
    ]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("", "en:slack-help cluster=lab command=/autopsy"),
        ("help", "en:slack-help cluster=lab command=/autopsy"),
        ("node", "en:slack-name-missing kind=node shape=node NAME"),
        ("node a/b", "en:slack-reference-malformed shape=node NAME words=node a/b"),
    ],
)
def test_help_and_wrong_words_are_answered_without_the_queue(
    side: SlackSide, queue: MemoryQueue, text: str, answer: str
) -> None:
    assert dispatch(side, command(text))["text"] == answer
    assert queue.calls == 0


def test_a_channel_speaks_its_own_language(side: SlackSide) -> None:
    assert dispatch(side, command("help", channel_id="C0KO"))["text"].startswith("ko:")


def test_a_command_is_taken_where_the_bot_is_not_since_its_answer_needs_no_channel(
    side: SlackSide, queue: MemoryQueue
) -> None:
    dispatch(side, command("node omen2", channel_id="C0NOTIN"))
    assert len(queue.requests) == 1


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"user_id": "U0GUEST"}, "refused-guest"),
        ({"user_id": "U0SINGLE"}, "refused-guest"),
        ({"user_id": "U0GONE"}, "refused-deactivated"),
        ({"user_id": "U0OTHERBOT"}, "refused-bot"),
        ({"user_id": "U0STRANGER"}, "refused-other-team"),
        ({"team_id": "T0OTHER"}, "refused-other-team"),
        ({"user_id": "U0NOBODY"}, "refused-lookup-failed error=user_not_found"),
        ({"channel_id": "C0SHARED"}, "refused-shared-channel"),
        ({"channel_id": "C0PRIVATE"}, "refused-not-in-channel"),
        ({"channel_id": "D0DIRECT", "channel_name": "directmessage"}, "refused-direct-message"),
        ({"channel_id": "C0GROUP", "channel_name": "mpdm-a--b-1"}, "refused-direct-message"),
    ],
)
@pytest.mark.parametrize("text", ["node omen2", "help"])
def test_refusals_of_commands_are_told_to_who_gave_them(
    side: SlackSide, queue: MemoryQueue, fields: dict[str, str], reason: str, text: str
) -> None:
    assert dispatch(side, command(text, **fields)) == {"response_type": "ephemeral", "text": f"en:{reason}"}
    assert queue.calls == 0


def test_where_slack_does_not_say_who_it_is_the_answer_is_no(
    side: SlackSide, server: SlackServer, queue: MemoryQueue
) -> None:
    server.fail_next("users.info", "internal_error")
    assert dispatch(side, command("cluster"))["text"] == "en:refused-lookup-failed error=internal_error"
    assert queue.calls == 0


def test_a_command_that_could_not_be_queued_says_so_since_slack_does_not_repeat_it(
    side: SlackSide, queue: MemoryQueue
) -> None:
    queue.fails = True
    assert dispatch(side, command("cluster"))["text"] == "en:slack-not-taken error=ConnectionError"


def test_a_repeated_command_is_queued_once(side: SlackSide, queue: MemoryQueue) -> None:
    body = command("node omen2")
    assert dispatch(side, body) == dispatch(side, body)
    assert len(queue.requests) == 1
