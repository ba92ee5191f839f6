"""People ask. The axes: by which way, what their words mean, who they are, where they ask."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.slack_methods import BOT_USER
from tests.support.slack_payloads import command, mention, message, shortcut
from tests.support.stage import Stage, scenario, words
from tests.support.webhook import alert, group
from tests.support.worldtime import klog

WHERE = {"channel_id": "C0HOOK", "channel_name": "hook"}
NAMED = {
    "node omen2": "node/omen2",
    "omen2": "node/omen2",
    "node/omen2": "node/omen2",
    "gpu-fedora": "vm/vms/gpu-fedora",
    "vm vms/gpu-fedora": "vm/vms/gpu-fedora",
    "why is `gpu-fedora` down?": "vm/vms/gpu-fedora",
}


def ask(stage: Stage, text: str, **fields: Any) -> dict[str, Any]:
    """A command in C0HOOK; returns what its acknowledgement shows to who gave it."""
    body = command(text, **({**WHERE, "response_url": stage.slack.response_url()} | fields))
    answer = stage.say(body).answer
    stage.settle()
    return answer


def privately(stage: Stage) -> list[str]:
    """What was said over response URLs."""
    return [words(one) for one in stage.slack.calls_of("response_url")]


@pytest.mark.parametrize(("text", "subject"), NAMED.items(), ids=NAMED)
def test_a_command_is_answered_in_the_channel(stage: Stage, text: str, subject: str) -> None:
    shown = ask(stage, text)
    assert shown["response_type"] == "ephemeral"
    assert subject.rpartition("/")[2] in words(shown)
    _, answer, replies = stage.thread()
    assert (replies, privately(stage)) == ([], [])
    assert "omen2" in answer["text"][:100], "what gpu-fedora waits for"
    assert all(told in words(answer) for told in ("swapoff", "gpu-fedora", "lab"))
    (incident,) = stage.all_incidents()
    assert str(incident.scope[0]) == subject
    assert stage.incidents() == (), "a question is no alert"


def test_a_question_about_the_cluster_is_answered(stage: Stage) -> None:
    ask(stage, "cluster")
    _, answer, _ = stage.thread()
    assert all(name in words(answer) for name in ("omen1", "omen2", "omen3", "omen4"))


def test_several_objects_of_one_name_are_asked_back(stage: Stage) -> None:
    vm = next(one for one in scenario("swap-kubelet") if one["kind"] == "VirtualMachine")
    vm = vm | {"metadata": vm["metadata"] | {"name": "gpu-fedora"}}
    stage.load(vm | {"metadata": vm["metadata"] | {"namespace": "staging", "uid": "another"}})
    try:
        ask(stage, "gpu-fedora")
        (said,) = privately(stage)
        assert all(one in said for one in ("vm/vms/gpu-fedora", "vm/staging/gpu-fedora"))
        assert stage.threads() == {}
    finally:
        stage.remove(vm["kind"], "staging", "gpu-fedora")


UNKNOWN = {
    "no such name": "omen9",
    "no such node": "node omen9",
    "no such vm": "vm vms/windows",
    "a plain sentence": "what is going on here",
}


@pytest.mark.parametrize("text", UNKNOWN.values(), ids=UNKNOWN)
def test_what_is_not_there_is_said_to_who_asked(stage: Stage, text: str) -> None:
    ask(stage, text)
    (said,) = privately(stage)
    assert text.split()[-1].rpartition("/")[2] in said
    assert stage.threads() == {}


@pytest.mark.parametrize(
    ("text", "told"), [("help", "/autopsy"), ("", "/autopsy"), ("node", "NAME"), ("node Omen2!", "Omen2!")]
)
def test_what_needs_no_look_is_answered_at_once(stage: Stage, text: str, told: str) -> None:
    assert told in words(ask(stage, text))
    assert [one.method for one in stage.slack.calls if one.method.startswith("chat.")] == [], "nothing is posted"


def test_a_mention_is_answered_in_its_thread_once(stage: Stage) -> None:
    body = mention("why is omen2 down?", channel="C0HOOK")
    twin = message(body["event"]["text"], channel="C0HOOK", ts=body["event"]["ts"])
    for one in (body, twin):
        stage.say(one)
    stage.settle()

    (answer,) = stage.slack.calls_of("chat.postMessage")
    assert answer["thread_ts"] == body["event"]["ts"]
    assert "swapoff" in words(answer)


def test_help_by_a_mention_stands_in_its_thread(stage: Stage) -> None:
    body = mention("help", channel="C0HOOK")
    stage.say(body)
    (said,) = stage.slack.wait_for("chat.postMessage")
    assert said["thread_ts"] == body["event"]["ts"]
    assert "/autopsy" in words(said)


def test_an_answer_over_an_address_that_lives_no_more_is_given_up(stage: Stage) -> None:
    stage.provoked.add("not_delivered")
    stage.slack.later = 31 * 60.0
    ask(stage, "omen9")
    assert len(privately(stage)) <= 2
    assert stage.dead() == 0


def test_an_answer_that_slack_refuses_is_told_to_who_asked(stage: Stage) -> None:
    stage.slack.fail_next("chat.postMessage", "is_archived")
    ask(stage, "node omen2")
    (said,) = privately(stage)
    assert "is_archived" in said


SWAP = klog("run.go:72] running with swap on is not supported, please disable swap")


@pytest.mark.parametrize("question", ["omen2", "", "please look"], ids=["with a name", "alone", "with other words"])
def test_a_file_with_a_mention_is_a_paste_that_needs_no_thread(stage: Stage, question: str) -> None:
    file = stage.slack.add_file("kubelet.log", f"root@omen2:~# journalctl -u kubelet\n{SWAP}\n".encode())
    body = message(f"<@{BOT_USER}> {question}", channel="C0HOOK", subtype="file_share", files=[file])
    stage.say(body)
    stage.settle()

    ((ts, posts),) = stage.threads().items()
    assert ts == body["event"]["ts"]
    told = [one for one in map(words, posts) if "U0ONCALL" in one and "swap" in one]
    assert told, "the answer rests on the file, and says who dropped it"
    assert stage.incidents() == (), "a conversation is no alert"


def test_a_text_behind_a_mention_in_the_bot_s_thread_is_a_paste(stage: Stage) -> None:
    stage.bot.post("gpu", group(alert("omen2")))
    stage.settle()
    ts, _, _ = stage.thread()
    stage.say(mention(f"look:\n```root@omen2:~# journalctl -u kubelet\n{SWAP}```", channel="C0HOOK", thread_ts=ts))
    stage.settle()
    assert "kubelet-swap-on node/omen2" in stage.incident(ts).keys


MARKED = {
    "an alert with a node": "[FIRING:1] KubeNodeNotReady\nNode omen2 has been unready for more than 15 minutes.",
    "a reference that is none": "pod/foo and node/ and deploy/a/b/c restart since node omen2 is away",
    "a link and fields": "https://grafana.lab/d/node/1/2/3 says: instance=omen2:9100 severity=critical",
}


@pytest.mark.parametrize("text", MARKED.values(), ids=MARKED)
def test_diagnose_this_picks_the_names_out_of_a_message(stage: Stage, text: str) -> None:
    marked = message(text, channel="C0HOOK", subtype="bot_message", bot_id="B0OTHER")["event"]
    stage.say(_pressed(stage, marked))
    stage.settle()

    assert privately(stage) == []
    (answer,) = stage.slack.calls_of("chat.postMessage")
    assert answer["thread_ts"] == marked["ts"]
    assert "node/omen2" in answer["text"][:100]


def test_diagnose_this_on_a_message_without_names_says_so_and_keeps_none_of_it(stage: Stage) -> None:
    marked = message("Lunch at noon? CANARY-Sushi-\N{FISH}", channel="C0HOOK")["event"]
    stage.say(_pressed(stage, marked))
    stage.settle()

    assert len(privately(stage)) == 1
    assert stage.threads() == {}
    assert "CANARY" not in stage.everything_stored() + stage.bot.output


def _pressed(stage: Stage, marked: dict[str, Any]) -> dict[str, Any]:
    channel = {"id": "C0HOOK", "name": "hook"}
    return shortcut(marked, channel=channel, response_url=stage.slack.response_url())


REFUSED: dict[str, dict[str, str]] = {
    "a guest": {"user_id": "U0GUEST"},
    "a single-channel guest": {"user_id": "U0SINGLE"},
    "another workspace": {"user_id": "U0STRANGER", "team_id": "T0OTHER"},
    "another workspace that the payload does not tell": {"user_id": "U0STRANGER"},
    "somebody who left": {"user_id": "U0GONE"},
    "somebody unknown": {"user_id": "U0NOBODY"},
    "a direct message": {"channel_id": "D0ONCALL", "channel_name": "directmessage"},
    "a direct message of several": {"channel_id": "G0GROUP", "channel_name": "mpdm-a--b--c-1"},
    "a shared channel": {"channel_id": "C0SHARED"},
    "a private channel that the bot is not in": {"channel_id": "C0PRIVATE"},
}


@pytest.mark.parametrize("who", REFUSED.values(), ids=REFUSED)
def test_a_command_is_refused_with_a_reason(stage: Stage, who: dict[str, str]) -> None:
    shown = ask(stage, "node omen2", **who)
    assert shown["response_type"] == "ephemeral"
    assert words(shown)
    assert "omen2" not in words(shown)
    assert privately(stage) == []
    assert stage.slack.messages == {}


def test_a_guest_who_writes_in_the_bot_s_thread_is_told_once(stage: Stage) -> None:
    stage.bot.post("gpu", group(alert("omen2")))
    stage.settle()
    ts, _, replies = stage.thread()
    for _ in range(2):
        stage.write("E0710 15:39:51 run.go:72] running with swap on is not supported", ts, user="U0GUEST")
    stage.settle()
    stage.slack.wait_for("chat.postMessage", 2 + len(replies))
    assert len(stage.thread()[2]) == len(replies) + 1
    assert "kubelet-swap-on node/omen2" not in stage.incident(ts).keys


def test_where_the_bot_is_not_it_answers_who_asked(stage: Stage) -> None:
    ask(stage, "node omen2", channel_id="C0NOTIN", channel_name="notin")
    (said,) = privately(stage)
    assert "lab" in said
    assert stage.slack.messages == {}
