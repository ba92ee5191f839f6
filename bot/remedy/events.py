"""What can happen to a plan. Each event says who, when and, where it matters, the digest that was shown.

`why` of an event is a reason key with `values`, or the words of a person or of the API server.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import msgspec

from bot.model.findings import Evidence
from bot.remedy.cordons import Cordons
from bot.remedy.plan import Actor, Holder, Identity, PlanStep


class _Event(msgspec.Struct, frozen=True, kw_only=True):
    actor: Actor
    at: datetime
    op_id: str
    """Names this very event: a second delivery of it changes nothing."""


class Person(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of the person, read just now: whether they may approve, if not why, and who they are."""

    may: bool
    why: str = ""
    identity: Identity = Identity()


class _OfPerson(_Event, frozen=True, kw_only=True):
    person: Person


class _Vote(_OfPerson, frozen=True, kw_only=True):
    step: str
    digest: str
    """As it was shown to the person."""


class _Seen(_Event, frozen=True, kw_only=True):
    step: str
    result: str
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


class _Runs(_Event, frozen=True, kw_only=True):
    """Authorisation of every voter was read again: `voter` is the first who may not any more, `why_not` a reason key.

    `known` is who they and whoever asked are.
    """

    step: str
    owner: str
    voters_may: bool
    voter: str = ""
    why_not: str = ""
    known: Mapping[str, Identity] = {}


class Begun(_Runs, frozen=True, kw_only=True, tag="begun"):
    """An executor wants to run the step."""

    lease_until: datetime
    cordons: Cordons | None = None
    """Counted after the ledger was read that the event is decided with; None for what cordons no node."""


class Dispatched(_Runs, frozen=True, kw_only=True, tag="dispatched"):
    """The claim in the cluster is ours, the request is about to go out."""


class Outcome(_Seen, frozen=True, kw_only=True, tag="outcome"):
    """What came of it: `applied`, `refused` (nothing changed), `unclear`, `drifted`, `satisfied` (it was so).

    Where nothing was sent: `not-begun` (the claim was refused), `unclaimed` (it could not be made, which may pass).
    `world` is the world time of just before the request, or of the look that found it. `claim` is the claim that was
    there already: then the result is what was seen, and nothing was sent.
    """

    owner: str
    world: datetime | None = None
    claim: Holder | None = None


class Verified(_Seen, frozen=True, kw_only=True, tag="verified"):
    """The probe answered: `holds`, `fails` (its time is over), `cannot-tell`."""


class Reported(_Seen, frozen=True, kw_only=True, tag="reported"):
    """A person says that a person's step is done: with `good` or `bad` evidence, or with `none`."""

    person: Person


class Adopted(_Event, frozen=True, kw_only=True, tag="adopted"):
    """Another executor takes over a step whose lease ran out."""

    step: str
    owner: str
    lease_until: datetime


class Resolved(_OfPerson, frozen=True, kw_only=True, tag="resolved"):
    """A person says what became of an unknown step: `happened`, `did-not`."""

    step: str
    result: str
    reason: str


class Aborted(_OfPerson, frozen=True, kw_only=True, tag="aborted"):
    """A person gives the plan up."""

    reason: str


class Superseded(_Event, frozen=True, kw_only=True, tag="superseded"):
    """The cause is known better now: the plan of another root (`by`) takes this one's place."""

    by: str


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


def tag_of(event: Event | type[Event]) -> str:
    """The name of a kind of event, as it is stored and audited (`broke-glass`)."""
    return str(event.__struct_config__.tag)
