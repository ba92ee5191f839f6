"""Puts what an incident has to say into its thread, so that a request that comes again says nothing twice.

Every post is noted in the incident right after it was made. What remains is the moment between a post and its note:
whoever dies there posts that one message again. Slack offers nothing against it (`chat.postMessage` knows no
idempotency key, `client_msg_id` does not de-duplicate, and reading the channel's history back to look for our own
message would need scopes over what people write), so the moment is kept as short as one write to Redis.

`Threads.once` is for what one request says, which one worker handles at a time. What several processes may come to say
at the same moment by themselves (plans, sweeps) claims its key before it posts: `app.repair.posting.Postings`.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import structlog

from bot.app.incidents import rooted, stepped
from bot.app.ports import Clock, Incidents, Poster, Presenter, Undeliverable
from bot.app.ports.writer import Summariser
from bot.model.diagnosis import Diagnosis
from bot.model.incident import Incident, Place
from bot.model.message import Document, Message

_log = structlog.get_logger(__name__)


class IncidentGone(RuntimeError):
    """The incident is no longer kept, though it was a moment ago."""


def without_llm(_channel: str) -> Summariser | None:
    """No prose in any channel."""
    return None


class Threads:
    """The incidents' threads.

    Args:
        incidents: where they are kept.
        poster: where messages go.
        presenter_of: the presenter of a channel's language.
        clock: decision time.
        summariser_of: puts a diagnosis into prose in a channel's language; None where there is no LLM.
    """

    def __init__(
        self,
        *,
        incidents: Incidents,
        poster: Poster,
        presenter_of: Callable[[str], Presenter],
        clock: Clock,
        summariser_of: Callable[[str], Summariser | None] = without_llm,
    ) -> None:
        self.incidents = incidents
        self.poster = poster
        self.presenter_of = presenter_of
        self.clock = clock
        self._summariser_of = summariser_of

    def update(self, incident: Incident, change: Callable[[Incident], Incident]) -> Incident:
        """Apply a change to the incident as it is now, however often others are faster.

        Raises:
            IncidentGone: see there.
        """
        while True:
            after = change(incident)
            if after == incident:
                return incident
            saved = self.incidents.save(incident, after)
            if saved is not None:
                return saved
            now = self.incidents.by_id(incident.id)
            if now is None:
                raise IncidentGone(incident.id)
            incident = now

    def once(
        self, incident: Incident, step: str, message: Callable[[Presenter], Message], place: Place | None = None
    ) -> Incident:
        """Post into the thread, or elsewhere, unless this step of the request was noted before."""
        if step in incident.steps:
            return incident
        where = place or incident.place
        self.poster.post(where, message(self.presenter_of(where.channel)))
        return self.update(incident, lambda one: stepped(one, step))

    def upload_once(
        self, incident: Incident, step: str, document: Document, message: Callable[[Presenter], Message]
    ) -> Incident:
        """Put a file into the thread, unless this step was noted before."""
        if step in incident.steps:
            return incident
        self.poster.upload(incident.place, document, message(self.presenter_of(incident.place.channel)))
        return self.update(incident, lambda one: stepped(one, step))

    def summarise(self, incident: Incident, step: str, diagnosis: Diagnosis) -> Incident:
        """Add the LLM's prose, if there is any, once. It may take its time: the answer stands already."""
        summariser = None if step in incident.steps else self._summariser_of(incident.place.channel)
        if summariser is None:
            return incident
        summary = summariser.summary(diagnosis)
        return incident if summary is None else self.once(incident, step, as_is(summary))

    def post_root(self, incident: Incident, diagnosis: Diagnosis) -> Incident:
        """Post the root message, unless it is there; then bring it up to date with what came meanwhile."""
        if incident.root:
            return incident
        ts = self.poster.post(incident.place, self._face(incident, diagnosis))
        after = self.update(incident, lambda one: rooted(one, ts, _face_of(incident)))
        if after.root != ts:
            _log.warning("second_root_posted", incident=after.id, root=after.root, second=ts)
        if not is_shown(after):
            self.edit_root(after, diagnosis)
        return after

    def edit_root(self, incident: Incident, diagnosis: Diagnosis) -> None:
        """Edit the root message until it shows the incident as it is: another replica may edit at the same time.

        Raises:
            NotInChannel: the bot is not in the channel.
            PostFailed: it was not edited; whoever looks at the incident next tries again (`is_shown`).
        """
        shown: Incident | None = None
        now: Incident | None = incident
        while now is not None and now.root and (shown is None or _face_of(now) != _face_of(shown)):
            self.show(now, diagnosis)
            shown, now = now, self.incidents.by_id(incident.id)

    def show(self, incident: Incident, diagnosis: Diagnosis) -> None:
        """Edit the root message once, to show this state of the incident, and note that it does.

        Somebody may have deleted it; what else there is to say is said in the thread all the same.
        """
        try:
            self.poster.edit(incident.place, incident.root, self._face(incident, diagnosis))
        except Undeliverable as why:
            _log.error("root_not_edited", why=str(why), incident=incident.id)
        # The incident need not be in this state yet: it is noted in the one that is kept.
        now = self.incidents.by_id(incident.id)
        if now is not None:
            self.update(now, lambda one: msgspec.structs.replace(one, shown=_face_of(incident)))

    def say(self, place: Place, reason: str, **values: str) -> None:
        """Say something of the catalogue."""
        self.poster.post(place, self.presenter_of(place.channel).say(reason, values))

    def _face(self, incident: Incident, diagnosis: Diagnosis) -> Message:
        presenter = self.presenter_of(incident.place.channel)
        return presenter.root(incident, diagnosis) if incident.sources else presenter.answer(diagnosis, incident)


def is_shown(incident: Incident) -> bool:
    """Whether the root message shows the incident as it is, as far as an edit can help; there is none in a terminal."""
    return not incident.root or incident.shown == _face_of(incident)


def _face_of(incident: Incident) -> str:
    """What of an incident the root message shows."""
    state = (str(incident.state), str(incident.count), incident.waiting, incident.waiting_in, incident.owner)
    return " ".join((*state, *incident.left))


def as_is(message: Message) -> Callable[[Presenter], Message]:
    """A message that is made already, for `Threads.once`."""
    return lambda _: message
