"""What a section that was read only in part, or could not be read, does to the answers of the checks that read it.

What was found in it stands. What was not found in it proves nothing: the checks do not rule anything out by it, call
nothing the only one, and say that a part is missing. Objects that did not decode, and nodes that only their pods or
Leases still show, are such parts as well. A section that only sharpens a check's answer is missed as well where
reading it failed: the check did without it, but what it might have told is open. Of files nobody expects all sections.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bot.checks.check import Check
from bot.checks.views.unlisted import unlisted
from bot.diagnose.run import Answers, applicable
from bot.model.findings import Blind, Code, Kind
from bot.model.refs import CLUSTER
from bot.model.sections import Section, Unknown, UnknownReason
from bot.model.snapshot import Snapshot


def with_gaps(answers: Answers, checks: Iterable[Check], snapshot: Snapshot) -> Answers:
    """The answers without what rests on a whole section that is none, and with what is missing."""
    failed, parts = _failed(snapshot), {**_shown(snapshot), **snapshot.gaps}
    if not parts and not failed:
        return answers
    asked = tuple(applicable(checks, snapshot))
    touched = [(one, gaps) for one in asked if (gaps := _of(parts, one.reads + one.also_reads))]
    doubtful = {(kind, code) for check, _ in touched for code in check.codes for kind in _doubtful(check, code)}
    kept = tuple(one for one in answers.findings if (one.kind, one.code) not in doubtful)
    in_part = [
        # What did not decode, or is not listed, is required by itself already.
        _blind(check, section, "section-in-part", why, required=section in snapshot.gaps)
        for check, gaps in touched
        for section, why in gaps
    ]
    missed = [
        _blind(check, section, why.why, why, required=True)
        for check in asked
        # Without a section that it needs, a check says so itself.
        if not snapshot.unknown(check.reads)
        for section, why in _of(failed, check.also_reads)
    ]
    return Answers(kept, answers.blind + tuple(in_part + missed))


def _doubtful(check: Check, code: Code) -> Iterable[Kind]:
    return Kind if code in check.of_all else (Kind.RULED_OUT,)


def _shown(snapshot: Snapshot) -> dict[Section, Unknown]:
    """Sections that the picture itself shows not to be whole."""
    parts: dict[Section, list[str]] = {}
    for one in snapshot.unreadable:
        parts.setdefault(one.section, []).append(one.name)
    if names := unlisted(snapshot):
        parts.setdefault(Section.NODES, []).extend(names)
    return {section: Unknown(UnknownReason.FAILED, ", ".join(sorted(set(names)))) for section, names in parts.items()}


def _failed(snapshot: Snapshot) -> dict[Section, Unknown]:
    """Sections that were asked for in vain."""
    unknown = snapshot.unknown(Section)
    return {one: why for one, why in unknown.items() if why.reason is not UnknownReason.NOT_COLLECTED}


def _of(missing: Mapping[Section, Unknown], sections: Iterable[Section]) -> list[tuple[Section, Unknown]]:
    return [(one, missing[one]) for one in sections if one in missing]


def _blind(check: Check, section: Section, why: str, missing: Unknown, *, required: bool) -> Blind:
    return Blind(
        check=check.name,
        codes=check.codes,
        subject=CLUSTER,
        why=why,
        command=f"kubectl get {section.value} -A -o yaml",
        values=missing.about(section),
        sections=(section,),
        required=required,
    )
