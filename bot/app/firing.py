"""An alert fires or ends: one thread for one incident, counted, and resolved when the last alert is over.

Any step may be the last one of this process; the request then comes again, to this or another replica. Whoever
opened the incident (`opened_by`) posts its root message; others only count. Alerts count by their identity, so a
redelivered request cannot count twice. A resolution may overtake its alert: it is noted first and looked up by
whoever opens the incident, so one of the two always sees the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta

import msgspec

from bot.app.afterwards import Repair
from bot.app.incidents import cannot_tell, causes_not_seen, ended, folded, keys_of, opening, resolved, still_seen
from bot.app.looking import is_fallback, look
from bot.app.ports import Investigator
from bot.app.threads import Threads, as_is
from bot.model.diagnosis import Diagnosis
from bot.model.incident import Incident, Place
from bot.model.refs import CLUSTER, Ref

#: Whoever opened an incident and has not posted its root message after this time is taken for dead.
PATIENCE = timedelta(minutes=2)

_MOST_LISTED = 10


class Firing(msgspec.Struct, frozen=True, kw_only=True):
    """Alerts that fire, from one source (a group, a message), and what they name; `scope` is empty for nothing.

    `truncated` are alerts of the source that nobody sent us. `labels` are theirs, by fingerprint.
    """

    request_id: str
    source: str
    alerts: tuple[str, ...]
    place: Place
    scope: tuple[Ref, ...]
    truncated: int = 0
    labels: Mapping[str, Mapping[str, str]] = {}


class Alarms:
    """The use case of alerts."""

    def __init__(
        self, *, cluster: str, investigator: Investigator, threads: Threads, repair: Repair | None = None
    ) -> None:
        self._cluster = cluster
        self._repair = repair
        self._investigator = investigator
        self._threads = threads
        self._incidents = threads.incidents

    def fire(self, firing: Firing) -> Incident:
        """Diagnose what the alerts name; open an incident or fold into the one that is open."""
        scope, diagnosis = look(self._investigator, firing.scope)
        keys = keys_of(diagnosis)
        fresh = opening(
            cluster=self._cluster,
            request_id=firing.request_id,
            at=self._threads.clock.now(),
            place=firing.place,
            scope=scope,
            keys=keys,
            source=firing.source,
            alerts=firing.alerts,
            labels=firing.labels,
        )
        incident = self._open_or_fold(firing, fresh)
        if incident.opened_by == firing.request_id:
            incident = self._open(incident, firing, scope, diagnosis)
        elif incident.root:
            incident = self._fold(incident, firing, scope, diagnosis)
        if self._repair is not None and incident.root and not is_fallback(firing.scope, scope):
            self._repair.offer(incident, diagnosis)
            incident = self._incidents.by_id(incident.id) or incident
        return self.settle(incident)

    def _open_or_fold(self, firing: Firing, fresh: Incident) -> Incident:
        while True:
            incident = self._incidents.open(fresh)
            if incident.opened_by == firing.request_id:
                return incident
            incident = self._threads.update(incident, self._folding(firing, fresh))
            # Another replica may have resolved it between the two; then it takes no more alerts.
            if incident.is_open or incident.id == fresh.id:
                return incident

    def _folding(self, firing: Firing, fresh: Incident) -> Callable[[Incident], Incident]:
        now = self._threads.clock.now()

        def change(incident: Incident) -> Incident:
            if not incident.is_open:
                return incident
            is_late = now - (incident.changed_at or incident.opened_at) > PATIENCE
            if not incident.root and (is_late or self._is_mute(incident, firing.place)):
                place = firing.place if self._is_mute(incident, firing.place) else incident.place
                incident = msgspec.structs.replace(incident, opened_by=firing.request_id, changed_at=now, place=place)
            return folded(incident, fresh, at=now, counted=f"{firing.request_id}/counted")

        return change

    def _is_mute(self, incident: Incident, place: Place) -> bool:
        """Whether nothing can be said where the incident has its place, but here something may be."""
        there, poster = incident.place.channel, self._threads.poster
        return there != place.channel and poster.is_shared(there) and not poster.is_shared(place.channel)

    def _open(self, incident: Incident, firing: Firing, scope: tuple[Ref, ...], diagnosis: Diagnosis) -> Incident:
        """Post the root message and what belongs below it, as far as this was not done before."""
        threads, step = self._threads, firing.request_id
        incident = threads.post_root(incident, diagnosis)
        incident = self._tell_limits(incident, firing, scope)
        unseen = causes_not_seen(diagnosis)
        if len(unseen) > 1:
            values = {"count": str(len(unseen)), "objects": ", ".join(str(one) for one in unseen[:_MOST_LISTED])}
            incident = threads.once(incident, f"{step}/several", lambda one: one.say("desk-several-causes", values))
        presenter = threads.presenter_of(incident.place.channel)
        for number, message in enumerate(presenter.thread(incident, diagnosis)):
            incident = threads.once(incident, f"{step}/thread/{number}", as_is(message))
        return threads.summarise(incident, f"{step}/summary", diagnosis)

    def _tell_limits(self, incident: Incident, firing: Firing, scope: tuple[Ref, ...]) -> Incident:
        """Say what of the alerts could not be used."""
        threads, step = self._threads, firing.request_id
        if scope == (CLUSTER,):
            incident = threads.once(incident, f"{step}/whole", lambda one: one.say("desk-whole-cluster", {}))
        if firing.truncated:
            values = {"count": str(firing.truncated)}
            incident = threads.once(incident, f"{step}/truncated", lambda one: one.say("desk-truncated", values))
        return incident

    def _fold(self, incident: Incident, firing: Firing, scope: tuple[Ref, ...], diagnosis: Diagnosis) -> Incident:
        """Bring the root message up to date, and say that it happened again if these alerts counted."""
        threads, step = self._threads, firing.request_id
        counted = f"{step}/counted" in incident.steps
        if counted and firing.place.channel != incident.place.channel:
            # Whoever watches this channel does not see the other one. They first: in the other one nothing may be said.
            values = {"channel": incident.place.channel, "count": str(incident.count)}
            incident = threads.once(
                incident,
                f"{step}/elsewhere",
                lambda one: one.say("desk-elsewhere", values),
                Place(firing.place.channel),
            )
        threads.edit_root(incident, diagnosis)
        if not counted:
            return incident
        again = incident
        incident = threads.once(incident, f"{step}/folded", lambda one: one.folded(again))
        return self._tell_limits(incident, firing, scope)

    def note_over(self, alerts: tuple[str, ...]) -> None:
        """Remember that these no longer fire; whoever settles their incident next takes them off."""
        if alerts:
            self._incidents.note_over(alerts)

    def end(self, source: str) -> None:
        """Nothing of this source fires any more."""
        incident = self._incidents.by_source(source)
        if incident is not None:
            self.settle(incident)

    def take_off(self, source: str) -> None:
        """Take off what no longer fires though nobody can be told: whoever looks after incidents ends this one."""
        incident = self._incidents.by_source(source)
        if incident is not None:
            over = self._incidents.over(incident.firing)
            self._threads.update(incident, lambda one: ended(one, over))

    def tell_again(self, channel: str) -> None:
        """Tell what could not be told in this channel for a while: what began, how it stands, what is over."""
        for incident in self._incidents.all_open():
            if incident.place.channel == channel:
                self.settle(self._told_again(incident))

    def _told_again(self, incident: Incident) -> Incident:
        scope, diagnosis = look(self._investigator, incident.scope)
        if incident.root:
            self._threads.edit_root(incident, diagnosis)
        if incident.root or not incident.sources:
            # Whoever asked where no answer could stand was told so at once.
            return incident
        firing = Firing(
            request_id=incident.opened_by,
            source=incident.sources[0],
            alerts=incident.firing,
            place=incident.place,
            scope=scope,
        )
        incident = self._open(incident, firing, scope, diagnosis)
        if self._repair is not None and scope != (CLUSTER,):
            self._repair.offer(incident, diagnosis)
        return self._incidents.by_id(incident.id) or incident

    def settle(self, incident: Incident) -> Incident:
        """Take off what no longer fires; when nothing does, tell it, and resolve what the bot sees to be gone too.

        While its repair is not over it stays open, and ends with it.
        """
        over = self._incidents.over(incident.firing)
        if not over or not incident.root or not incident.is_open:
            # Without a root message, whoever posts it settles afterwards.
            return incident
        remaining = ended(incident, over)
        if remaining.firing:
            return self._threads.update(incident, lambda one: ended(one, over))
        _, diagnosis = look(self._investigator, incident.scope)
        # By the alert and not by the request: whoever opened the incident and whoever ends it may both come here.
        step = f"{max(over)}/over"
        if why := self._why_open(incident, diagnosis):
            incident = self._threads.once(incident, step, lambda one: one.say(why, {}))
            incident = self._threads.update(incident, lambda one: ended(one, over))
        else:
            now = self._threads.clock.now()
            incident = self._incidents.by_id(incident.id) or incident
            told = resolved(ended(incident, over), now)
            incident = self._threads.once(incident, step, lambda one: one.resolved(told))
            # Told and shown first: a resolved incident is not found by its source any more.
            self._threads.show(told, diagnosis)
            incident = self._threads.update(incident, lambda one: resolved(ended(one, over), now))
            if not incident.is_open:
                return incident
        self._threads.edit_root(incident, diagnosis)
        return incident

    def _why_open(self, incident: Incident, diagnosis: Diagnosis) -> str:
        """Why an incident stays open though its alert is over, a reason key; empty where it is over with it."""
        if still_seen(incident, diagnosis):
            return "desk-still-there"
        if cannot_tell(incident, diagnosis):
            return "desk-cannot-tell"
        goes_on = self._repair is not None and self._repair.goes_on(incident)
        return "desk-repair-goes-on" if goes_on else ""
