"""A person asks: find out which objects are meant, diagnose them, answer where the question stands.

The answer begins a conversation (an incident that nothing folds into), so that a paste into its thread is known.
"""

from __future__ import annotations

from collections.abc import Callable

import structlog

from bot.app.afterwards import Repair
from bot.app.incidents import opening
from bot.app.ports import Investigator, NoSuchObject, NotInChannel, SharedOutside, Undeliverable
from bot.app.requests import Ask
from bot.app.threads import Threads
from bot.model.diagnosis import Diagnosis
from bot.model.incident import Incident
from bot.model.refs import MalformedReference, Ref
from bot.remedy.plan import Actor
from bot.remedy.rules import because

_log = structlog.get_logger(__name__)
#: More candidates are not listed when asking back.
_MOST_CANDIDATES = 10


class Questions:
    """The use case of questions."""

    def __init__(
        self,
        *,
        cluster: str,
        investigator: Investigator,
        threads: Threads,
        repair: Repair | None = None,
        actor_of: Callable[[str], Actor] = Actor,
    ) -> None:
        self._cluster = cluster
        self._repair = repair
        self._actor_of = actor_of
        self._investigator = investigator
        self._threads = threads

    def answer(self, ask: Ask) -> None:
        """Answer, ask back, or say why there is no answer; where the bot may not post, over the command's own way."""
        try:
            scope = self._scope(ask)
            if scope:
                self._answer(ask, scope, self._investigator.investigate(scope).diagnosis)
        except NoSuchObject as why:
            self.reply(ask, "desk-no-such-object", subject=str(why.ref), cluster=self._cluster)
        except SharedOutside:
            self.reply_privately(ask, "refused-shared-channel")
        except NotInChannel:
            self.reply_privately(ask, "desk-not-in-channel", cluster=self._cluster)
        except Undeliverable as why:
            self.reply_privately(ask, "desk-not-posted", why=str(why))

    def reply(self, ask: Ask, reason: str, **values: str) -> None:
        """Say something for who asked: privately if the question came that way."""
        message = self._threads.presenter_of(ask.place.channel).say(reason, {**values, "mention": ask.user})
        if ask.response_url:
            self._threads.poster.respond(ask.response_url, message)
        else:
            self._threads.poster.post(ask.place, message)

    def reply_privately(self, ask: Ask, reason: str, **values: str) -> None:
        """Say why the answer cannot stand in the channel, if there is a way to say anything."""
        _log.warning("answer_not_posted", reason=reason, channel=ask.place.channel, request=ask.id, **values)
        if ask.response_url:
            self.reply(ask, reason, **values)

    def _scope(self, ask: Ask) -> tuple[Ref, ...]:
        """The objects meant; empty after a question back."""
        try:
            meant = self._investigator.resolve(ask.words)
        except MalformedReference as why:
            self.reply(ask, "desk-malformed", **because({}, why.reason, why.values))
            return ()
        if meant.refs:
            return meant.refs
        if meant.candidates:
            listed = ", ".join(str(one) for one in meant.candidates[:_MOST_CANDIDATES])
            self.reply(ask, "desk-which", count=str(len(meant.candidates)), candidates=listed)
        elif meant.unread:
            self.reply(ask, "desk-names-unread", sections=", ".join(one.value for one in meant.unread))
        else:
            self.reply(ask, "desk-nothing-named", words=" ".join(meant.unmatched), cluster=self._cluster)
        return ()

    def _answer(self, ask: Ask, scope: tuple[Ref, ...], diagnosis: Diagnosis) -> None:
        threads = self._threads
        there = threads.incidents.by_place(ask.place)
        if there is not None and there.opened_by != ask.id:
            there = threads.once(there, f"{ask.id}/answer", lambda one: one.answer(diagnosis))
            there = threads.summarise(there, f"{ask.id}/summary", diagnosis)
            self._offer(there, ask, diagnosis)
            return
        began = opening(cluster=self._cluster, request_id=ask.id, at=threads.clock.now(), place=ask.place, scope=scope)
        there = threads.post_root(threads.incidents.open(began), diagnosis)
        there = threads.summarise(there, f"{ask.id}/summary", diagnosis)
        self._offer(there, ask, diagnosis)

    def _offer(self, incident: Incident, ask: Ask, diagnosis: Diagnosis) -> None:
        """Whoever asked is the requester of the plan that the answer leads to."""
        if self._repair is not None:
            self._repair.offer(incident, diagnosis, self._actor_of(ask.user))
