"""Plans as values: what will run, in which order, who voted, where each step stands."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

import msgspec

from bot.model.findings import Evidence
from bot.model.refs import Ref
from bot.remedy.runbook import ProbeCall, Risk, Verb


class Actor(msgspec.Struct, frozen=True):
    """Who does something: a Slack user (`slack:T0TEAM/U0ONCALL`), a Kubernetes user (`k8s:NAME`), or the bot."""

    id: str


BOT = Actor("bot")
#: The ids of people whom the API server names begin so; all others are Slack's.
TERMINAL = "k8s:"


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """Which person an actor is, as far as that could be told when somebody asked.

    Attributes:
        names: what all accounts of one person share; two actors with a name in common are one person.
        unknown: why it could not be told, a reason key; empty if it was.
        vouched: the configuration names this person apart from all others that it names.
    """

    names: tuple[str, ...] = ()
    unknown: str = ""
    vouched: bool = False

    def joined(self, other: Identity) -> Identity:
        """What is known by both: whoever was somebody once does not become nobody."""
        return Identity(
            names=tuple(dict.fromkeys((*self.names, *other.names))),
            unknown=other.unknown if self.unknown else "",
            vouched=self.vouched or other.vouched,
        )


def joined(before: Mapping[str, Identity], now: Mapping[str, Identity]) -> Mapping[str, Identity]:
    """Who people are, by their actors' ids, with what was told of them now."""
    return {**before, **{actor: before.get(actor, one).joined(one) for actor, one in now.items()}}


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """The object that a step changes. `uid` is empty where it is resolved when the step runs (`select`)."""

    ref: Ref
    uid: str = ""
    select: str = ""
    """How nodes or pods are found when the step runs (`nodepool=gpu`), within `cap`."""
    cap: int = 1


class Action(msgspec.Struct, frozen=True, kw_only=True):
    """Exactly what one step will do: this, and nothing else, is what an approval binds to (`digest.digest_of`)."""

    runbook: str
    runbook_sha256: str
    step: str
    verb: Verb
    cluster: str
    target: Target
    params: Mapping[str, str]
    risk: Risk
    precondition: tuple[ProbeCall, ...]
    fingerprint: Mapping[str, str]
    """Fields of the target that must be as they were when the plan was made (`metadata.labels[...]`)."""
    diff: str
    """What the dry run showed, without fields that change by themselves."""
    verify: ProbeCall
    commands: tuple[str, ...] = ()
    predecessors: tuple[str, ...] = ()
    """Digests of the steps before."""
    temporary_for: int = 0
    """Seconds after which a temporary change is nagged about; 0 for a lasting one."""
    nonce: str = ""


class StepState(StrEnum):
    """Where a step stands; the table of transitions is `remedy.table`."""

    PENDING = "pending"
    AWAITING = "awaiting"
    APPROVED = "approved"
    INTENT = "intent"
    DISPATCHED = "dispatched"
    APPLIED = "applied"
    VERIFIED = "verified"
    ATTESTED = "attested"
    FAILED = "failed"
    UNKNOWN = "unknown"
    DENIED = "denied"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"
    ABORTED = "aborted"


class Vote(msgspec.Struct, frozen=True, kw_only=True):
    """One person's word on one step."""

    actor: Actor
    approve: bool
    digest: str
    at: datetime
    reason: str = ""


class Holder(msgspec.Struct, frozen=True, kw_only=True):
    """Who claimed a step in the cluster, as the claim says."""

    owner: str = ""
    """The attempt that made it; empty where the claim could not be read."""
    audit: str = ""
    """The audit's last entry at that moment, as `NUMBER:MAC`."""


class Earlier(msgspec.Struct, frozen=True, kw_only=True):
    """A step that began on the same object, by its claim.

    Attributes:
        exec_id: of that step.
        what: runbook, step, verb and object, as the claim says.
        at: when it was claimed, in the cluster's time.
        ago: seconds from then until it was looked at.
        plan: whose step it was, by the audit; empty where the audit does not know of it.
    """

    exec_id: str
    what: str = ""
    at: datetime | None = None
    ago: int = 0
    plan: str = ""


class Note(msgspec.Struct, frozen=True):
    """What whoever decides about a step has to know besides: a reason key with `values`."""

    reason: str
    values: Mapping[str, str] = {}


