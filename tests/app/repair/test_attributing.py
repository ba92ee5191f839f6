"""Axes: every kind of press; who presses it (one who may, one who may not, one in a terminal); what the audit keeps."""

from __future__ import annotations

import msgspec
import pytest

from bot.app.repair.attributing import asked, pressed
from bot.app.requests import Press, PressKind
from bot.model.incident import Place
from bot.remedy.events import Person
from bot.remedy.plan import Actor
from bot.remedy.runbook import Risk
from tests.app.repair.small import Small
from tests.support.repair import ANA, BEN, EVE

#: What is only looked at is no matter of the audit.
KINDS = [one for one in PressKind if one is not PressKind.OPEN]
#: What counts when Ben presses it; all others are refused where they are pressed here.
COUNTS = {
    PressKind.APPROVE: "approved",
    PressKind.DENY: "denied",
    PressKind.BREAK_GLASS: "broke-glass",
    PressKind.ABORT: "aborted",
    PressKind.TAKE: "taken",
    PressKind.FREEZE: "freeze",
    PressKind.UNFREEZE: "unfreeze-vote",
}
TERMINAL = Actor("k8s:ana")


class Says:
    """`Authority` that says the same of everybody."""

    def __init__(self, why: str) -> None:
        self._person = Person(may=not why, why=why)

    def may(self, actor: Actor) -> Person:
        return self._person

    def others(self, actor: Actor) -> tuple[Actor, ...]:
        return ()


def made(small: Small, kind: PressKind, who: Actor) -> Press:
    card = small.incident.told[f"{small.plan().id}/step/first"].ts
    if kind is PressKind.UNFREEZE:
        small.do(small.press(PressKind.FREEZE, ANA, reason="storm"))
    more = {"refused": "button-tampered"} if kind is PressKind.UNKNOWN else {}
    press = small.press(kind, who, reason="why", option="happened", incident=small.incident.id, message=card, **more)
    return press if who is TERMINAL else msgspec.structs.replace(press, action="1783693.25")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("who", [BEN, EVE, TERMINAL], ids=["Ben", "Eve, who may not", "in a terminal"])
def test_the_audit_keeps_where_it_was_pressed(redis_url: str, kind: PressKind, who: Actor) -> None:
    small = Small(redis_url, risk=Risk.DESTRUCTIVE)
    small.incident = small.incidents.by_id(small.incident.id) or small.incident
    press = made(small, kind, who)
    small.do(press)

    (entry,) = [one for one in small.journal.entries() if one["actor"] == who.id]
    kept = {name: text for name, text in entry.items() if "pressed" in name}
    assert entry["type"] == (COUNTS.get(kind, "refused") if who is BEN else "refused")
    if who is TERMINAL:
        assert kept == {"details.pressed.front": "terminal"}
    else:
        assert kept == {
            "details.pressed.front": "slack",
            "details.pressed.channel": "C0GPU",
            "details.pressed.thread": small.incident.place.thread,
            "details.pressed.message": press.message,
            "details.pressed.action": "1783693.25",
        }


def test_what_the_bot_does_by_itself_was_pressed_nowhere(redis_url: str) -> None:
    small = Small(redis_url)
    small.approve()
    small.run()
    own = [one for one in small.journal.entries() if one["actor"] == "bot"]
    assert own
    assert not [name for one in own for name in one if "pressed" in name]


def test_what_a_command_does_not_have_is_left_out(redis_url: str) -> None:
    press = msgspec.structs.replace(Small(redis_url).press(PressKind.FREEZE, BEN, ""), place=Place("C0GPU"))
    assert pressed(press) == {"pressed.front": "slack", "pressed.channel": "C0GPU"}


@pytest.mark.parametrize(
    ("why", "barred"),
    [("", ""), ("approver-not-listed", BEN.id), ("approver-lookup-failed", BEN.id), ("approver-not-asked-here", "")],
    ids=["may", "may not any more", "Slack does not answer", "a terminal, which does not ask Slack"],
)
def test_whose_approval_counts_no_more_is_asked_where_slack_is_asked(redis_url: str, why: str, barred: str) -> None:
    small = Small(redis_url)
    small.approve(BEN)
    found = asked(Says(why), small.plan(), "first")
    assert (found["voter"], found["voters_may"]) == (barred, not barred)
