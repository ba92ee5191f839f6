"""An alert of incident A on its way. The axes: who brings it, what is pasted and how, how it ends."""

from __future__ import annotations

from typing import Any

import pytest

from bot.model.incident import State
from tests.support.slack_payloads import alert as app_alert
from tests.support.stage import Stage, scenario, silent, words
from tests.support.webhook import alert, group
from tests.support.worldtime import klog

#: What stands in the journal of omen2, as a person copies it from a terminal.
SWAP = klog("""run.go:72] "command failed" err="failed to run Kubelet: \
running with swap on is not supported, please disable swap or set --fail-swap-on flag to false"
systemd[1]: kubelet.service: Main process exited, code=exited, status=1/FAILURE
""")
PASTE = f"root@omen2:~# journalctl -u kubelet -b -n 50\n{SWAP}"


def test_a_webhook_is_one_root_message_and_its_thread(stage: Stage) -> None:
    assert stage.bot.post("gpu", group(alert("omen2"))).json()["fresh"]
    stage.settle()

    ts, root, replies = stage.thread()
    assert "thread_ts" not in root
    assert all(told in root["text"][:100] for told in ("lab", "node/omen2", "swapoff")), root["text"]
    assert len(replies) >= 2
    assert "gpu-fedora" in words(root)
    assert any("nvidia.com/GB202_GEFORCE_RTX_5090" in one for one in replies), "why the VM cannot go elsewhere"
    assert any("omen3" in one and "rhel9-gpu-vm" in one for one in replies), "what was not examined"
    assert not any("<!" in one["text"] for one in stage.slack.messages.values()), "an annotation mentions nobody"
    (incident,) = stage.incidents()
    assert (incident.place.thread, incident.count, incident.keys[0]) == (ts, 1, "kubelet-down node/omen2")


def test_the_same_state_of_a_group_changes_nothing(stage: Stage) -> None:
    assert [stage.bot.post("gpu", group(alert("omen2"))).json()["fresh"] for _ in range(3)] == [True, False, False]
    stage.settle()

    assert len(stage.threads()) == 1
    assert stage.incidents()[0].count == 1


@pytest.mark.parametrize("is_file", [False, True], ids=["as a message", "as a long file"])
def test_a_paste_sharpens_the_answer_in_place(stage: Stage, is_file: bool) -> None:
    stage.bot.post("gpu", group(alert("omen2")))
    stage.settle()
    ts, before, replies = stage.thread()
    stage.write(thread=ts, **_pasted(stage, is_file))
    stage.settle()

    _, after, now = stage.thread()
    assert words(after) != words(before), "the root message is edited in place"
    changed, chain, no_plan = now[len(replies) :]
    assert "U0ONCALL" in changed, "who pasted it"
    assert "swap" in changed
    assert "running with swap on is not supported" in chain, "the line itself"
    assert "U0ONCALL" in chain
    assert "AUTOPSY_AUDIT_KEY" in no_plan, "a runbook would repair this root, and this bot has no audit key"
    assert "U0ONCALL" in words(after), "whoever reads only the root message learns on what it rests"
    assert "kubelet-swap-on node/omen2" in stage.incident(ts).keys


def _pasted(stage: Stage, is_file: bool) -> dict[str, Any]:
    if not is_file:
        return {"text": PASTE}
    noise = "".join(f'I0710 15:{n // 60:02}:{n % 60:02}.000000    1201 x.go:{n}] "noise {n}"\n' for n in range(2000))
    file = stage.slack.add_file("kubelet.log", f"root@omen2:~# journalctl -u kubelet\n{noise}{SWAP}".encode())
    return {"text": "", "subtype": "file_share", "files": [file]}


def test_a_root_message_that_somebody_deleted_holds_up_nothing(stage: Stage) -> None:
    stage.provoked.add("root_not_edited")
    stage.bot.post("gpu", group(alert("omen2")))
    stage.settle()
    ts, _, replies = stage.thread()
    del stage.slack.messages["C0HOOK", ts]
    stage.write(PASTE, ts)
    stage.bot.post("gpu", group(alert("omen2", startsAt="2026-07-11T00:00:00Z")))
    stage.settle()

    (now,) = stage.threads().values()
    assert len(now) == len(replies) + 4, "what changed, the chain anew, that no plan follows, and that it fired again"
    assert stage.incident(ts).count == 2
    assert stage.dead() == 0


