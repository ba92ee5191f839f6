"""Why something is not done to an object, said so that people can read it in their own language."""

from __future__ import annotations

from bot.adapters.kubernetes.client import NoReply
from bot.app.repair.ports import CannotPrepare, Result
from bot.model.refs import Ref
from bot.remedy.events import Effect
from bot.remedy.rules import because


class NotDone(Exception):
    """`why` is a reason of the catalogue with `values`, or the server's own words."""

    def __init__(self, why: str, **values: str) -> None:
        super().__init__(why, values)
        self.why = why
        self.values = values


class Unfit(NotDone):
    """The object is not one that this can be done to. Nothing was changed."""


class Unreadable(NotDone):
    """The object cannot be read."""


class Gone(Unreadable):
    """The server says that there is no such object, or another one in its place."""

    def __init__(self, ref: Ref) -> None:
        super().__init__("repair-object-gone", subject=str(ref))


def unread(ref: Ref, problem: NotDone | NoReply) -> dict[str, str]:
    """The values of a reason about an object, with why it could not be read."""
    why = _known(problem)
    return because({"subject": str(ref)}, why.why, why.values)


def result_of(problem: NotDone | NoReply, result: Effect) -> Result:
    """The result of what could not be done."""
    why = _known(problem)
    return Result(result=result, why=why.why, values=why.values)


def cannot_prepare(problem: NotDone | NoReply) -> CannotPrepare:
    """The same for a step that is only prepared."""
    why = _known(problem)
    return CannotPrepare(why.why, why.values)


def _known(problem: NotDone | NoReply) -> NotDone:
    """The problem as a reason of the catalogue, also that there was no answer."""
    return NotDone("hands-no-reply", detail=str(problem)) if isinstance(problem, NoReply) else problem
