"""What people write. The axes: where, what it looks like; and what of it is left in Redis, in the log and in Slack."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.slack_payloads import alert as app_alert
from tests.support.stage import Stage
from tests.support.webhook import alert, group

CANARY = "canary-7f3a-Kanarienvogel"
CHATTER: dict[str, dict[str, Any]] = {
    "a message": {"text": f"omen2 again? {CANARY}"},
    "a reply in a thread of others": {"text": f"{CANARY} says no", "thread_ts": "1700000000.000100"},
    "what looks like a journal": {
        "text": f"E0710 15:39:51 run.go:72] swap {CANARY}\nE0710 15:39:51 run.go:72] {CANARY}"
    },
    "another bot's": {"text": CANARY, "subtype": "bot_message", "bot_id": "B0OTHER", "username": CANARY},
    "an edit": {"text": "", "subtype": "message_changed", "message": {"text": CANARY}, "hidden": True},
    "a deletion": {"text": "", "subtype": "message_deleted", "previous_message": {"text": CANARY}, "hidden": True},
    "a guest's": {"text": CANARY, "user": "U0GUEST"},
}


def traces(stage: Stage) -> list[str]:
    """Where the canary is left."""
    places = {"Redis": stage.everything_stored(), "log": stage.bot.output, "Slack": repr(stage.slack.calls)}
    return [name for name, text in places.items() if "canary" in text.lower() or "Kanarien" in text]


@pytest.mark.parametrize("channel", ["C0ALERTS", "C0HOOK"])
def test_chatter_outside_the_bot_s_threads_leaves_no_trace(stage: Stage, channel: str) -> None:
    stage.bot.post("gpu", group(alert("omen2")))
    stage.say(app_alert("[FIRING:1] omen2 is not ready"))
    stage.settle()
    kept, said = set(stage.everything_stored().splitlines()), len(stage.slack.calls_of("chat.postMessage"))
    for fields in CHATTER.values():
        stage.write(**({"channel": channel} | fields))
    for content, mimetype in ((CANARY.encode(), "text/plain"), (b"\x89PNG", "image/png")):
        files = [stage.slack.add_file(f"{CANARY}.log", content, mimetype)]
        stage.write("", channel=channel, subtype="file_share", files=files)
    stage.settle()

    assert traces(stage) == []
    assert set(stage.everything_stored().splitlines()) == kept
    assert len(stage.slack.calls_of("chat.postMessage")) == said


def test_the_scan_finds_what_is_there(stage: Stage) -> None:
    keys = ("string", "set", "hash", "zset", "list", "stream")
    stage.redis.set(keys[0], CANARY)
    stage.redis.sadd(keys[1], CANARY)
    stage.redis.hset(keys[2], "field", CANARY)
    stage.redis.zadd(keys[3], {CANARY: 1})
    stage.redis.rpush(keys[4], CANARY)
    stage.redis.xadd(keys[5], {"field": CANARY})
    assert stage.everything_stored().count(CANARY) == len(keys)
    stage.redis.delete(*keys)
    stage.redis.set(CANARY, "1")
    assert traces(stage) == ["Redis"]


@pytest.mark.parametrize(
    ("text", "is_answered"),
    [
        (f"I am on it, {CANARY}", False),
        (f"{CANARY}\nand a second line", True),
        (f"```{CANARY}```", True),
        (f"node/{CANARY}/x and pod/ and omen2", False),
    ],
    ids=["a sentence", "several lines", "code", "what looks like references"],
)
def test_chatter_in_the_bot_s_thread_is_not_kept(stage: Stage, text: str, is_answered: bool) -> None:
    stage.bot.post("gpu", group(alert("omen2")))
    stage.settle()
    ts, _, replies = stage.thread()
    stage.write(text, ts)
    stage.settle()

    assert len(stage.thread()[2]) - len(replies) == is_answered
    assert set(traces(stage)) <= {"Slack"}, "it may be quoted back to who wrote it"
    assert ("Slack" in traces(stage)) == is_answered


def test_of_a_paste_only_what_was_understood_is_kept(stage: Stage) -> None:
    stage.bot.post("gpu", group(alert("omen2")))
    stage.settle()
    ts, _, _ = stage.thread()
    journal = (
        "root@omen2:~# journalctl -u kubelet\nE0710 15:39:51.000000 1 run.go:72] running with swap on is not supported"
    )
    stage.write(f"hey, {CANARY}\n{journal}\n", ts)
    stage.settle()

    assert "running with swap on" in stage.everything_stored()
    assert "Redis" not in traces(stage)
    assert "log" not in traces(stage)
    assert "running with swap on" not in stage.bot.output
    lives = [stage.redis.ttl(key) for key in stage.redis.scan_iter("*") if b"pastes" in key]
    assert lives
    assert all(0 < seconds <= 24 * 3600 for seconds in lives), "pastes expire"
