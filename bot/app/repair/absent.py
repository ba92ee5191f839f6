"""Where no plan can be offered at all: says so, and why, wherever one would have been."""

from __future__ import annotations

from bot.app.repair.ports import Library
from bot.app.repair.posting import Postings
from bot.app.requests import Notice, Press
from bot.app.threads import Threads
from bot.model.diagnosis import Certainty, Diagnosis
from bot.model.incident import Incident
from bot.remedy.plan import Actor


class NoPlans:
    """Implements `app.afterwards.Repair`.

    Args:
        threads: the incidents' threads.
        postings: says it once in each of them, however many workers come to it.
        library: the runbooks: without one of the root there would be no plan in any case, and nothing is said.
        reason: why there are no plans, a key of the catalogue.
    """

    def __init__(self, threads: Threads, postings: Postings, library: Library, reason: str) -> None:
        self._threads = threads
        self._postings = postings
        self._library = library
        self._reason = reason

    def offer(self, incident: Incident, diagnosis: Diagnosis, requester: Actor | None = None) -> None:
        """Say once in the incident's thread why no plan follows."""
        observed = [one for one in diagnosis.roots if one.certainty is Certainty.OBSERVED]
        if any(self._library.for_root(str(one.finding.code)) for one in observed):
            self._postings.say(incident, self._reason, self._reason, {})

    def notice(self, notice: Notice) -> None:
        """Nothing: nobody approves here, and there is no audit to write it into."""

    def goes_on(self, incident: Incident) -> bool:
        """Nothing goes on where there are no plans."""
        return False

    def handle(self, press: Press) -> None:
        """Say it to whoever presses a button of an earlier plan, or gives a command about plans."""
        message = self._threads.presenter_of(press.place.channel).say(self._reason, {})
        if press.response_url:
            self._threads.poster.respond(press.response_url, message)
        else:
            self._threads.poster.post(press.place, message)
