"""An incident: one cluster, one root, one scope, one thread, however many alerts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

import msgspec

from bot.model.refs import Ref

#: What `Incident.waiting` says while people choose.
CHOICE = "choice"


class State(StrEnum):
    """Where an incident stands."""

    OPEN = "open"
    WAITING = "waiting"
    """For a person: to choose, to approve, to do a step."""
    MITIGATED = "mitigated"
    """Repaired as far as people chose; something is left broken by that choice, or is only temporary."""
    RESOLVED = "resolved"


class Place(msgspec.Struct, frozen=True):
    """Where a conversation is: a channel, and the `ts` of the thread's root message (empty: no thread yet)."""

    channel: str
    thread: str = ""

    @property
    def is_thread(self) -> bool:
        """Whether there is a thread to answer in; what began in a terminal has none."""
        return bool(self.channel and self.thread)


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """A message about a plan. `ts` is empty while somebody (`by`) posts it, since `at`.

    `shown` says what it shows, and `revision` of which revision of the plan, so that an edit is made once and an
    older one never last.
    """

    at: datetime
    by: str
    ts: str = ""
    shown: str = ""
    revision: int = 0


class Incident(msgspec.Struct, frozen=True, kw_only=True):
    """One incident, as the store keeps it; or, where `sources` is empty, a conversation that a question began.

    Attributes:
        id: short, readable, unique in the cluster.
        keys: every root and scope that it has been known by (`kubelet-swap-on node/omen2`); a sharper diagnosis
            adds one, and an alert that leads to any of them folds in. Empty: nothing folds in.
        opened_by: the id of the request that posts the root message, so that a redelivered one goes on instead of
            opening twice.
        place: channel and thread; the thread is empty until the root message is posted.
        root: the `ts` of the root message, which is edited in place; empty until it is posted.
        shown: what the root message shows of it, so that an edit that failed is made up for.
        count: alerts that led here, the first included.
        scope: what was asked about, the latest last.
        sources: alert group keys and alert message ids that led here.
        alerts: every alert counted, so that none counts twice.
        firing: those of them that have not been resolved yet.
        steps: what was done for which request, so that a redelivered one does not do it again.
        labels: labels of the alerts that were counted, by fingerprint, for a silence of exactly these.
        owner: whoever took it, by the id of an actor; empty while nobody has.
        waiting: what a waiting incident waits for: the id of a step, or `choice`.
        waiting_in: the runbook that has a title for that step; empty where it waits for none.
        left: codes of what people chose to leave broken.
        told: what was posted of its plans, by what it tells.
        planned: a plan was offered, so that it is listed until it is resolved, whoever asked.
        revision: raised by the store with every write.
    """

    id: str
    cluster: str
    keys: tuple[str, ...]
    opened_by: str
    opened_at: datetime
    place: Place
    root: str = ""
    shown: str = ""
    state: State = State.OPEN
    count: int = 1
    scope: tuple[Ref, ...] = ()
    sources: tuple[str, ...] = ()
    alerts: tuple[str, ...] = ()
    firing: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    labels: Mapping[str, Mapping[str, str]] = {}
    owner: str = ""
    waiting: str = ""
    waiting_in: str = ""
    left: tuple[str, ...] = ()
    told: Mapping[str, Told] = {}
    planned: bool = False
    changed_at: datetime | None = None
    revision: int = 0

    @property
    def is_open(self) -> bool:
        """Whether alerts still fold into it."""
        return self.state is not State.RESOLVED


def labels_firing(incident: Incident) -> tuple[Mapping[str, str], ...]:
    """The labels of its alerts that still fire, as far as they are known: an alert of a Slack app brings none."""
    firing = {one.partition("@")[0] for one in incident.firing}
    return tuple(labels for fingerprint, labels in incident.labels.items() if fingerprint in firing)
