"""The blanks of a runbook, and what the findings give for each. Never from chat, never from an LLM."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

import msgspec

from bot.knowledge.blanks import blanks, moment
from bot.model.diagnosis import Diagnosis, Key
from bot.model.findings import Finding
from bot.model.refs import Ref
from bot.remedy.runbook import Step

_SOURCE = re.compile(
    r"(?:(?P<code>[a-z0-9-]+)\.)?(?:subject|ref:(?P<role>[a-z0-9-]+)|value:(?P<value>[a-z0-9-]+))(?P<empty>\?)?"
)
_PARTS = ("name", "namespace")


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """Where a value comes from. Without `code` it is the root's; without `role` and `value` it is the subject."""

    code: str = ""
    role: str = ""
    value: str = ""
    may_be_empty: bool = False

    @property
    def is_ref(self) -> bool:
        """Whether it gives references rather than text."""
        return not self.value


class Filled(msgspec.Struct, frozen=True):
    """A blank's value; `refs` where it is made of references."""

    text: str
    refs: tuple[Ref, ...] = ()


#: Blank -> its value. A blank that is not here could not be filled.
Parameters = Mapping[str, Filled]


def source_of(text: str) -> Source | None:
    """Read `subject`, `ref:ROLE`, `value:NAME`, `CODE.…`, `…?`; None if it is none of these."""
    hit = _SOURCE.fullmatch(text)
    if hit is None:
        return None
    return Source(
        code=hit["code"] or "", role=hit["role"] or "", value=hit["value"] or "", may_be_empty=bool(hit["empty"])
    )


def blanks_of(step: Step) -> frozenset[str]:
    """Every blank of a step."""
    calls = (*step.precondition, step.verify)
    texts = (step.target, step.select, *step.params.values(), *step.commands)
    return frozenset().union(*map(blanks, texts), *(blanks(text) for call in calls for text in call.params.values()))


def names(parameters: Mapping[str, str]) -> frozenset[str]:
    """Every blank that these parameters can fill: themselves, and the parts of those that are references."""
    found = set(parameters)
    for name, text in parameters.items():
        source = source_of(text)
        if source is not None and source.is_ref:
            found |= {f"{name}-{part}" for part in _PARTS}
    return frozenset(found)


def resolve(sources: Mapping[str, str], diagnosis: Diagnosis, root: Key) -> Parameters:
    """The values that the findings of this root give."""
    belonging = belonging_to(diagnosis, root)
    found: dict[str, Filled] = {}
    for name, text in sources.items():
        source = source_of(text)
        if source is None:
            continue
        filled = _filled(source, [one for one in belonging if one.code == (source.code or root[0])])
        if filled.text or source.may_be_empty:
            found[name] = filled
            found |= _parts(name, filled)
    return found


def _filled(source: Source, findings: list[Finding]) -> Filled:
    if source.value:
        texts = [_text(one.values[source.value]) for one in findings if source.value in one.values]
        return Filled(",".join(dict.fromkeys(text for text in texts if text)))
    refs = [ref for one in findings for ref in (one.refs.get(source.role, ()) if source.role else (one.subject,))]
    unique = tuple(dict.fromkeys(refs))
    return Filled(",".join(path_of(ref) for ref in unique), unique)


def _text(value: str | int | datetime) -> str:
    return moment(value) if isinstance(value, datetime) else str(value)


def path_of(ref: Ref) -> str:
    """A reference without its kind: `kube-system/agent`, `omen2`."""
    return "/".join(part for part in (ref.namespace, ref.name) if part)


def _parts(name: str, filled: Filled) -> dict[str, Filled]:
    if len(filled.refs) != 1:
        return {}
    return {f"{name}-{part}": Filled(getattr(filled.refs[0], part)) for part in _PARTS}


def belonging_to(diagnosis: Diagnosis, root: Key) -> tuple[Finding, ...]:
    """The findings of a root's chain, and those about its subject or about what names the subject.

    A fault of another object that nothing links to the root is not among them.
    """
    chain, subject = diagnosis.chain_of(root), root[1]
    return tuple(one for one in diagnosis.findings if one.key in chain or _is_about(one, subject))


def _is_about(one: Finding, subject: Ref) -> bool:
    return one.subject == subject or subject in one.refs.get(subject.kind, ())