def test_an_archived_channel_is_given_up_at_once(stage: Stage) -> None:
    stage.provoked.add("not_delivered")
    stage.slack.fail_next("chat.postMessage", "is_archived")
    stage.bot.post("gpu", group(alert("omen2")))
    stage.settle()
    assert len(stage.slack.calls_of("chat.postMessage")) == 1
    assert stage.dead() == 0


def test_an_alert_that_ends_while_its_fault_is_there_leaves_the_incident_open(stage: Stage) -> None:
    stage.bot.post("gpu", group(alert("omen2")))
    stage.settle()
    ts, _, replies = stage.thread()
    stage.bot.post("gpu", group(alert("omen2", "resolved"), status="resolved"))
    stage.settle()

    assert len(stage.thread()[2]) == len(replies) + 1, "it is told in the thread"
    incident = stage.incident(ts)
    assert (incident.state, incident.firing) == (State.OPEN, ())


def test_an_alert_that_ends_with_its_fault_is_resolved(stage: Stage) -> None:
    well = scenario("swap-kubelet")
    stage.load(*silent(well, "worker1"))
    stage.bot.post("gpu", group(alert("worker1")))
    stage.settle()
    ts, before, replies = stage.thread()
    stage.load(*well)
    stage.bot.post("gpu", group(alert("worker1", "resolved"), status="resolved"))
    stage.settle()

    _, after, now = stage.thread()
    assert len(now) == len(replies) + 1
    assert after["text"] != before["text"], "the root message shows the state"
    assert stage.incident(ts).state is State.RESOLVED
    assert stage.incidents() == ()


def test_an_alert_in_a_korean_channel_is_answered_in_korean(stage: Stage) -> None:
    stage.bot.post("ko", group(alert("omen2")))
    stage.settle()

    _, root, replies = stage.thread("C0KO")
    assert all(any("가" <= letter <= "힣" for letter in one) for one in (root["text"], *replies))
    assert "gpu-fedora" in words(root), "names are not translated"
    assert "swapoff" in root["text"][:100]


APPS: dict[str, dict[str, Any]] = {
    "by its app id": {"app_id": "A0ALERTS"},
    "by its app's profile": {"app_id": None, "bot_profile": {"app_id": "A0ALERTS"}},
    "by its bot id": {"app_id": None, "bot_id": "B0GRAFANA"},
}
OTHERS: dict[str, dict[str, Any]] = {
    "another app": {"app_id": "A0OTHER"},
    "another bot": {"app_id": None, "bot_id": "B0OTHER"},
    "a forged name": {"app_id": "A0OTHER", "username": "Alertmanager", "bot_profile": {"name": "A0ALERTS"}},
    "another workspace's": {"team": "T0OTHER"},
    "a human": {"subtype": None, "user": "U0ONCALL", "bot_id": None, "app_id": None},
    "where alerts come from Alertmanager": {"channel": "C0HOOK"},
    "where no alerts come from": {"channel": "C0OTHER"},
}
TEXT = "[FIRING:1] KubeNodeNotReady\nnode omen2 has been not ready for 15 minutes"


@pytest.mark.parametrize("who", APPS.values(), ids=APPS)
def test_an_alert_app_s_message_is_answered_in_its_thread(stage: Stage, who: dict[str, Any]) -> None:
    body = app_alert(TEXT, **who)
    stage.say(body)
    stage.settle()

    posts = stage.slack.calls_of("chat.postMessage")
    assert {one["thread_ts"] for one in posts} == {body["event"]["ts"]}
    assert {one["channel"] for one in posts} == {"C0ALERTS"}
    assert "swapoff" in posts[0]["text"][:100]
    (incident,) = stage.incidents()
    assert incident.scope[0].name == "omen2"


@pytest.mark.parametrize("who", OTHERS.values(), ids=OTHERS)
def test_the_same_text_from_anyone_else_is_nothing(stage: Stage, who: dict[str, Any]) -> None:
    stage.say(app_alert(TEXT, **who))
    stage.settle()

    assert stage.slack.calls == []
    assert "omen2" not in stage.everything_stored()


def test_an_alert_by_webhook_and_by_app_is_one_incident(stage: Stage) -> None:
    stage.bot.post("gpu", group(alert("omen2")))
    stage.settle()
    stage.say(app_alert(TEXT))
    stage.settle()

    (incident,) = stage.incidents()
    assert (incident.count, incident.place.channel) == (2, "C0HOOK")
    (elsewhere,) = stage.threads("C0ALERTS").values()
    assert any("C0HOOK" in words(one) for one in elsewhere), "whoever watches the other channel is told where it is"
