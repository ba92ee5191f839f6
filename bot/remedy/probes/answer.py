"""What a probe is and what it answers: it holds, it does not yet, or nobody can tell; with evidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum

import msgspec

from bot.checks.evidence import quoted
from bot.model.findings import Evidence
from bot.model.refs import Ref
from bot.model.sections import NotInstalled, Section, Unknown
from bot.model.snapshot import Snapshot
from bot.remedy.runbook import ProbeCall


class Answer(StrEnum):
    """What can be said; "not yet" is for whoever waits to turn into "fails"."""

    HOLDS = "holds"
    NOT_YET = "not-yet"
    CANNOT_TELL = "cannot-tell"


class ProbeAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The answer, its reason key with values, and what it rests on."""

    answer: Answer
    why: str
    values: Mapping[str, str] = {}
    evidence: tuple[Evidence, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether it was seen."""
        return self.answer is Answer.HOLDS


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """One probe as a function of the picture, the call and the object that the step acts on.

    Attributes:
        holds_when: what has to be seen, in one sentence for whoever writes a runbook.
        ask: the function itself; it is called through the question, which looks after parameters.
        reads: sections that it needs; without one of them it cannot tell.
        needs: names of parameters that must be there.
        may: names of further parameters. `command` may stand anywhere: it is for people.
        lasts: it looks itself, in the objects' own times, whether it has held for `lasting` seconds.
    """

    holds_when: str
    ask: Callable[[Snapshot, ProbeCall, Ref], ProbeAnswer]
    reads: tuple[Section, ...] = ()
    needs: frozenset[str] = frozenset()
    may: frozenset[str] = frozenset()
    lasts: bool = False

    def __call__(self, snapshot: Snapshot, call: ProbeCall, target: Ref) -> ProbeAnswer:
        """Ask; what cannot be asked for want of a parameter or a read is not told."""
        lacking = [name for name in sorted(self.needs) if not call.params.get(name)]
        if lacking:
            return malformed(", ".join(lacking))
        for section, value in snapshot.unknown(self.reads).items():
            return unread(section.value, value)
        for section in self.reads:
            if isinstance(snapshot.section(section), NotInstalled):
                return not_yet("repair-sees-no-kind", {"section": section.value})
        return self.ask(snapshot, call, target)

    def flaws(self, call: ProbeCall) -> tuple[str, ...]:
        """Names of parameters that are missing or that it does not have, and `lasting` where that means nothing."""
        given = set(call.params) - {"command"}
        idle = {"lasting"} if call.lasting and not self.lasts else set()
        return tuple(sorted((self.needs - given) | (given - self.needs - self.may) | idle))


def holds(why: str, values: Mapping[str, str], *evidence: Evidence) -> ProbeAnswer:
    """It was seen."""
    return ProbeAnswer(answer=Answer.HOLDS, why=why, values=values, evidence=evidence)


def not_yet(why: str, values: Mapping[str, str], *evidence: Evidence) -> ProbeAnswer:
    """It was looked at and is otherwise."""
    return ProbeAnswer(answer=Answer.NOT_YET, why=why, values=values, evidence=evidence)


def cannot_tell(why: str, values: Mapping[str, str], *evidence: Evidence) -> ProbeAnswer:
    """It could not be looked at."""
    return ProbeAnswer(answer=Answer.CANNOT_TELL, why=why, values=values, evidence=evidence)


def malformed(what: str) -> ProbeAnswer:
    """The call itself cannot be asked."""
    return cannot_tell("repair-probe-malformed", {"what": what})


def unread(section: str, value: Unknown) -> ProbeAnswer:
    """A section that could not be read."""
    return cannot_tell(value.why, value.about(section))


def compared(snapshot: Snapshot, about: Ref, field: str, seen: str, wanted: str) -> ProbeAnswer:
    """One field of an object against what it should be; `seen` is quoted as of the picture's moment."""
    evidence = quoted(about, field, seen, last=snapshot.at)
    values = {"subject": str(about), "field": field, "seen": seen or "-", "wanted": wanted or "-"}
    if seen == wanted:
        return holds("repair-sees", values, evidence)
    return not_yet("repair-sees-other", values, evidence)
