"""What can happen to a plan. Each event says who, when and, where it matters, the digest that was shown.

`why` of an event is a reason key with `values`, or the words of a person or of the API server.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

import msgspec

from bot.model.findings import Evidence
from bot.remedy.cordons import Cordons
from bot.remedy.plan import Actor, Holder, Identity, PlanStep


class Effect(StrEnum):
    """What became of a request to change the cluster."""

    APPLIED = "applied"
    SATISFIED = "satisfied"
    """It was so already."""
    REFUSED = "refused"
    """Definitely not: nothing changed."""
    DRIFTED = "drifted"
    """The object is not as it was approved: nothing was sent."""
    UNCLEAR = "unclear"
    NOT_BEGUN = "not-begun"
    """The claim was refused: nothing was sent."""
    UNCLAIMED = "unclaimed"
    """The claim could not be made, which may pass: nothing was sent."""


class LookResult(StrEnum):
    """What looking whether a step worked comes to in the end."""

    HOLDS = "holds"
    FAILS = "fails"
    """Its time is over."""
    CANNOT_TELL = "cannot-tell"


class Proof(StrEnum):
    """What a person's report that a step is done rests on."""

    GOOD = "good"
    BAD = "bad"
    NONE = "none"


class Resolution(StrEnum):
    """What a person says became of an unknown step."""

    HAPPENED = "happened"
    DID_NOT = "did-not"


class _Event(msgspec.Struct, frozen=True, kw_only=True):
    actor: Actor
    at: datetime
    op_id: str
    """Names this very event: a second delivery of it changes nothing."""
    pressed: Mapping[str, str] = {}
    """Where a person said it, as the audit keeps it (`pressed.channel`); nothing for what the bot does by itself."""

    @property
    def identities(self) -> Mapping[str, Identity]:
        """Who the people are that it tells of, by their actors' ids."""
        return {}


class Person(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of the person, read just now: whether they may approve, if not why, and who they are.

    `why` is a reason of the catalogue, with a detail behind it where it has one (`approver-lookup-failed timeout`).
    """

    may: bool
    why: str = ""
    identity: Identity = Identity()


class _OfPerson(_Event, frozen=True, kw_only=True):
    """`known` is who the others are, read anew, whose words count together with this one."""

    person: Person
    known: Mapping[str, Identity] = {}

    @property
    def identities(self) -> Mapping[str, Identity]:
        return {**self.known, self.actor.id: self.person.identity}


class _Vote(_OfPerson, frozen=True, kw_only=True):
    step: str
    digest: str
    """As it was shown to the person."""


class _Seen(_Event, frozen=True, kw_only=True):
    step: str
    why: str = ""
    values: Mapping[str, str] = {}
    evidence: tuple[Evidence, ...] = ()


class Chosen(_OfPerson, frozen=True, kw_only=True, tag="chosen"):
    """A person chose an option; `steps` were built for it, `predicted` and `due` go into the plan with them."""

    option: str
    steps: tuple[PlanStep, ...]
    leaves: tuple[str, ...] = ()
    predicted: Mapping[str, int] = {}
    due: Mapping[str, datetime] = {}


class Approved(_Vote, frozen=True, kw_only=True, tag="approved"):
    """A person pressed approve on what this digest shows."""


class Denied(_Vote, frozen=True, kw_only=True, tag="denied"):
    """A person pressed deny: a veto."""

    reason: str = ""


class BrokeGlass(_Vote, frozen=True, kw_only=True, tag="broke-glass"):
    """A person approves alone, with a typed reason."""

    reason: str
    skipped: tuple[Actor, ...] = ()
    """Approvers who were not asked, as far as they are known: they are mentioned and audited."""


class _AskedAgain(_Event, frozen=True, kw_only=True):
    """Authorisation of every voter was read again: `voter` is the first who may not any more, `why_not` a reason key.

    `known` is who they, whoever asked, and all others are who said something of the step.
    """

    step: str
    voters_may: bool
    voter: str = ""
    why_not: str = ""
    known: Mapping[str, Identity] = {}

    @property
    def identities(self) -> Mapping[str, Identity]:
        return self.known


class _Runs(_AskedAgain, frozen=True, kw_only=True):
    """`shared` is the channel of the incident's thread where people of other organisations read it; empty elsewhere."""

    owner: str
    shared: str = ""


class Begun(_Runs, frozen=True, kw_only=True, tag="begun"):
    """An executor wants to run the step."""

    lease_until: datetime
    cordons: Cordons | None = None
    """Counted after the ledger was read that the event is decided with; None for what cordons no node."""


class Dispatched(_Runs, frozen=True, kw_only=True, tag="dispatched"):
    """The claim in the cluster is ours, the request is about to go out."""


class Outcome(_Seen, frozen=True, kw_only=True, tag="outcome"):
    """What came of it.

    `world` is the world time of just before the request, or of the look that found it. `claim` is the claim that was
    there already: then the result is what was seen, and nothing was sent.
    """

    result: Effect
    owner: str
    world: datetime | None = None
    claim: Holder | None = None


class Verified(_Seen, frozen=True, kw_only=True, tag="verified"):
    """The probe answered."""

    result: LookResult


class Reported(_AskedAgain, frozen=True, kw_only=True, tag="reported"):
    """A person says that a person's step is done."""

    result: Proof
    person: Person
    why: str = ""
    values: Mapping[str, str] = {}
    evidence: tuple[Evidence, ...] = ()

    @property
    def identities(self) -> Mapping[str, Identity]:
        """Those who were asked again, and whoever reports it."""
        return {**self.known, self.actor.id: self.person.identity}


class Adopted(_Event, frozen=True, kw_only=True, tag="adopted"):
    """Another executor takes over a step whose lease ran out."""

    step: str
    owner: str
    lease_until: datetime


class Resolved(_OfPerson, frozen=True, kw_only=True, tag="resolved"):
    """A person says what became of an unknown step."""

    step: str
    result: Resolution
    reason: str


class Aborted(_OfPerson, frozen=True, kw_only=True, tag="aborted"):
    """A person gives the plan up."""

    reason: str


class Superseded(_Event, frozen=True, kw_only=True, tag="superseded"):
    """The cause is known better now: the plan of another root (`by`) takes this one's place.

    Without one the cause is no longer seen, and nothing of the plan was done.
    """

    by: str = ""


class TakenBack(_Event, frozen=True, kw_only=True, tag="taken-back"):
    """A temporary change is there no more: the plan `by` took it back, and saw it or had it attested."""

    step: str
    by: str


class Gone(_Event, frozen=True, kw_only=True, tag="gone"):
    """The object of a temporary change was looked for and is not there any more; the change went with it."""

    step: str
    evidence: tuple[Evidence, ...] = ()


class Ticked(_Event, frozen=True, kw_only=True, tag="ticked"):
    """Time passed: deadlines are looked at."""


Event = (
    Chosen
    | Approved
    | Denied
    | BrokeGlass
    | Begun
    | Dispatched
    | Outcome
    | Verified
    | Reported
    | Adopted
    | Resolved
    | Aborted
    | Superseded
    | TakenBack
    | Gone
    | Ticked
)


#: Events about a plan as a whole.
_OfPlan = Chosen | Aborted | Superseded | Ticked


def step_of(event: Event) -> str:
    """The id of the step that it is about; empty where it is about the plan as a whole."""
    return "" if isinstance(event, _OfPlan) else event.step


def tag_of(event: Event | type[Event]) -> str:
    """The name of a kind of event, as it is stored and audited (`broke-glass`)."""
    return str(event.__struct_config__.tag)
