"""One person with two accounts. Axes: what the accounts share, who asked, what Slack tells and when, which front."""

from __future__ import annotations

import pytest

from bot.app.requests import Press, PressKind
from bot.model.incident import Place
from bot.remedy.plan import Actor
from tests.entry.slack.repairing import FIRST, REQUESTER, SECOND, TERMINAL, SlackRepair, held, refused
from tests.support.slack_payloads import command
from tests.support.slack_server import TEAM


def share_address(repair: SlackRepair, one: str, other: str) -> None:
    """The other account has the first one's address, in other letters."""
    address = repair.server.users[one]["profile"]["email"]
    repair.server.users[other]["profile"] = {"email": address.swapcase()}


def share_organisation(repair: SlackRepair, one: str, other: str) -> None:
    for user in (one, other):
        repair.server.users[user]["enterprise_user"] = {"id": "W0BOTH", "teams": [TEAM]}


@pytest.mark.parametrize("share", [share_address, share_organisation])
def test_one_person_with_two_accounts_does_not_approve_twice(repair: SlackRepair, share) -> None:  # type: ignore[no-untyped-def]
    share(repair, FIRST, SECOND)
    repair.press("approve", FIRST)
    repair.press("approve", SECOND)
    refused(repair, SECOND, "repair-same-person")
    assert "accounts of one person" in repair.refusals()[-1]
    repair.run()
    assert repair.hands.effects == []


def test_who_asked_does_not_approve_by_a_second_account(repair: SlackRepair) -> None:
    share_address(repair, REQUESTER, FIRST)
    repair.press("approve", FIRST)
    refused(repair, FIRST, "repair-requester-same-person")
    repair.fill("break-glass", "alone", FIRST)
    refused(repair, FIRST, "repair-glass-requester")


@pytest.mark.parametrize("kind", ["approve", "break-glass"])
def test_an_account_without_an_address_approves_nothing_that_takes_two(repair: SlackRepair, kind: str) -> None:
    repair.server.users[FIRST]["profile"] = {}
    if kind == "approve":
        repair.press("approve", FIRST)
    else:
        repair.fill("break-glass", "alone", FIRST)
    refused(repair, FIRST, "repair-person-unknown")
    assert "users:read.email" in repair.refusals()[-1]


def test_without_the_scope_nobody_approves_what_takes_two(repair: SlackRepair) -> None:
    repair.server.scopes -= {"users:read.email"}
    repair.press("approve", FIRST)
    refused(repair, FIRST, "repair-person-unknown")


def test_what_takes_one_person_needs_no_address(easy: SlackRepair) -> None:
    easy.server.scopes -= {"users:read.email"}
    easy.press("approve", FIRST)
    assert easy.states()[0] == "approved"


def test_an_account_that_turns_out_to_be_the_same_person_before_it_runs(repair: SlackRepair) -> None:
    repair.press("approve", FIRST)
    repair.press("approve", SECOND)
    assert repair.states()[0] == "approved"
    share_address(repair, FIRST, SECOND)
    repair.run()
    held(repair, "repair-quorum-missing", "not enough approvals")


def test_one_person_with_two_accounts_lifts_no_freeze(repair: SlackRepair) -> None:
    share_address(repair, FIRST, SECOND)
    for words, user in (("freeze now", FIRST), ("unfreeze", FIRST), ("unfreeze", SECOND)):
        repair.dispatch(command(words, user_id=user, response_url=repair.server.response_url()))
    assert repair.journal.read("").freeze.frozen
    assert repair.refused()[-1] == (SECOND, "repair-unfreeze-second-needed")
    assert "another person is needed" in repair.server.calls_of("response_url")[-1]["text"]


def test_the_terminal_is_no_second_person_either(repair: SlackRepair) -> None:
    share_address(repair, FIRST, SECOND)
    repair.press("approve", FIRST)
    press = Press(
        id="press:terminal",
        kind=PressKind.APPROVE,
        actor=Actor(f"k8s:{TERMINAL}"),
        place=Place("C0ALERTS"),
        at=repair.clock.now(),
        plan=repair.plan.id,
        step="first",
        digest=repair.plan.step("first").digest,
    )
    repair.repairs.desk.handle(press)
    assert repair.refused()[-1] == (f"k8s:{TERMINAL}", "repair-same-person")
    assert "accounts of one person" in repair.refusals()[-1]


def test_of_an_address_only_a_fingerprint_is_kept(repair: SlackRepair) -> None:
    repair.press("approve", FIRST)
    (entry,) = [one for one in repair.journal.entries() if one["type"] == "approved"]
    assert entry["details.person"].startswith("email:")
    assert not any("example.com" in str(one) for one in (entry, repair.plan))
