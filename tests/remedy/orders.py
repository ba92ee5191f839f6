"""All orders of events by three people, two executors and time: what must hold, holds after each of them.

The invariants are told here once more in words of their own and use no rule of `bot.remedy`.
"""

from __future__ import annotations

from datetime import timedelta

import msgspec
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from bot.adapters.files.knowledge import load_words
from bot.knowledge.blanks import blanks
from bot.remedy.decide import decide
from bot.remedy.decision import Budget, Decision, Freeze, Policy
from bot.remedy.events import Begun, Dispatched, Event, Person, Reported
from bot.remedy.plan import Plan, PlanState, StepState
from bot.remedy.runbook import Risk, Verb
from bot.remedy.spending import spent
from tests.support.repairs import (
    ANN,
    AT,
    BEN,
    CLEO,
    abort,
    active,
    adopt,
    approve,
    begin,
    break_glass,
    deny,
    dispatch,
    outcome,
    report,
    resolve,
    step,
    tick,
    verify,
)

S = StepState
OVER = {S.VERIFIED, S.FAILED, S.DENIED, S.EXPIRED, S.SUPERSEDED, S.ABORTED}
PLAN_OVER = {PlanState.DONE, PlanState.HALTED, PlanState.ABORTED, PlanState.SUPERSEDED}
BUSY = {S.INTENT, S.DISPATCHED, S.APPLIED}
WORDS = load_words("en")
GUARD = step("guard")
WIPE = step("wipe", GUARD, risk=Risk.DESTRUCTIVE, temporary_for=60)
HOST = step("host", GUARD, verb=Verb.HOST)
HANDED = step("handed", HOST, verb=Verb.HAND_OVER)
SETTLE = step("settle", WIPE, HANDED, verb=Verb.OBSERVE)
STEPS = (GUARD, WIPE, HOST, HANDED, SETTLE)
NAMES = st.sampled_from([one.action.step for one in STEPS])
PEOPLE = st.sampled_from([ANN, BEN, CLEO])
OWNERS = st.sampled_from(["executor-1", "executor-2"])


