"""What the bot did before to the object of a step that is planned. Axes: when, whether the audit knows of it, the
freeze, how often it is found, whether the claims can be read."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.app.repair.ports import CannotPrepare, Draft, Prepared
from bot.app.repair.preparing import Preparer, Refused
from bot.app.requests import PressKind
from bot.remedy.decision import Entry, Freeze
from bot.remedy.plan import BOT, Earlier, PlanState, StepState
from bot.remedy.runbook import Risk, Verb
from tests.app.repair.small import OMEN2, Small, call, labelling
from tests.support.repair import ANA, CAI, CountingHands, Fuse

UNDO = labelling(
    "first-off", Risk.DISRUPTIVE, (), params={"label": "first", "value": "off"}, verify=call("first", "off")
)
DRAFT = Draft(verb=Verb.LABEL_NODE, target=OMEN2, params={"label": "first", "value": "on"})


@pytest.fixture
def small(redis_url: str) -> Small:
    """The first label is set, by plan 1."""
    one = Small(redis_url, undo=UNDO, temporary_for=86_400)
    one.approve()
    one.run()
    assert one.plan().step("first").state is StepState.VERIFIED
    return one


def prepared(small: Small, *claims: Earlier) -> Prepared:
    small.hands.earlier = list(claims)
    preparer = Preparer(hands=small.hands, journal=small.journal, clock=small.clock, world=small.world)
    return preparer.prepare({"first": DRAFT})["first"]


def claim(small: Small, exec_id: str = "", **ago: float) -> Earlier:
    """Of the first step, unless another is named; by the cluster's time."""
    at = small.world.now() - timedelta(**ago)
    return Earlier(exec_id=exec_id or small.plan().step("first").exec_id, what="tests/first", at=at)


def freeze(small: Small) -> Freeze:
    return small.journal.read("").freeze


def _entry(small: Small) -> Entry:
    return Entry(type="freeze", at=small.clock.now(), actor=BOT)


def gaps(small: Small) -> list[str]:
    return [one["details.exec_id"] for one in small.journal.entries() if one["type"] == "audit-gap"]


def test_it_is_told_how_long_ago_and_by_which_plan(small: Small) -> None:
    (told,) = prepared(small, claim(small, minutes=12)).earlier

    assert (told.ago, told.plan, told.what) == (720, small.plan().id, "tests/first")
    assert (freeze(small).frozen, gaps(small)) == (False, [])


def test_what_is_long_ago_is_not_told_and_stops_nothing(small: Small) -> None:
    assert prepared(small, claim(small, "never-heard-of", hours=25)).earlier == ()
    assert not freeze(small).frozen


def test_what_the_audit_does_not_know_freezes_everything_with_its_reason(small: Small) -> None:
    (told,) = prepared(small, claim(small, "lost", minutes=5)).earlier

    assert told.plan == ""
    assert (freeze(small).frozen, freeze(small).why) == (True, "repair-audit-gap")
    assert gaps(small) == ["lost"]
    assert small.audit_holds()
    small.approve(step="second")
    assert (small.states()[1], small.refusals()) == ("awaiting", ["repair-frozen"])


def test_once_people_have_let_it_go_on_the_same_gap_stops_nothing_again(small: Small) -> None:
    lost = claim(small, "lost", minutes=5)
    prepared(small, lost)
    frozen = freeze(small)
    thawed = Freeze(frozen=False, revision=frozen.revision)
    assert small.journal.freeze("thaw", frozen, thawed, _entry(small))
    prepared(small, lost)
    assert (freeze(small).frozen, gaps(small)) == (False, ["lost"])
    prepared(small, lost, claim(small, "another", minutes=5))
    assert (freeze(small).frozen, gaps(small)) == (True, ["lost", "another"])


def test_who_froze_before_is_not_overwritten(small: Small) -> None:
    before = freeze(small)
    small.journal.freeze("stop", before, Freeze(frozen=True, why="migration", by=CAI), _entry(small))
    prepared(small, claim(small, "lost", minutes=5))
    assert (freeze(small).why, freeze(small).by, gaps(small)) == ("migration", CAI, ["lost"])


def test_taking_back_tells_it_on_its_step(small: Small) -> None:
    small.approve(step="second")
    small.run()
    assert small.plan().state is PlanState.DONE
    small.hands.earlier = [claim(small, minutes=30)]
    small.do(small.press(PressKind.UNDO, ANA, "first"))
    (undoing,) = [one for one in small.journal.plans(incident=small.incident.id) if one.undoes]
    assert [one.ago for one in undoing.step("first-off").earlier] == [1800]


class Blind(CountingHands):
    """The claims cannot be listed."""

    def prepare(self, draft: Draft) -> Prepared:
        raise CannotPrepare("HTTP 403: leases is forbidden")


def test_without_a_look_at_the_claims_there_is_no_plan(small: Small) -> None:
    preparer = Preparer(hands=Blind(), journal=small.journal, clock=small.clock, world=small.world)
    with pytest.raises(Refused) as refused:
        preparer.prepare({"first": DRAFT})
    assert (refused.value.reason, "leases" in refused.value.values["why"]) == ("repair-cannot-prepare", True)


def test_for_several_steps_the_audit_is_read_once(small: Small) -> None:
    small.hands.earlier = [claim(small, minutes=12)]
    fuse = Fuse()
    preparer = Preparer(
        hands=small.hands, journal=fuse.guard(small.journal, "entries"), clock=small.clock, world=small.world
    )
    made = preparer.prepare(dict.fromkeys(("first", "second", "third"), DRAFT))
    assert ([len(one.earlier) for one in made.values()], fuse.left) == ([1, 1, 1], -2)
