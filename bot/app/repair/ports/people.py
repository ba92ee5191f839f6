"""The port of who may press."""

from __future__ import annotations

from typing import Protocol

from bot.remedy.events import Person
from bot.remedy.plan import Actor

#: Why nothing can be said of Slack's people where Slack is not asked, as in a terminal: a reason of the catalogue.
NOT_ASKED_HERE = "approver-not-asked-here"


class Authority(Protocol):
    """Who may approve, read at the moment of asking; a failed look-up is a no with its reason."""

    def may(self, actor: Actor) -> Person:
        """Whether this actor may choose, approve, deny and report."""
        ...

    def others(self, actor: Actor) -> tuple[Actor, ...]:
        """Who else may approve, as far as that is known: whom a break-glass skips."""
        ...
