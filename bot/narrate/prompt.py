"""What an LLM is told: the numbered, redacted evidence of one diagnosis.

The numbers tie its words to findings again (see `grounding`). Nothing here asks it for an action.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from typing import Any

import msgspec

from bot.knowledge.blanks import moment
from bot.model.diagnosis import Certainty, Diagnosis, Key
from bot.model.findings import Evidence, Finding, Kind
from bot.narrate.duration import lasted
from bot.narrate.reach import Reach
from bot.narrate.redact import REDACTED, redact

#: About 4,000 tokens of evidence at most: chains are short, what hangs on them may be long.
_FINDINGS = 30
_QUOTES = 2
_QUOTE = 300
_GAPS = 10
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


class Brief(msgspec.Struct, frozen=True, kw_only=True):
    """The evidence as it was told, and what its numbers mean.

    `told` is what was told of each finding, by its number; `links` are pairs of numbers with their certainty; `open`
    is what was told of things not seen.
    """

    text: str
    told: Mapping[str, str]
    findings: Mapping[str, Finding]
    inferred: frozenset[str]
    links: Mapping[tuple[str, str], Certainty]
    open: str
    lang: str


def brief(diagnosis: Diagnosis, lang: str) -> Brief:
    """Number what touches the question: the chains first, then what is ruled out and what else was found."""
    reach = Reach(diagnosis)
    chosen = [reach.findings[key] for key in reach.keys]
    for kind in (Kind.FACT, Kind.RULED_OUT, Kind.PROVES_NOTHING, Kind.ACTING):
        chosen += [one for one in reach.of_kind(kind) if reach.touches(one)]
    numbered = {f"f{place}": one for place, one in enumerate(chosen[:_FINDINGS], start=1)}
    number_of: dict[Key, str] = {one.key: number for number, one in numbered.items()}
    told = {number: _told(one, diagnosis, lang) for number, one in numbered.items()}
    links = {
        (number_of[link.cause], number_of[link.effect]): link.certainty
        for link in diagnosis.links
        if link.cause in number_of and link.effect in number_of
    }
    gaps = [
        _clean({"codes": list(one.codes), "subject": str(one.subject), "why": one.why}) for one in reach.blind()[:_GAPS]
    ]
    data = {
        "findings": [{"id": number, **one} for number, one in told.items()],
        "links": [{"cause": cause, "effect": effect, "certainty": how} for (cause, effect), how in links.items()],
        "not_seen": gaps,
    }
    return Brief(
        text=f"LANGUAGE {lang}\nBEGIN EVIDENCE\n{_json(data)}\nEND EVIDENCE",
        told={number: _texts(one) for number, one in told.items()},
        findings=numbered,
        inferred=frozenset(number for number, one in numbered.items() if one.key in diagnosis.inferred),
        links=links,
        open=_texts(gaps),
        lang=lang,
    )


def _told(one: Finding, diagnosis: Diagnosis, lang: str) -> dict[str, Any]:
    told: dict[str, Any] = {
        "code": str(one.code),
        "kind": one.kind.value,
        "certainty": (Certainty.INFERRED if one.key in diagnosis.inferred else Certainty.OBSERVED).value,
        "subject": str(one.subject),
        "values": {key: str(value) for key, value in one.values.items()},
        "related": {role: [str(ref) for ref in refs] for role, refs in one.refs.items()},
        "quotes": [_quote(quote) for quote in one.evidence[:_QUOTES]],
    }
    if one.onset:
        told["since"] = moment(one.onset.at)
        told["lasted"] = lasted(one.onset.at, diagnosis.at, lang)
    cleaned: dict[str, Any] = _clean(told)
    return cleaned


def _quote(one: Evidence) -> dict[str, str]:
    """A quote, without the value of an environment variable, whatever it looks like."""
    quote = REDACTED if "env" in one.field.lower() else one.quote
    told = {"source": one.source, "object": str(one.object), "field": one.field, "quote": quote}
    if one.reporter:
        told["pasted_by"] = one.reporter.name
    return told


def _clean(value: Any) -> Any:
    """Every text inside, normalised, without hidden characters, redacted, cut."""
    if isinstance(value, dict):
        return {_clean(key): _clean(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_clean(one) for one in value]
    shown = "".join(
        " " if unicodedata.category(char) in _HIDDEN else char for char in unicodedata.normalize("NFKC", value)
    )
    return redact(shown)[:_QUOTE]


def _texts(value: Any) -> str:
    """Every text inside, without the names of fields."""
    if isinstance(value, str):
        return value
    return "\n".join(_texts(one) for one in (value.values() if isinstance(value, dict) else value))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
