"""Small stand-ins for what repair talks to: plain cards, who may, counting hands, and a process that dies."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import msgspec

from bot.app.repair.ports import Claimed, ClaimResult, Draft, OpenItem, Prepared, Result
from bot.model.diagnosis import Diagnosis
from bot.model.incident import Incident
from bot.model.message import Message
from bot.model.refs import Ref
from bot.remedy.decision import Freeze
from bot.remedy.events import Effect, Person
from bot.remedy.owners import Owner, OwnerKind
from bot.remedy.plan import Action, Actor, Earlier, Holder, Plan, Target
from bot.remedy.planning import Offer

ANA, BEN, CAI, EVE = (Actor(f"slack:T0TEAM/U0{name}") for name in ("ANA", "BEN", "CAI", "EVE"))


class PlainCards:
    """`Cards`: every card is one line; `[...]` are its buttons."""

    def choice(self, plan: Plan, offered: Offer, incident: Incident, diagnosis: Diagnosis) -> Message:
        free = " ".join(f"[{one.id}]" for one in offered.options if not one.refused)
        buttons = free if plan.state.value == "choosing" else plan.option
        return Message(f"choice {plan.id} {plan.state}: {buttons}")

    def choice_changed(self, plan: Plan, offered: Offer, incident: Incident, before: Collection[str]) -> Message:
        now = {one.id for one in offered.options if not one.refused}
        told = [f"+{one}" for one in sorted(now - set(before))] + [f"-{one}" for one in sorted(set(before) - now)]
        return Message(f"changed choice {plan.id}: {' '.join(told)}")

    def unoffered(self, offered: Offer, incident: Incident) -> Message:
        return Message("no plan: " + " ".join(f"{one.id}={one.refused}" for one in offered.options))

    def step(self, plan: Plan, step_id: str, incident: Incident) -> Message:
        step = plan.step(step_id)
        approvals = len([one for one in step.votes if one.approve])
        buttons = " [press]" if step.state.value == "awaiting" and not step.held else ""
        if step.held:
            return Message(f"step {step_id} FROZEN by {step.values['who']}")
        return Message(f"step {step_id} {step.state} {approvals}{buttons}")

    def outcome(self, plan: Plan, step_id: str, incident: Incident, audit: str = "") -> Message:
        step = plan.step(step_id)
        return Message(f"{step_id}: {step.state} ({step.why})")

    def broken_glass(self, plan: Plan, step_id: str, incident: Incident) -> Message:
        return Message(f"{step_id} alone, not asked: {' '.join(one.id for one in plan.step(step_id).skipped)}")

    def refusal(self, plan: Plan | None, reason: str, values: Mapping[str, str]) -> Message:
        return Message(f"no: {reason}")

    def not_yet(self, plan: Plan, reason: str, values: Mapping[str, str]) -> Message:
        return Message(f"not yet: {reason}")

    def noticed(self, entry: str, reason: str, values: Mapping[str, str], call: tuple[str, ...]) -> Message:
        return Message(f"{entry}: {reason} calls {' '.join(call)}".strip())

    def freeze(self, plan: Plan, freeze: Freeze) -> Message:
        return Message(f"FROZEN by {freeze.by.id}: {freeze.why}" if freeze.frozen and freeze.by else "goes on")

    def reminder(self, plan: Plan, step_id: str, incident: Incident) -> Message:
        return Message(f"still there: {step_id} until {plan.step(step_id).temporary_until}")

    def closing(self, plan: Plan, step_id: str, incident: Incident) -> Message:
        return Message(f"{step_id} closes at {plan.step(step_id).expires_at}")

    def abandoned(self, plan: Plan, step_id: str, incident: Incident) -> Message:
        return Message(f"nobody goes on with {step_id}, {plan.step(step_id).state}")

    def gone(self, plan: Plan, step_id: str, incident: Incident) -> Message:
        return Message(f"gone with {plan.step(step_id).action.target.ref}: {step_id}")

    def gap(self, plan: Plan, step_id: str, incident: Incident) -> Message:
        return Message(f"lost: {step_id} was claimed by {plan.step(step_id).stranger}")

    def finished(self, plan: Plan, incident: Incident, audit: str = "") -> Message:
        return Message(f"plan {plan.id} {plan.state}")

    def silence(self, incident: Incident) -> str:
        return f"silence of {incident.id}: {' '.join(incident.left)}"

    def open_list(self, items: Sequence[OpenItem], freeze: Freeze) -> Message:
        lines = [f"{one.incident.id} {one.incident.owner or '-'} {one.step or '-'}" for one in items]
        return Message("\n".join(["frozen" if freeze.frozen else "not frozen", *lines]))


class Approvers:
    """`Authority` over a set that a test changes."""

    def __init__(self, *people: Actor) -> None:
        self.people = set(people)

    def may(self, actor: Actor) -> Person:
        return Person(may=True) if actor in self.people else Person(may=False, why="not an approver")

    def others(self, actor: Actor) -> tuple[Actor, ...]:
        return tuple(sorted(self.people - {actor}, key=lambda one: one.id))


class PlainOwners:
    """`Owners`: nobody would undo anything, unless told so."""

    def __init__(self, **kinds: OwnerKind) -> None:
        self.kinds = kinds

    def owner(self, ref: Ref) -> Owner:
        return Owner(kind=self.kinds.get(ref.name.replace("-", "_"), OwnerKind.PLAIN), name="release")


class CountingHands:
    """`Hands` over a cluster of one fact per step: done or not. Counts effects, and claims once."""

    def __init__(self, on_effect: Callable[[Action], None] = lambda _: None) -> None:
        self.on_effect = on_effect
        self.claims: dict[str, Holder] = {}
        self.claim_answers: list[Claimed] = []
        self.on_claim: Callable[[], None] = lambda: None
        self.effects: list[str] = []
        self.acted = 0
        self.answers: list[str] = []
        self.earlier: list[Earlier] = []
        self.freeze = Freeze(frozen=False)
        self.is_blind = False

    def prepare(self, draft: Draft) -> Prepared:
        target = Target(ref=draft.target, uid="u1", select=draft.select, cap=draft.cap)
        return Prepared(target=target, diff="+ it", earlier=tuple(self.earlier))

    def claim(self, exec_id: str, action: Action, approvers: Sequence[Actor], holder: Holder) -> Claimed:
        self.on_claim()
        if self.claim_answers:
            return self.claim_answers.pop(0)
        if exec_id in self.claims:
            return Claimed(result=ClaimResult.THERE, holder=self.claims[exec_id])
        self.claims[exec_id] = holder
        return Claimed(result=ClaimResult.OURS)

    def act(self, exec_id: str, action: Action) -> Result:
        self.acted += 1
        if exec_id in self.effects:
            return Result(result=Effect.DRIFTED, why="it is so already")
        answer = self.answers.pop(0) if self.answers else "applied"
        if answer in ("applied", "unclear after"):
            self.effects.append(exec_id)
            self.on_effect(action)
        return Result(result=Effect(answer.split()[0]), why=answer)

    def observe(self, exec_id: str, action: Action) -> Result:
        if self.is_blind:
            return Result(result=Effect.UNCLEAR, why="time-out")
        return Result(result=Effect.APPLIED if exec_id in self.effects else Effect.REFUSED)

    def frozen(self) -> Freeze:
        return self.freeze


class Killed(BaseException):
    """The process ends here: no handler of the program's may catch it."""


class Fuse(msgspec.Struct):
    """Burns after so many calls through all things that it guards: before or after the call takes effect."""

    left: int = -1
    after: bool = False

    def guard(self, thing: Any, *names: str) -> Any:
        """The thing; calls of these methods burn the fuse down."""
        return _Guarded(thing, frozenset(names), self)


class _Guarded:
    def __init__(self, thing: Any, names: frozenset[str], fuse: Fuse) -> None:
        self._thing = thing
        self._names = names
        self._fuse = fuse

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._thing, name)
        if name not in self._names:
            return method

        def call(*args: Any, **options: Any) -> Any:
            self._fuse.left -= 1
            is_last = self._fuse.left == 0
            if is_last and not self._fuse.after:
                raise Killed(f"before {name}")
            answer = method(*args, **options)
            if is_last:
                raise Killed(f"after {name}")
            return answer

        return call
