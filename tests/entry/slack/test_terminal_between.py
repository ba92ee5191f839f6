"""What begins in Slack goes on in the terminal, and the other way round. Axes: which front first, what is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from bot.app.repair.desk import RepairDesk
from bot.app.repair.fronts import Fronts
from bot.app.repair.together import Parts, Repairs
from bot.app.requests import Press, PressKind
from bot.entry.presenter import Presenter
from bot.model.incident import Place
from bot.remedy.events import Person
from bot.remedy.plan import Actor, Identity
from bot.remedy.runbook import Risk, Verb
from tests.entry.slack.repairing import FIRST, GROUP, SECOND, TERMINAL, SlackRepair, refused
from tests.entry.slack.test_two_accounts import share_address
from tests.support.answers import words
from tests.support.slack_payloads import command
from tests.support.slack_server import TEAM, SlackServer

K_SECOND, K_THIRD = f"k8s:{TERMINAL}", "k8s:third"


@pytest.fixture
def easily(server: SlackServer, redis_url: str) -> Iterator[SlackRepair]:
    """A plan whose steps people carry out, one of them with the output."""
    made = SlackRepair(server, redis_url, verb=Verb.HOST, risk=Risk.REVERSIBLE)
    yield made
    made.side.close()


@pytest.fixture
def by_hand(server: SlackServer, redis_url: str) -> Iterator[SlackRepair]:
    """A plan whose steps people carry out, after two have approved."""
    made = SlackRepair(server, redis_url, verb=Verb.HOST, risk=Risk.DESTRUCTIVE)
    yield made
    made.side.close()


class Silent:
    """`Authority` of Slack in the terminal: it says nothing of anybody."""

    def may(self, actor: Actor) -> Person:
        why = "approver-lookup-failed"
        return Person(may=False, why=why, identity=Identity(unknown=why))

    def others(self, actor: Actor) -> tuple[Actor, ...]:
        return ()


def in_the_terminal(repair: SlackRepair, kind: PressKind, step: str = "", who: str = K_SECOND, **fields: Any) -> None:
    """A command in the terminal, where Slack is not asked: of the second approver, or of another on the list."""
    parts = repair.parts(Presenter(words(), "lab"))
    desk = Repairs(Parts(**{**parts, "authority": Fronts(Silent(), TEAM, {TERMINAL: SECOND, "third": "U0THIRD"})})).desk
    press(desk, repair, who, kind, step, **fields)


def press(desk: RepairDesk, repair: SlackRepair, who: str, kind: PressKind, step: str = "", **fields: Any) -> None:
    if step:
        fields |= {"plan": repair.plan.id, "step": step, "digest": repair.plan.step(step).digest}
    made = f"press:{len(repair.journal.entries())}"
    now, place = repair.clock.now(), Place("C0ALERTS")
    desk.handle(Press(id=made, kind=kind, actor=Actor(who), place=place, at=now, **fields))


def commanded(repair: SlackRepair, text: str, user: str) -> None:
    """`/autopsy TEXT`."""
    repair.dispatch(command(text, user_id=user, response_url=repair.server.response_url()))


@pytest.fixture
def guarded(server: SlackServer, redis_url: str) -> Iterator[SlackRepair]:
    """A plan for whose steps one word has to come from a terminal."""
    made = SlackRepair(server, redis_url, second_channel=True)
    yield made
    made.side.close()


def test_two_slack_sessions_approve_nothing_where_a_second_channel_is_wanted(guarded: SlackRepair) -> None:
    guarded.press("approve", FIRST)
    guarded.press("approve", SECOND)
    assert guarded.states()[0] == "awaiting"
    assert guarded.journal.entries()[-1]["details.reason"] == "repair-terminal-needed"
    (said,) = [one for one in guarded.thread() if one.startswith("HEARD, NOT ENOUGH YET")]
    assert "takes a word from a terminal as well" in said
    assert f"gpu-autopsy approve {guarded.plan.id} first" in str(guarded.card())
    in_the_terminal(guarded, PressKind.APPROVE, "first")
    guarded.run()
    assert (guarded.states()[0], len(guarded.hands.effects)) == ("verified", 1)


def test_a_stolen_slack_session_breaks_no_glass_where_a_second_channel_is_wanted(guarded: SlackRepair) -> None:
    assert "Break glass" not in str(guarded.card())
    # On a card from before it was wanted the button is there.
    who = f"slack:{TEAM}/{FIRST}"
    press(guarded.repairs.desk, guarded, who, PressKind.BREAK_GLASS, "first", reason="it burns")
    refused(guarded, FIRST, "repair-terminal-needed")
    assert guarded.states()[0] == "awaiting"


def test_the_terminals_account_of_the_first_approver_is_no_second_person(by_hand: SlackRepair) -> None:
    by_hand.press("approve", FIRST)
    in_the_terminal(by_hand, PressKind.APPROVE, "first")
    (kept,) = [one for one in by_hand.journal.entries() if one["actor"] == K_SECOND]
    assert (by_hand.states()[0], kept["type"], kept["details.reason"]) == ("awaiting", "approved", "repair-word-kept")
    assert (kept["details.have"], kept["details.need"], kept["details.unsure"]) == ("1", "2", K_SECOND)
    (said,) = [one for one in by_hand.thread() if one.startswith("HEARD, NOT ENOUGH YET")]
    assert "only 1 of 2 people are certain: who k8s:second@" in said


def test_two_in_the_terminal_lift_a_freeze_whoever_in_slack_spoke_before(repair: SlackRepair) -> None:
    commanded(repair, "freeze odd", FIRST)
    commanded(repair, "unfreeze", FIRST)
    in_the_terminal(repair, PressKind.UNFREEZE)
    assert repair.journal.read("").freeze.frozen
    in_the_terminal(repair, PressKind.UNFREEZE, who=K_THIRD)
    assert not repair.journal.read("").freeze.frozen


@pytest.mark.parametrize("is_one_person", [False, True])
def test_slack_tells_the_next_approver_from_the_terminals(by_hand: SlackRepair, is_one_person: bool) -> None:
    if is_one_person:
        share_address(by_hand, SECOND, FIRST)
    in_the_terminal(by_hand, PressKind.APPROVE, "first")
    by_hand.press("approve", FIRST)
    assert by_hand.states()[0] == ("awaiting" if is_one_person else "approved")


@pytest.mark.parametrize(("user", "is_frozen"), [(FIRST, False), (SECOND, True)])
def test_a_terminals_word_keeps_nobody_in_slack_from_lifting_a_freeze(
    repair: SlackRepair, user: str, is_frozen: bool
) -> None:
    commanded(repair, "freeze odd", FIRST)
    in_the_terminal(repair, PressKind.UNFREEZE)
    commanded(repair, "unfreeze", user)
    assert repair.journal.read("").freeze.frozen is is_frozen
    assert ("repair-person-unknown" in dict(repair.refused()).values()) is False


def test_a_terminals_word_keeps_nobody_in_slack_from_reporting_what_two_must(easily: SlackRepair) -> None:
    in_the_terminal(easily, PressKind.REPORT, "first")
    assert easily.states()[0] == "awaiting"
    (said,) = [one for one in easily.thread() if one.startswith("HEARD, NOT ENOUGH YET")]
    assert "a second person must say so, or paste the output" in said
    easily.fill("report", None, FIRST)
    assert easily.states()[0] == "attested"


def test_a_terminals_word_keeps_nobody_in_slack_from_settling_an_unknown_step(easy: SlackRepair) -> None:
    easy.hands.answers = ["unclear"]
    easy.hands.is_blind = True
    easy.press("approve", FIRST)
    easy.run()
    easy.clock.pass_by(timedelta(minutes=10))
    easy.run()
    assert easy.states()[0] == "unknown"
    in_the_terminal(easy, PressKind.RESOLVE, "first", option="happened", reason="looked")
    assert easy.states()[0] == "unknown"
    slack = f"slack:{TEAM}/{FIRST}"
    press(easy.repairs.desk, easy, slack, PressKind.RESOLVE, "first", option="happened", reason="looked too")
    assert easy.states()[0] == "attested"


def test_who_agreed_and_may_not_any_more_is_found_when_it_is_reported(by_hand: SlackRepair) -> None:
    by_hand.press("approve", FIRST)
    by_hand.press("approve", SECOND)
    by_hand.server.groups[GROUP] = [SECOND]
    by_hand.fill("report", None, SECOND)
    assert (by_hand.states()[0], by_hand.refused()[-1]) == ("approved", (SECOND, "repair-voter-may-not"))
