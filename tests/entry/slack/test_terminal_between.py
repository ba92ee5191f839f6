"""What begins in Slack goes on in the terminal, and the other way round. Axes: which front first, what is asked for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bot.app.requests import PressKind
from bot.remedy.runbook import Risk, Verb
from tests.entry.slack.repairing import FIRST, TERMINAL, SlackRepair
from tests.entry.slack.test_two_accounts import share_address
from tests.support.slack_server import SlackServer

K_SECOND = f"k8s:{TERMINAL}"


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
        share_address(by_hand, "U0SECOND", FIRST)
    by_hand.in_the_terminal(PressKind.APPROVE, "first")
    by_hand.press("approve", FIRST)
    assert by_hand.states()[0] == ("awaiting" if is_one_person else "approved")