class PlanStep(msgspec.Struct, frozen=True, kw_only=True):
    """A step of a plan: what it does, and where it stands."""

    action: Action
    digest: str
    after: tuple[str, ...]
    hazard: str = ""
    state: StepState = StepState.PENDING
    votes: tuple[Vote, ...] = ()
    expires_at: datetime | None = None
    """Until when people may approve, the request must go out, a person may report; or the bot goes on looking."""
    held: bool = False
    """Everything is frozen: nobody may do anything for it, and its window begins anew when that is over."""
    exec_id: str = ""
    owner: str = ""
    """The attempt that holds it, by a name that no other has."""
    owners: tuple[str, ...] = ()
    """Every attempt that ever held it."""
    lease_until: datetime | None = None
    why: str = ""
    """Reason key of the last change, its blanks are `values`."""
    values: Mapping[str, str] = {}
    changed_at: datetime | None = None
    """When it came into its state."""
    evidence: tuple[Evidence, ...] = ()
    told_by: tuple[Actor, ...] = ()
    """Who reported a person's step."""
    resolutions: tuple[Vote, ...] = ()
    """What people said became of an unknown step; `approve` means that it happened."""
    break_glass: str = ""
    """The typed reason of whoever approved alone."""
    skipped: tuple[Actor, ...] = ()
    """The approvers who were passed over by it, as far as they are known."""
    applied_at: datetime | None = None
    """World time from which the change counts; None where the bot made none."""
    temporary_until: datetime | None = None
    gone_at: datetime | None = None
    """When it was seen that its temporary change is gone, together with the object."""
    stranger: Holder | None = None
    """Who claimed it in the cluster though this journal knows nothing of it: Redis lost what they wrote."""
    undo: Action | None = None
    """What takes a temporary change back, from the findings of the choice: the change itself may hide them later. It is
    bound to the cluster when somebody asks for it."""
    earlier: tuple[Earlier, ...] = ()
    """What the bot had done to the same object when this was planned, oldest first."""
    notes: tuple[Note, ...] = ()
    """What was seen beside the object when this was planned: its disruption budget, the bot's own pods."""

    @property
    def approved_by(self) -> tuple[Actor, ...]:
        """Whose vote is an approval, each once, in their order; whether it counts, `rules.approvals` says."""
        return tuple(dict.fromkeys(one.actor for one in self.votes if one.approve))


class PlanState(StrEnum):
    """Where a plan stands."""

    CHOOSING = "choosing"
    ACTIVE = "active"
    DONE = "done"
    HALTED = "halted"
    ABORTED = "aborted"
    SUPERSEDED = "superseded"


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """One plan of one incident. `option` is empty while people choose; its steps are built when they have."""

    id: str
    incident: str
    cluster: str
    runbook: str
    root: str
    subject: Ref
    requester: Actor
    created_at: datetime
    signs: tuple[str, ...] = ()
    """What the bot itself saw of the root when it offered the plan, as `CODE SCOPE`; nothing where it was pasted."""
    option: str = ""
    chosen_by: Actor | None = None
    leaves: tuple[str, ...] = ()
    steps: tuple[PlanStep, ...] = ()
    state: PlanState = PlanState.CHOOSING
    predicted: Mapping[str, int] = {}
    """What the card predicts and the end compares (`predicting.LAST_REPLACEMENTS`, and what is told beside it)."""
    due: Mapping[str, datetime] = {}
    """When each object that goes once more is due (`node/NAME`); the time that its deletion began where that runs."""
    undoes: str = ""
    """The temporary step that this plan takes back, as `PLAN/STEP`; empty for a repair."""
    dry: bool = True
    """Mutations are off: commands to copy, nothing that the bot runs."""
    revision: int = 0
    known: Mapping[str, Identity] = {}
    """Which persons its actors are, by their ids: who asked for it and whoever decided anything. A plan from before
    this was kept has none, and they are asked for when its steps run."""

    def find(self, step_id: str) -> PlanStep | None:
        """The step of this id; None where there is none, as of an id that somebody typed."""
        return next((one for one in self.steps if one.action.step == step_id), None)

    def step(self, step_id: str) -> PlanStep:
        """The step of this id, which is known to be there.

        Raises:
            KeyError: there is none.
        """
        found = self.find(step_id)
        if found is None:
            raise KeyError(step_id)
        return found