class AllOrders(RuleBasedStateMachine):
    """One plan of five steps; ANN asked for it."""

    def __init__(self) -> None:
        super().__init__()
        self.plan: Plan = active(*STEPS)
        self.digests = [one.digest for one in self.plan.steps]
        self.now = AT
        self.freeze = Freeze(frozen=False)
        self.budget = Budget()
        self.policy = Policy(mutations=True)
        self.barred: set[object] = set()
        self.intents: set[str] = set()
        self.sent: set[str] = set()

    def happens(self, event: Event) -> Decision:
        event = msgspec.structs.replace(event, at=self.now)
        before = self.plan
        args = {"freeze": self.freeze, "budget": self.budget, "policy": self.policy}
        decision = decide(before, event, self.now, **args)  # type: ignore[arg-type]
        assert decision == decide(before, event, self.now, **args)  # type: ignore[arg-type]
        self._told(event, decision)
        self._final(before, decision.plan)
        self._in_order(before, decision.plan)
        self._as_decided(before, event, decision)
        self._stands_still(before, event, decision)
        self.budget = spent(self.budget, before, decision.plan, self.now)
        self.freeze = decision.freeze or self.freeze
        self.plan = msgspec.json.decode(msgspec.json.encode(decision.plan), type=Plan)
        assert self.plan == decision.plan
        return decision

    def _told(self, event: Event, decision: Decision) -> None:
        """Every refusal says why, in words that are there, and is written down; so is every change."""
        assert blanks(WORDS.reason(decision.reason)) <= decision.values.keys()
        kinds = [one.type for one in decision.entries]
        assert ("refused" in kinds) == decision.refused
        assert kinds or not decision.changed
        if decision.refused and decision.changed:
            assert {"expired", "held", "offered"} & set(kinds)
        if isinstance(event, Begun) and not decision.refused:
            assert "intent" in kinds

    def _final(self, before: Plan, after: Plan) -> None:
        """I5, I9: what is over stays over, and what was approved is what it was."""
        for old, new in zip(before.steps, after.steps, strict=True):
            assert new.action == old.action
            assert old.state not in OVER or new == old
            assert not (old.state is S.ATTESTED and new.state not in (S.ATTESTED, S.VERIFIED))
            if old.state is S.UNKNOWN:
                assert new.state in (S.UNKNOWN, S.ATTESTED, S.FAILED)
        assert [one.digest for one in after.steps] == self.digests
        assert before.state not in PLAN_OVER or after.state is before.state

    def _in_order(self, before: Plan, after: Plan) -> None:
        """I1: nothing is offered before all before it is verified, or attested with evidence or by two."""
        for old, new in zip(before.steps, after.steps, strict=True):
            if old.state is S.PENDING and new.state not in (S.PENDING, S.ABORTED):
                for name in new.after:
                    earlier = after.step(name)
                    attested = earlier.state is S.ATTESTED and earlier.action.verb in (Verb.HOST, Verb.HAND_OVER)
                    assert earlier.state is S.VERIFIED or (
                        attested and (earlier.evidence or len(set(earlier.told_by)) > 1)
                    )
                assert after.state in (PlanState.ACTIVE, PlanState.DONE)

    def _as_decided(self, before: Plan, event: Event, decision: Decision) -> None:
        """I2, I3, I6, I7, I8, I11: what runs was approved by enough people, in time, unfrozen, written down, once."""
        if decision.refused or not isinstance(event, Begun | Dispatched):
            return
        if decision.plan.step(event.step).state is S.FAILED:
            assert (decision.reason, isinstance(event, Dispatched)) == ("repair-not-sent", True)
            return
        assert not self.freeze.frozen
        assert self.policy.mutations
        assert before.state is PlanState.ACTIVE
        one, new = before.step(event.step), decision.plan.step(event.step)
        if isinstance(event, Begun):
            voters = {vote.actor for vote in one.votes if vote.approve and vote.digest == one.digest}
            assert all(vote.approve for vote in one.votes)
            counted = voters if one.action.risk is not Risk.DESTRUCTIVE else voters - {ANN}
            assert len(counted) >= (2 if one.action.risk is Risk.DESTRUCTIVE and not one.break_glass else 1)
            assert event.voters_may
            assert one.expires_at is not None
            assert one.expires_at > self.now
            assert not any(each.state in BUSY for each in before.steps)
            assert all(before.step(name).state in (S.VERIFIED, S.ATTESTED) for name in one.after)
            recent = [at for at in self.budget.mutations if self.now - at < timedelta(hours=1)]
            assert len(recent) < self.budget.per_hour
            assert new.exec_id not in self.intents
            self.intents.add(new.exec_id)
        else:
            assert one.exec_id in self.intents
            assert one.exec_id not in self.sent
            assert one.owner == event.owner
            self.sent.add(one.exec_id)

    def _stands_still(self, before: Plan, event: Event, decision: Decision) -> None:
        """While everything is frozen nothing is offered and no report counts; what waits for people is held."""
        for old, new in zip(before.steps, decision.plan.steps, strict=True):
            assert not (new.held and new.state is S.AWAITING and new.expires_at)
            if self.freeze.frozen:
                assert not (old.state is S.PENDING and new.state is S.AWAITING)
        if self.freeze.frozen:
            assert decision.refused or not isinstance(event, Reported)

    @invariant()
    def what_is_held_waits_and_says_who_froze_it(self) -> None:
        for one in self.plan.steps:
            assert not one.held or (one.state is S.AWAITING and {"who", "why"} <= one.values.keys()), one

    @invariant()
    def one_step_is_in_flight(self) -> None:
        busy = [one for one in self.plan.steps if one.state in BUSY]
        assert len(busy) <= 1
        assert self.budget.running == len(busy)

    @invariant()
    def only_what_the_cluster_shows_is_verified(self) -> None:
        assert self.plan.step("host").state is not S.VERIFIED
        for one in self.plan.steps:
            if one.state is S.VERIFIED:
                assert one.evidence

    @invariant()
    def a_halted_plan_offers_nothing(self) -> None:
        states = {one.state for one in self.plan.steps}
        if self.plan.state is PlanState.ACTIVE:
            assert not states & {S.FAILED, S.UNKNOWN, S.DENIED, S.EXPIRED, S.SUPERSEDED}
        if self.plan.state is PlanState.DONE:
            assert states <= {S.VERIFIED, S.ATTESTED}

    def person(self, who: object) -> Person:
        return Person(may=False, why="left the group") if who in self.barred else Person(may=True)

    def nothing_by(self, who: object, decision: Decision) -> None:
        """I7: who may not decides nothing."""
        assert decision.refused or who not in self.barred

    @rule(who=PEOPLE, name=NAMES, right=st.sampled_from([True, True, True, False]))
    def approves(self, who: object, name: str, right: bool) -> None:
        more = {} if right else {"digest": "f" * 64}
        decision = self.happens(approve(self.plan, who, name, person=self.person(who), **more))  # type: ignore[arg-type]
        self.nothing_by(who, decision)
        assert right or decision.refused

    @rule(who=PEOPLE, name=NAMES, rarely=st.integers(0, 3))
    def denies(self, who: object, name: str, rarely: int) -> None:
        if rarely == 0:
            self.nothing_by(who, self.happens(deny(self.plan, who, name, person=self.person(who))))  # type: ignore[arg-type]

    @rule(who=PEOPLE, name=NAMES, why=st.sampled_from(["", "alone at night"]))
    def breaks_glass(self, who: object, name: str, why: str) -> None:
        decision = self.happens(break_glass(self.plan, who, name, reason=why, person=self.person(who)))  # type: ignore[arg-type]
        self.nothing_by(who, decision)
        assert why or decision.refused

    @rule(name=NAMES, owner=OWNERS)
    def begins(self, name: str, owner: str) -> None:
        voters = {vote.actor for vote in self.plan.step(name).votes if vote.approve}
        until = self.now + timedelta(minutes=1)
        self.happens(begin(name, owner, lease_until=until, voters_may=not voters & self.barred))

    @rule(name=NAMES, owner=OWNERS)
    def sends(self, name: str, owner: str) -> None:
        self.happens(dispatch(name, owner))

    @rule(
        name=NAMES,
        owner=OWNERS,
        result=st.sampled_from(["applied", "applied", "satisfied", "refused", "unclear", "drifted"]),
    )
    def hears(self, name: str, owner: str, result: str) -> None:
        self.happens(outcome(result, name, owner))

    @rule(name=NAMES, result=st.sampled_from(["holds", "holds", "holds", "fails", "cannot-tell"]))
    def looks(self, name: str, result: str) -> None:
        self.happens(verify(result, name))

    @rule(who=PEOPLE, name=NAMES, result=st.sampled_from(["good", "bad", "none"]))
    def reports(self, who: object, name: str, result: str) -> None:
        decision = self.happens(report(result, who, name, person=self.person(who)))  # type: ignore[arg-type]
        self.nothing_by(who, decision)
        assert result != "bad" or decision.refused

    @rule(name=NAMES, owner=OWNERS)
    def takes_over(self, name: str, owner: str) -> None:
        held = self.plan.step(name)
        decision = self.happens(adopt(name, owner, lease_until=self.now + timedelta(minutes=1)))
        assert decision.refused or held.lease_until is None or held.lease_until <= self.now

    @rule(who=PEOPLE, name=NAMES, result=st.sampled_from(["happened", "did-not"]))
    def resolves(self, who: object, name: str, result: str) -> None:
        said = {one.actor for one in self.plan.step(name).resolutions if one.approve == (result == "happened")}
        decision = self.happens(resolve(result, who, name, person=self.person(who)))  # type: ignore[arg-type]
        self.nothing_by(who, decision)
        if not decision.refused and self.plan.step(name).state is not S.UNKNOWN:
            assert len({*said, who}) > 1

    @precondition(lambda self: self.plan.state in PLAN_OVER or self.now > AT + timedelta(hours=1))
    @rule(who=PEOPLE)
    def gives_up(self, who: object) -> None:
        self.nothing_by(who, self.happens(abort(who, person=self.person(who))))  # type: ignore[arg-type]

    @rule(minutes=st.sampled_from([0, 0, 1, 1, 4, 20]))
    def waits(self, minutes: int) -> None:
        self.now += timedelta(minutes=minutes)
        self.happens(tick())

    @rule(frozen=st.sampled_from([False, False, True]))
    def is_frozen(self, frozen: bool) -> None:
        self.freeze = Freeze(frozen=frozen, why="somebody said so", since=self.now if frozen else None)

    @rule(who=PEOPLE)
    def leaves_or_comes_back(self, who: object) -> None:
        self.barred ^= {who}

    @rule(on=st.sampled_from([True, True, False]))
    def mutations_are_switched(self, on: bool) -> None:
        self.policy = Policy(mutations=on)
