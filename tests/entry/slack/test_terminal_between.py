"""What begins in Slack goes on in the terminal, and the other way round. Axes: which front first, what is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from bot.app.requests import Press, PressKind
from bot.model.incident import Place
from bot.remedy.plan import Actor
from bot.remedy.runbook import Risk, Verb
from tests.entry.slack.repairing import FIRST, SECOND, TERMINAL, SlackRepair
from tests.entry.slack.test_two_accounts import share_address
from tests.support.slack_server import TEAM, SlackServer

K_SECOND = f"k8s:{TERMINAL}"


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


def test_the_terminals_account_of_the_first_approver_is_no_second_person(by_hand: SlackRepair) -> None:
    by_hand.press("approve", FIRST)
    by_hand.in_the_terminal(PressKind.APPROVE, "first")
    assert (by_hand.states()[0], by_hand.refused()[-1]) == ("awaiting", (K_SECOND, "repair-person-unknown"))


@pytest.mark.parametrize("is_one_person", [False, True])
def test_slack_tells_the_next_approver_from_the_terminals(by_hand: SlackRepair, is_one_person: bool) -> None:
    if is_one_person:
        share_address(by_hand, SECOND, FIRST)
    by_hand.in_the_terminal(PressKind.APPROVE, "first")
    by_hand.press("approve", FIRST)
    assert by_hand.states()[0] == ("awaiting" if is_one_person else "approved")


@pytest.mark.parametrize(("user", "is_frozen"), [(FIRST, False), (SECOND, True)])
def test_a_terminals_word_keeps_nobody_in_slack_from_lifting_a_freeze(
    repair: SlackRepair, user: str, is_frozen: bool
) -> None:
    repair.commands("freeze odd", FIRST)
    repair.in_the_terminal(PressKind.UNFREEZE)
    repair.commands("unfreeze", user)
    assert repair.journal.read("").freeze.frozen is is_frozen
    assert ("repair-person-unknown" in dict(repair.refused()).values()) is False


def test_a_terminals_word_keeps_nobody_in_slack_from_reporting_what_two_must(easily: SlackRepair) -> None:
    easily.in_the_terminal(PressKind.REPORT, "first")
    assert easily.states()[0] == "awaiting"
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
    easy.in_the_terminal(PressKind.RESOLVE, "first", option="happened", reason="looked")
    assert easy.states()[0] == "unknown"
    press = Press(
        id="slack:resolve",
        kind=PressKind.RESOLVE,
        actor=Actor(f"slack:{TEAM}/{FIRST}"),
        place=Place("C0ALERTS"),
        at=easy.clock.now(),
        plan=easy.plan.id,
        step="first",
        option="happened",
        reason="looked too",
    )
    easy.repairs.desk.handle(press)
    assert easy.states()[0] == "attested"
