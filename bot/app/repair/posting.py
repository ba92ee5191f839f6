"""Posts a message of a plan once and keeps it up to date, whoever of several replicas and processes comes first.

Whoever posts says so in the incident before, and notes the message's `ts` after. One who dies in between is stood in
for a minute later; one who dies between post and note leaves a second copy, as everywhere (`app.threads`). What one
request says, which one worker handles at a time, needs no claim: `Threads.once`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta

import msgspec
import structlog

from bot.app.ports import InHand, NotInChannel, PostFailed, Undeliverable
from bot.app.threads import Threads
from bot.model.incident import Incident, Told
from bot.model.message import Message

#: Whoever began to post and has not noted it after this time is taken for dead.
PATIENCE = timedelta(minutes=1)

_log = structlog.get_logger(__name__)


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """One message of a plan. Cards say what they show (`shown`) and are edited; lines are posted once.

    `due` is false for a card that is not posted any more, only brought up to date.
    """

    key: str
    message: Callable[[Incident], Message]
    shown: str = ""
    due: bool = True


class Postings:
    """Messages that are known by a key in their incident.

    Args:
        threads: the incidents' threads.
        new_id: an id that nobody had before.
    """

    def __init__(self, threads: Threads, new_id: Callable[[], str]) -> None:
        self._threads = threads
        self._new_id = new_id

    def post(
        self, incident: Incident, key: str, message: Callable[[], Message], *, shown: str = "", revision: int = 0
    ) -> Incident:
        """Post into the thread, unless it was posted, or somebody else is at it.

        Raises:
            NotInChannel: the bot is not in the channel.
            PostFailed: it was not delivered; it may be tried again after `PATIENCE`, or at once where Slack refused it.
        """
        # Nothing stands there after these, so whoever tries next hears the same at once and need not wait for us.
        return self._claim(incident, key, message, (NotInChannel, Undeliverable), shown=shown, revision=revision)

    def make_sure(self, incident: Incident, key: str, message: Callable[[], Message]) -> Incident:
        """Post a line, for who does not come by again once it stands there.

        Raises:
            NotInChannel, PostFailed: see `post`.
            InHand: see there.
        """
        incident = self.post(incident, key, message)
        if not incident.told[key].ts:
            raise InHand(key)
        return incident

    def say(self, incident: Incident, key: str, reason: str, values: Mapping[str, str]) -> Incident:
        """Post something of the catalogue, unless it was posted, or somebody else is at it.

        Raises:
            NotInChannel, PostFailed: see `post`; whoever comes again tries at once, and at worst it stands there twice.
        """
        presenter = self._threads.presenter_of(incident.place.channel)
        return self._claim(incident, key, lambda: presenter.say(reason, values), (NotInChannel, PostFailed))

    def _claim(
        self,
        incident: Incident,
        key: str,
        message: Callable[[], Message],
        given_up: tuple[type[Exception], ...],
        *,
        shown: str = "",
        revision: int = 0,
    ) -> Incident:
        """Post it under a claim, which is given up where the post fails in one of these ways."""
        ours = Told(at=self._threads.clock.now(), by=self._new_id())
        incident = self._threads.update(incident, lambda one: _claimed(one, key, ours))
        if incident.told[key] != ours:
            return incident
        try:
            ts = self._threads.poster.post(incident.place, message())
        except given_up:
            self._threads.update(incident, lambda one: _given_up(one, key, ours))
            raise
        done = msgspec.structs.replace(ours, ts=ts, shown=shown, revision=revision)
        return self._threads.update(incident, lambda one: _with(one, key, done))

    def edit(
        self, incident: Incident, key: str, message: Callable[[], Message], *, shown: str, revision: int
    ) -> tuple[Incident, bool]:
        """Bring the message up to date; also whether a later revision was shown meanwhile, which must be shown again.

        An edit that Slack refuses for ever is noted as shown: the message may have been deleted. One that failed is
        not, so that whoever looks at the plan next tries again; what else there is to tell does not wait for it.

        Raises:
            NotInChannel: the bot is not in the channel.
        """
        there = incident.told[key]
        if not there.ts or there.revision > revision:
            return incident, False
        try:
            self._threads.poster.edit(incident.place, there.ts, message())
        except Undeliverable as why:
            _log.warning("card_not_edited", incident=incident.id, key=key, why=str(why))
        except PostFailed as why:
            _log.warning("card_not_edited_yet", incident=incident.id, key=key, why=str(why))
            return incident, False
        done = msgspec.structs.replace(there, shown=shown, revision=revision)

        def noted(one: Incident) -> Incident:
            return one if one.told[key].revision > revision else _with(one, key, done)

        incident = self._threads.update(incident, noted)
        return incident, incident.told[key].revision > revision


def _claimed(incident: Incident, key: str, ours: Told) -> Incident:
    there = incident.told.get(key)
    if there is not None and (there.ts or abs(ours.at - there.at) < PATIENCE):
        return incident
    return _with(incident, key, ours)


def _given_up(incident: Incident, key: str, ours: Told) -> Incident:
    told = {name: one for name, one in incident.told.items() if (name, one) != (key, ours)}
    return msgspec.structs.replace(incident, told=told)


def _with(incident: Incident, key: str, told: Told) -> Incident:
    return msgspec.structs.replace(incident, told={**incident.told, key: told})
