"""A step whose intent is written and whose request never went out. Axes: what happened meanwhile; who comes after.

Whoever comes after asks everything anew. What may not run any more ends as not begun, with the reason, and leaves
nothing behind: no budget, no plan that waits.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from bot.app.repair.executor import LEASE
from bot.app.repair.ports import Claimed, ClaimResult
from bot.app.requests import PressKind
from bot.remedy.decision import Freeze
from bot.remedy.plan import PlanState
from tests.app.repair.small import Small
from tests.support.repair import ANA, BEN, CAI, Fuse, Killed

AFTER_LEASE = LEASE + timedelta(seconds=1)
Meanwhile = Callable[[Small], None]


@pytest.fixture
def small(redis_url: str) -> Small:
    """The executor died right after it wrote the intent."""
    one = Small(redis_url)
    one.approve()
    with pytest.raises(Killed):
        one.run(one.replica("dead", Fuse(left=1), names=("claim",)))
    assert one.states()[0] == "intent"
    return one


def comes(small: Small) -> None:
    """Another one comes, as often as it takes."""
    for _ in range(3):
        small.clock.pass_by(AFTER_LEASE)
        small.run(small.replica("heir"))
        small.repairs.sweeper.run_once()


def running(small: Small) -> int:
    return small.journal.read(small.plan().id).budget.running


def unfrozen(small: Small) -> None:
    small.do(small.press(PressKind.FREEZE, CAI, "", reason="wait"))
    small.run()
    small.clock.pass_by(timedelta(hours=30))
    small.do(*(small.press(PressKind.UNFREEZE, who, "") for who in (ANA, CAI)))


#: What happens before another executor comes, and why the step then does not run.
MEANWHILE: dict[str, tuple[Meanwhile, str]] = {
    "a freeze in the cluster": (
        lambda small: setattr(small.hands, "freeze", Freeze(frozen=True, why="kubectl")),
        "repair-frozen",
    ),
    "a freeze in the journal": (
        lambda small: small.do(small.press(PressKind.FREEZE, CAI, "", reason="stop")),
        "repair-frozen",
    ),
    "the approver may not any more": (lambda small: small.authority.people.discard(BEN), "repair-voter-may-not"),
    "a day": (lambda small: small.clock.pass_by(timedelta(days=1)), "repair-execution-expired"),
    "frozen for a day, and unfrozen": (unfrozen, "repair-execution-expired"),
}


@pytest.mark.parametrize("name", MEANWHILE)
def test_everything_is_asked_anew_before_the_request_goes_out(small: Small, name: str) -> None:
    meanwhile, why = MEANWHILE[name]
    meanwhile(small)
    comes(small)

    step = small.plan().step("first")
    assert (step.state.value, step.why, step.values["why"]) == ("failed", "repair-not-sent", why)
    assert (small.hands.effects, running(small), small.plan().state) == ([], 0, PlanState.HALTED)
    assert "first: failed (repair-not-sent)" in small.thread(), "never silently"
    (outcome,) = [one for one in small.journal.entries() if one["type"] == "outcome"]
    assert (outcome["details.result"], outcome["details.why"]) == ("not-begun", why)


def test_what_nothing_speaks_against_still_runs_once(small: Small) -> None:
    comes(small)
    assert (small.states()[0], len(small.hands.effects)) == ("verified", 1)


@pytest.mark.parametrize(
    ("kind", "step", "state", "where"),
    [
        (PressKind.DENY, "first", "denied", PlanState.HALTED),
        (PressKind.ABORT, "", "aborted", PlanState.ABORTED),
    ],
)
def test_a_no_before_the_request_ends_it_at_once(
    small: Small, kind: PressKind, step: str, state: str, where: PlanState
) -> None:
    small.do(small.press(kind, CAI, step, reason="stop!"))
    assert (small.states()[0], small.plan().state, running(small)) == (state, where, 0)
    assert small.refusals() == []
    comes(small)

    assert (small.states()[0], small.hands.effects) == (state, [])
    assert small.types().count("intent") == small.types().count("outcome") == 1
    assert small.journal.plans() == (), "nothing is awaited"
    assert small.audit_holds()


def test_a_no_that_comes_while_it_is_claimed_is_heard(redis_url: str) -> None:
    small = Small(redis_url)
    small.approve()
    small.hands.on_claim = lambda: small.do(small.press(PressKind.DENY, CAI, reason="stop!"))
    small.run()
    assert (small.states()[0], small.hands.effects) == ("denied", [])


def test_what_went_out_cannot_be_called_back_and_gets_its_outcome(redis_url: str) -> None:
    small = Small(redis_url)
    small.approve()
    with pytest.raises(Killed):
        small.run(small.replica("dead", Fuse(left=1, after=True), names=("act",)))
    small.do(small.press(PressKind.DENY, CAI, reason="stop!"), small.press(PressKind.ABORT, CAI, "", reason="stop!"))
    assert (small.states()[0], small.refusals()) == ("dispatched", ["repair-runs-already"])
    comes(small)

    assert (small.states()[0], small.plan().state, running(small)) == ("verified", PlanState.ABORTED, 0)


FORBIDDEN = Claimed(result=ClaimResult.REFUSED, why="HTTP 403: no leases")
AWAY = Claimed(result=ClaimResult.UNCLEAR, why="HTTP 503: away")


def test_a_claim_that_the_server_refuses_is_an_outcome_and_stays_one(redis_url: str) -> None:
    small = Small(redis_url)
    small.approve()
    small.hands.claim_answers = [FORBIDDEN]
    small.run()
    comes(small)

    step = small.plan().step("first")
    assert (step.state.value, step.why, step.values["why"]) == ("failed", "repair-not-sent", FORBIDDEN.why)
    assert (small.hands.effects, running(small)) == ([], 0)
    assert small.types().count("intent") == small.types().count("outcome") == 1


def test_what_may_pass_is_tried_again_and_people_are_told_once(redis_url: str) -> None:
    small = Small(redis_url)
    small.approve()
    small.hands.claim_answers = [AWAY, AWAY, AWAY]
    for _ in range(3):
        small.run()
    assert (small.states()[0], small.refusals()) == ("intent", ["repair-claim-waits"])
    small.run()

    assert (small.states()[0], len(small.hands.effects)) == ("verified", 1)


def test_what_does_not_pass_ends_with_the_window(redis_url: str) -> None:
    small = Small(redis_url)
    small.approve()
    small.hands.claim_answers = [AWAY] * 100
    for _ in range(11):
        small.run()
        small.clock.pass_by(timedelta(seconds=30))
    small.hands.claim_answers = []
    comes(small)

    step = small.plan().step("first")
    assert (step.state.value, step.why, step.values["why"]) == ("failed", "repair-not-sent", AWAY.why)
    assert (small.hands.effects, running(small)) == ([], 0)


def restored(small: Small, kept: dict[bytes, bytes]) -> None:
    """Redis as it was, as after a failover to a replica that was behind."""
    small.client.flushall()
    for key, value in kept.items():
        small.client.restore(key, 0, value)


def kept(small: Small) -> dict[bytes, bytes]:
    return {key: small.client.dump(key) for key in small.client.keys("*")}  # type: ignore[union-attr, misc]


@pytest.mark.parametrize("is_same", [True, False], ids=["the same process", "a new one"])
@pytest.mark.parametrize("is_seen", [True, False], ids=["seen", "changed again since"])
def test_a_step_that_redis_forgot_is_never_sent_again(redis_url: str, is_same: bool, is_seen: bool) -> None:
    small = Small(redis_url)
    small.approve()
    before = kept(small)
    small.run()
    assert len(small.hands.effects) == 1
    restored(small, before)
    if is_same:
        # It remembers that the audit was longer, and freezes everything until people lift that.
        small.run()
        assert small.states()[0] == "approved"
        small.do(*(small.press(PressKind.UNFREEZE, who, "") for who in (ANA, CAI)))
    else:
        small.start("another")
    if not is_seen:
        small.hands.effects.clear()
    small.run()
    small.run()

    assert small.hands.acted == 1
    assert small.states()[0] == ("verified" if is_seen else "unknown")
    (gap,) = [one for one in small.journal.entries() if one["type"] == "audit-gap"]
    number, _, mac = gap["details.expected"].partition(":")
    assert (gap["details.owner"], int(number) > 0, len(mac)) == ("one/1", True, 64)
    assert small.journal.read("").freeze.why == "repair-audit-gap", "everything stands still until people look"
    assert len([one for one in small.thread() if one.startswith("lost: first")]) == 1
    assert small.audit_holds()


def test_a_claim_of_an_attempt_that_the_journal_knows_is_no_gap(redis_url: str) -> None:
    small = Small(redis_url)
    small.approve()
    with pytest.raises(Killed):
        small.run(small.replica("dead", Fuse(left=1, after=True), names=("claim",)))
    comes(small)

    assert (small.states()[0], small.plan().step("first").why) == ("unknown", "repair-claimed-before")
    assert (small.hands.effects, "audit-gap" in small.types()) == ([], False)
    assert not small.journal.read("").freeze.frozen
