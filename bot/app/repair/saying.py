"""What a press on a plan says: the event that is then decided, made anew for every try.

Between two tries the plan may have changed, and so may who is allowed what.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bot.app.repair.attributing import SaidByPerson, asked, of_step, said_by_person
from bot.app.repair.ports import Authority
from bot.app.repair.preparing import Refused
from bot.app.repair.reporting import Reports
from bot.app.requests import Press, PressKind
from bot.remedy.events import Aborted, Approved, BrokeGlass, Denied, Event, Reported, Resolution, Resolved
from bot.remedy.plan import Identity, Plan

#: A button shows at least so many digits of its step's digest.
_SHOWN_DIGITS = 32
EventOf = Callable[[Plan], Event]
#: What is pressed on one step.
OF_A_STEP = frozenset(
    {
        PressKind.APPROVE,
        PressKind.DENY,
        PressKind.BREAK_GLASS,
        PressKind.REPORT,
        PressKind.RESOLVE,
        PressKind.UNDO,
    }
)


class Sayings:
    """Makes the events of presses.

    Args:
        reports: judges what people paste.
        authority: who may, and who is who.
    """

    def __init__(self, reports: Reports, authority: Authority) -> None:
        self._reports = reports
        self._authority = authority
        self._makers: Mapping[PressKind, Callable[[Press], EventOf]] = {
            PressKind.APPROVE: self._approve,
            PressKind.DENY: self._deny,
            PressKind.BREAK_GLASS: self._break_glass,
            PressKind.REPORT: self._report,
            PressKind.RESOLVE: self._resolve,
            PressKind.ABORT: self._abort,
        }

    def of(self, press: Press) -> EventOf | None:
        """What makes the event of this press for a plan as it is then; None for a kind that is decided in another way.

        Making it raises `Refused` where the press says what nobody can decide.
        """
        maker = self._makers.get(press.kind)
        return maker(press) if maker else None

    def _said(self, press: Press) -> SaidByPerson:
        """Made anew for every try, as the event is: the authority of who pressed is what it is by then."""
        return said_by_person(press, self._authority.may(press.actor))

    def _known(self, press: Press, plan: Plan) -> Mapping[str, Identity]:
        return of_step(self._authority, plan, press.step)

    def _approve(self, press: Press) -> EventOf:
        return lambda plan: Approved(
            **self._said(press), known=self._known(press, plan), step=press.step, digest=shown_digest(plan, press)
        )

    def _deny(self, press: Press) -> EventOf:
        return lambda plan: Denied(
            **self._said(press), step=press.step, digest=shown_digest(plan, press), reason=press.reason
        )

    def _break_glass(self, press: Press) -> EventOf:
        return lambda plan: BrokeGlass(
            **self._said(press),
            known=self._known(press, plan),
            step=press.step,
            digest=shown_digest(plan, press),
            reason=press.reason,
            skipped=self._authority.others(press.actor),
        )

    def _report(self, press: Press) -> EventOf:
        def event(plan: Plan) -> Event:
            judged = self._reports.judge(plan.step(press.step), press.text, press.actor, press.at)
            return Reported(
                **self._said(press),
                **asked(self._authority, plan, press.step),
                step=press.step,
                result=judged.result,
                why=judged.why,
                values=judged.values,
                evidence=judged.evidence,
            )

        return event

    def _resolve(self, press: Press) -> EventOf:
        return lambda plan: Resolved(
            **self._said(press),
            known=self._known(press, plan),
            step=press.step,
            result=_resolution(press),
            reason=press.reason,
        )

    def _abort(self, press: Press) -> EventOf:
        return lambda _: Aborted(**self._said(press), reason=press.reason)


def _resolution(press: Press) -> Resolution:
    """What the press says became of the step.

    Raises:
        Refused: nothing that can become of one.
    """
    try:
        return Resolution(press.option)
    except ValueError:
        raise Refused("repair-no-such-result", {"step": press.step, "result": press.option}) from None


def shown_digest(plan: Plan, press: Press) -> str:
    """The digest of the step that the button showed: a button has room for a part of it."""
    whole = plan.step(press.step).digest
    is_shown = len(press.digest) >= _SHOWN_DIGITS and whole.startswith(press.digest)
    return whole if is_shown else press.digest
