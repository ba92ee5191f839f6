"""Who may, by both fronts. Axes: front; listed or not; with a name in Slack or without; what Slack says of them."""

from __future__ import annotations

import pytest

from bot.app.repair.fronts import Fronts
from bot.remedy.events import Person
from bot.remedy.plan import Actor, Identity

ALICE, BOB = Actor("slack:T0TEAM/U0ALICE"), Actor("slack:T0TEAM/U0BOB")
K_ALICE, K_ROOT, K_OTHER = Actor("k8s:alice@example.com"), Actor("k8s:root"), Actor("k8s:mallory")


class Slack:
    """Slack's authority with one answer for everybody."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self.asked: list[Actor] = []

    def may(self, actor: Actor) -> Person:
        self.asked.append(actor)
        return self.person

    def others(self, actor: Actor) -> tuple[Actor, ...]:
        return tuple(one for one in (ALICE, BOB) if one != actor)


YES = Person(may=True)


def fronts(slack: Slack) -> Fronts:
    return Fronts(slack, "T0TEAM", {"alice@example.com": "U0ALICE", "root": ""})


@pytest.mark.parametrize("person", [YES, Person(may=False, why="approver-lookup-failed timeout")], ids=["yes", "no"])
def test_in_slack_slack_decides(person: Person) -> None:
    slack = Slack(person)
    assert fronts(slack).may(BOB) == person
    assert slack.asked == [BOB]


@pytest.mark.parametrize(
    ("why", "may"),
    [
        ("", True),
        ("approver-lookup-failed timeout", True),
        ("approver-not-asked-here", True),
        ("approver-not-listed", True),
        ("approver-deactivated", False),
        ("approver-guest", False),
        ("approver-other-team", False),
    ],
)
def test_in_the_terminal_the_configuration_decides_unless_slack_says_no(why: str, may: bool) -> None:
    slack = Slack(Person(may=not why, why=why))
    found = fronts(slack).may(K_ALICE)
    assert (found.may, found.why) == (may, "" if may else why)
    assert slack.asked == [ALICE]


def test_somebody_without_a_name_in_slack() -> None:
    slack = Slack(Person(may=False, why="approver-deactivated"))
    assert fronts(slack).may(K_ROOT) == Person(may=True, identity=Identity(vouched=True))
    assert slack.asked == []


def test_somebody_who_is_not_listed() -> None:
    slack = Slack(YES)
    assert fronts(slack).may(K_OTHER) == Person(may=False, why="approver-not-listed")
    assert slack.asked == []


@pytest.mark.parametrize(
    ("actor", "person"), [(ALICE, ALICE), (K_ALICE, ALICE), (K_ROOT, K_ROOT), (K_OTHER, K_OTHER)], ids=str
)
def test_two_names_are_one_person(actor: Actor, person: Actor) -> None:
    assert fronts(Slack(YES)).person(actor) == person


@pytest.mark.parametrize(
    ("actor", "others"),
    [(ALICE, {BOB, K_ROOT}), (K_ALICE, {BOB, K_ROOT}), (K_ROOT, {ALICE, BOB}), (BOB, {ALICE, K_ROOT})],
    ids=["slack", "the same in the terminal", "terminal only", "another"],
)
def test_the_others(actor: Actor, others: set[Actor]) -> None:
    found = fronts(Slack(YES)).others(actor)
    assert set(found) == others
    assert len(found) == len(others)


def test_the_terminals_people_are_the_persons_that_slack_says_and_the_configuration_vouches_for_them() -> None:
    told = Identity(names=("email:1",))
    assert fronts(Slack(Person(may=True, identity=told))).may(K_ALICE).identity == Identity(
        names=("email:1",), vouched=True
    )
    silent = Person(may=False, why="approver-lookup-failed", identity=Identity(unknown="approver-lookup-failed"))
    assert fronts(Slack(silent)).may(K_ALICE).identity == Identity(unknown="approver-lookup-failed", vouched=True)


def test_whom_the_configuration_names_it_vouches_for_by_both_names_and_lets_slack_say_whether_they_may() -> None:
    silent = Person(may=False, why="approver-lookup-failed", identity=Identity(unknown="approver-lookup-failed"))
    found = fronts(Slack(silent)).may(ALICE)
    assert (found.may, found.why) == (False, silent.why)
    assert found.identity == Identity(unknown="approver-lookup-failed", vouched=True)
