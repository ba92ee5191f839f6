"""What of an LLM's text may stand: only what the findings that it cites say as well.

Checked are the form, the numbers, the names, the quotations, good and bad words against the kind of finding, causes
against the links of the diagnosis, and that nothing gives advice. It cannot be checked which way round a sentence
tells a link, so the rendered summary always stands below the deterministic chain, never instead of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Annotated

import msgspec

from bot.model.diagnosis import Certainty, Key
from bot.model.findings import Kind
from bot.model.summary import Claim, Summary
from bot.narrate.prompt import Brief

LONGEST_REPLY = 16_000

_FENCE = re.compile(r"\A\s*```(?:json)?\s*\n(.*)\n\s*```\s*\Z", re.DOTALL)
_ACTIVE = re.compile(r"<[^<>]*>|(?:https?:)?//\S+|\bwww\.\S+|@\w[\w.-]*")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
#: What looks like a name: a digit, a hyphen, a dot, a slash or an underscore inside a word of ASCII letters.
_NAME = re.compile(r"[A-Za-z0-9]+(?:[-._/:][A-Za-z0-9]+)+|[A-Za-z]+\d[A-Za-z0-9]*|\d+[A-Za-z][A-Za-z0-9]*")
_QUOTED = re.compile(r"[\"“”«»`‘’]([^\"“”«»`‘’]{2,})[\"“”«»`‘’]")
_WORD = re.compile(r"[A-Za-z0-9]+")
_CAUSAL = re.compile(
    r"(?i)\bcaus|\bbecause\b|\bdue to\b|\bled to\b|\bleads? to\b|\bresult|\btherefore\b|\bthus\b|\bhence\b|\bso that\b"
    r"|\bmakes?\b|\bmade\b|\btrigger|때문|원인|인해|이어|로 인|초래|결과"
)
_WELL_WORDS = r"(?:healthy|fine|ok|okay|(?<!as )well|working|works|normal|correct|ready|succeed\w*)\b"
_BAD_WORDS = r"(?:fail\w*|broken|unhealthy|down|wrong|faulty|dead|crash\w*|missing|expired)\b"
_WELL = re.compile(rf"(?i)\b{_WELL_WORDS}|정상(?!이? ?(?:아니|아님))|이상 ?없|문제 ?없")
_BAD = re.compile(rf"(?i)\b{_BAD_WORDS}|장애|실패|고장|이상이 있")
#: A good or bad word that is denied says neither; in Korean the denial follows and stands in the patterns above.
_DENIED = re.compile(
    rf"(?i)(?:\b(?:not?|never|cannot|nothing)\b|n't)[\s-]+(?:\w+[\s-]+){{0,2}}?(?:{_WELL_WORDS}|{_BAD_WORDS})"
)
_RULED_OUT = re.compile(r"(?i)\bruled out\b|배제")
_ADVICE = re.compile(
    r"(?i)\b(?:should|please|must|recommend\w*|kubectl|systemctl|swapoff|sudo|helm|run|execute|delete|remove|restart"
    r"|reboot|drain|cordon|patch|apply|approve)\b|하십시오|하세요|해야|권장|실행하|삭제하|재시작하"
)


class _ToldClaim(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    claim: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    cites: Annotated[tuple[str, ...], msgspec.Meta(min_length=1, max_length=8)]
    kind: Certainty


class _Reply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    headline: Annotated[str, msgspec.Meta(min_length=1, max_length=140)]
    chain: Annotated[tuple[_ToldClaim, ...], msgspec.Meta(min_length=1, max_length=6)]
    unknowns: Annotated[tuple[Annotated[str, msgspec.Meta(max_length=200)], ...], msgspec.Meta(max_length=5)] = ()


def grounded(reply: str, evidence: Brief) -> Summary | None:
    """The summary without what nothing supports; None if it is no summary, or more than a third of it fell."""
    told = _parsed(reply)
    if told is None:
        return None
    headline = _stripped(told.headline)
    claims = [
        Claim(_stripped(one.claim), _keys(one, evidence), one.kind) for one in told.chain if _holds(one, evidence)
    ]
    unknowns = [
        text for one in told.unknowns if _supported(text := _stripped(one), evidence.told, evidence, evidence.open)
    ]
    headline_holds = _headline_holds(headline, evidence)
    asked = 1 + len(told.chain) + len(told.unknowns)
    kept = headline_holds + len(claims) + len(unknowns)
    if not claims or 3 * (asked - kept) > asked:
        return None
    return Summary(headline=headline if headline_holds else "", claims=tuple(claims), unknowns=tuple(unknowns))


def _parsed(reply: str) -> _Reply | None:
    if len(reply) > LONGEST_REPLY:
        return None
    fenced = _FENCE.match(reply)
    try:
        return msgspec.json.decode(fenced[1] if fenced else reply, type=_Reply, strict=True)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None


def _holds(one: _ToldClaim, evidence: Brief) -> bool:
    text, cites = _stripped(one.claim), one.cites
    if not all(cite in evidence.findings for cite in cites) or not _supported(text, cites, evidence):
        return False
    if one.kind is Certainty.OBSERVED and evidence.inferred & set(cites):
        return False
    kinds = {evidence.findings[cite].kind for cite in cites}
    return _polarity_fits(text, kinds) and _links_hold(text, one, evidence)


def _supported(text: str, cites: Iterable[str], evidence: Brief, more: str = "") -> bool:
    """Whether every number, name and quotation stands in what is cited, and nothing gives advice."""
    if not text or _ADVICE.search(text):
        return False
    cited = " ".join((*(evidence.told[cite] for cite in cites), more))
    numbers = set(_NUMBER.findall(cited))
    if any(number not in numbers for number in _NUMBER.findall(_NAME.sub(" ", text))):
        return False
    if not all(_stands_in(name, cited) for name in (*_NAME.findall(text), *_QUOTED.findall(text))):
        return False
    words = {word.casefold() for word in _WORD.findall(text)}
    return all(_stands_in(name, cited) for name in _object_names(evidence) & words)


def _stands_in(name: str, cited: str) -> bool:
    """Whole, not as a part of a longer word: `omen2` does not stand in `omen21`."""
    return bool(re.search(rf"(?i)(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])", cited))


def _object_names(evidence: Brief) -> set[str]:
    """Names of objects, also those that look like any other word."""
    refs = [one.subject for one in evidence.findings.values()]
    refs += [ref for one in evidence.findings.values() for many in one.refs.values() for ref in many]
    return {ref.name.casefold() for ref in refs if ref.name}


def _polarity_fits(text: str, kinds: set[Kind]) -> bool:
    """Good words need something that is well; bad words need something that is not."""
    rest = _DENIED.sub(" ", text)
    if _WELL.search(rest) and kinds <= {Kind.FAULT}:
        return False
    return not (_BAD.search(rest) and kinds <= {Kind.RULED_OUT} and not _RULED_OUT.search(rest))


def _headline_holds(text: str, evidence: Brief) -> bool:
    """It cites nothing, so it is held against everything: no good word about faults, no cause between two chains."""
    faults = {number for number, one in evidence.findings.items() if one.kind is Kind.FAULT}
    if not _supported(text, evidence.told, evidence) or (faults and not _polarity_fits(text, {Kind.FAULT})):
        return False
    roots = faults - {effect for _, effect in evidence.links}
    return not _CAUSAL.search(text) or (bool(evidence.links) and len(roots) == 1)


def _links_hold(text: str, one: _ToldClaim, evidence: Brief) -> bool:
    """Faults told in one breath have to hang together: each leads to the next one cited; a cause needs two."""
    faults = [cite for cite in one.cites if evidence.findings[cite].kind is Kind.FAULT]
    steps = list(pairwise(faults))
    if not all(step in evidence.links for step in steps) or (_CAUSAL.search(text) and not steps):
        return False
    return one.kind is Certainty.INFERRED or all(evidence.links[step] is Certainty.OBSERVED for step in steps)


def _keys(one: _ToldClaim, evidence: Brief) -> tuple[Key, ...]:
    return tuple(evidence.findings[cite].key for cite in one.cites)


def _stripped(text: str) -> str:
    return " ".join(_ACTIVE.sub(" ", text).split())
