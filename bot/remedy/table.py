"""Everything that can happen to a step and to a plan: state and cause, and the states that they may lead to.

Whatever is not here changes nothing. Which of several states it becomes, and whether the cause counts at all, is for
the rules (`voting`, `running`, `reporting`, `temporary`, `timing`); they cannot leave what is written here (`moved`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

import msgspec

from bot.remedy.plan import PlanState, PlanStep, StepState


class Cause(StrEnum):
    """What moves a step or a plan: the events by their names, and three things that come by themselves."""

    CHOSEN = "chosen"
    APPROVED = "approved"
    DENIED = "denied"
    BROKE_GLASS = "broke-glass"
    BEGUN = "begun"
    DISPATCHED = "dispatched"
    OUTCOME = "outcome"
    VERIFIED = "verified"
    REPORTED = "reported"
    ADOPTED = "adopted"
    RESOLVED = "resolved"
    ABORTED = "aborted"
    SUPERSEDED = "superseded"
    TAKEN_BACK = "taken-back"
    GONE = "gone"
    TICKED = "ticked"
    OPENED = "opened"
    """All steps before are done."""
    LAPSED = "lapsed"
    """The window is over."""
    PLAN_OVER = "plan-over"
    """The plan ended by another of its steps."""


_S = StepState
_C = Cause

STEPS: Mapping[tuple[StepState, Cause], frozenset[StepState]] = {
    (_S.PENDING, _C.OPENED): frozenset({_S.AWAITING}),
    (_S.PENDING, _C.ABORTED): frozenset({_S.ABORTED}),
    (_S.PENDING, _C.SUPERSEDED): frozenset({_S.SUPERSEDED}),
    (_S.AWAITING, _C.APPROVED): frozenset({_S.AWAITING, _S.APPROVED}),
    (_S.AWAITING, _C.DENIED): frozenset({_S.DENIED}),
    (_S.AWAITING, _C.BROKE_GLASS): frozenset({_S.APPROVED}),
    (_S.AWAITING, _C.REPORTED): frozenset({_S.AWAITING, _S.ATTESTED}),
    (_S.AWAITING, _C.VERIFIED): frozenset({_S.VERIFIED, _S.FAILED, _S.UNKNOWN}),
    (_S.AWAITING, _C.ABORTED): frozenset({_S.ABORTED}),
    (_S.AWAITING, _C.SUPERSEDED): frozenset({_S.SUPERSEDED}),
    (_S.AWAITING, _C.LAPSED): frozenset({_S.EXPIRED}),
    (_S.APPROVED, _C.DENIED): frozenset({_S.DENIED}),
    (_S.APPROVED, _C.BEGUN): frozenset({_S.INTENT}),
    # What people do themselves, once others agreed to it.
    (_S.APPROVED, _C.REPORTED): frozenset({_S.APPROVED, _S.ATTESTED}),
    (_S.APPROVED, _C.VERIFIED): frozenset({_S.VERIFIED}),
    (_S.APPROVED, _C.ABORTED): frozenset({_S.ABORTED}),
    (_S.APPROVED, _C.SUPERSEDED): frozenset({_S.SUPERSEDED}),
    (_S.APPROVED, _C.LAPSED): frozenset({_S.EXPIRED}),
    # Nothing was sent yet: everything is asked anew, and whoever says no is heard.
    (_S.INTENT, _C.DISPATCHED): frozenset({_S.DISPATCHED, _S.FAILED}),
    (_S.INTENT, _C.DENIED): frozenset({_S.DENIED}),
    (_S.INTENT, _C.ABORTED): frozenset({_S.ABORTED}),
    (_S.INTENT, _C.PLAN_OVER): frozenset({_S.ABORTED}),
    (_S.INTENT, _C.OUTCOME): frozenset({_S.APPLIED, _S.FAILED, _S.UNKNOWN, _S.SUPERSEDED}),
    (_S.INTENT, _C.ADOPTED): frozenset({_S.INTENT}),
    (_S.DISPATCHED, _C.OUTCOME): frozenset({_S.APPLIED, _S.FAILED, _S.UNKNOWN, _S.SUPERSEDED}),
    (_S.DISPATCHED, _C.ADOPTED): frozenset({_S.DISPATCHED}),
    (_S.APPLIED, _C.VERIFIED): frozenset({_S.VERIFIED, _S.FAILED, _S.UNKNOWN}),
    (_S.APPLIED, _C.ADOPTED): frozenset({_S.APPLIED}),
    (_S.ATTESTED, _C.VERIFIED): frozenset({_S.VERIFIED}),
    (_S.UNKNOWN, _C.RESOLVED): frozenset({_S.UNKNOWN, _S.ATTESTED, _S.FAILED}),
    # It stays what it was: only nobody is reminded of it any more.
    **{
        (one, cause): frozenset({one})
        for one in (_S.VERIFIED, _S.ATTESTED, _S.FAILED, _S.UNKNOWN)
        for cause in (_C.TAKEN_BACK, _C.GONE)
    },
}

#: The request may be on its way or its effect unproven: one step of a plan at a time.
IN_FLIGHT = frozenset({_S.INTENT, _S.DISPATCHED, _S.APPLIED})

_OVER = (PlanState.HALTED, PlanState.ABORTED, PlanState.SUPERSEDED)
#: A plan in one of these begins nothing any more; what it began may still await its outcome (`rules.is_over`).
FINISHED = frozenset({PlanState.DONE, *_OVER})

#: In which states of the plan a cause counts. What began before a plan was over still gets its outcome.
PLANS: Mapping[Cause, frozenset[PlanState]] = {
    _C.CHOSEN: frozenset({PlanState.CHOOSING}),
    **dict.fromkeys((_C.ABORTED, _C.SUPERSEDED), frozenset({PlanState.CHOOSING, PlanState.ACTIVE})),
    _C.TICKED: frozenset(PlanState),
    **dict.fromkeys(
        (_C.APPROVED, _C.DENIED, _C.BROKE_GLASS, _C.REPORTED, _C.BEGUN, _C.DISPATCHED, _C.OPENED, _C.LAPSED),
        frozenset({PlanState.ACTIVE}),
    ),
    **dict.fromkeys((_C.OUTCOME, _C.ADOPTED, _C.RESOLVED), frozenset({PlanState.ACTIVE, *_OVER})),
    _C.PLAN_OVER: frozenset(_OVER),
    **dict.fromkeys((_C.VERIFIED, _C.TAKEN_BACK, _C.GONE), frozenset({PlanState.ACTIVE, *FINISHED})),
}


class NotInTable(AssertionError):
    """A rule tried a transition that the table does not have: a fault of the program, and nothing is changed."""


def moved(step: PlanStep, cause: Cause, to: StepState, now: datetime, **changes: object) -> PlanStep:
    """The step in its next state; what a freeze held is held no more once it has left that state.

    Raises:
        NotInTable: see there.
    """
    if to not in STEPS.get((step.state, cause), frozenset()):
        raise NotInTable(f"{step.action.step}: {step.state} -> {to} by {cause}")
    since = step.changed_at if to is step.state else now
    held = step.held and to is step.state
    return msgspec.structs.replace(step, state=to, changed_at=since, held=held, **changes)
