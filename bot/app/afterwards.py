"""The port to what comes after a diagnosis, so that a bot without repair needs to know nothing of it."""

from __future__ import annotations

from typing import Protocol

from bot.app.requests import Notice, Press
from bot.model.diagnosis import Diagnosis
from bot.model.incident import Incident
from bot.remedy.plan import Actor


class Repair(Protocol):
    """What comes after the diagnosis: plans, offered in the incident's thread, and presses on them."""

    def offer(self, incident: Incident, diagnosis: Diagnosis, requester: Actor | None = None) -> None:
        """Offer the plan that the root leads to, if it leads to one; nobody asked for it where there is no requester.

        May come again for the same diagnosis, and then changes nothing.
        """
        ...

    def goes_on(self, incident: Incident) -> bool:
        """Whether the repair of the incident, whose alert is over and whose cause is not seen, is not over yet.

        Plans of which nothing was done end by this where what they repair is gone.
        """
        ...

    def handle(self, press: Press) -> None:
        """Do what a person pressed."""
        ...

    def notice(self, notice: Notice) -> None:
        """Write down and tell what concerns everybody who may approve."""
        ...
