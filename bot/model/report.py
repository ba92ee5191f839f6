"""The answer in words: what the terminal, Slack and `--json` show. Its JSON form is the public schema.

The schema version changes when a field goes away or changes its meaning; new fields may appear at any time.
`docs/report.md` explains the fields, `docs/report.schema.json` is generated from this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

import msgspec

from bot.model.diagnosis import Certainty, Verdict
from bot.model.findings import Kind, Means, Severity

SCHEMA = "gpu-autopsy.report/1"


class MomentSource(StrEnum):
    """Where the moment comes from that ages count from."""

    NOW = "now"
    ASKED = "asked"
    NEWEST = "newest-in-files"


class Quoted(msgspec.Struct, frozen=True, kw_only=True):
    """One observation, quoted as it stands.

    `source` says where it was read (`kubernetes`, `event`, `journal:kubelet`, ...), `object` is what it is about,
    `field` the path inside the object or the place in a text. `reported_by` is the person who pasted it, or the file
    that was handed over (`reported_as` says which): the bot did not read it itself.
    """

    source: str
    object: str
    field: str = ""
    quote: str = ""
    first_seen: datetime | None = None
    last_seen: datetime | None = None
    reported_by: str = ""
    reported_as: Means | None = None


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    """A finding in words: `title` in a few, `why` in a sentence (empty where the title says it all).

    `since` is None where the beginning is not known; `since_source` says which field tells it, `lasted` how long
    that was before the report's `at`, in words. Where it is another finding's beginning, `since_code` and
    `since_subject` name that one. `values` and `refs` are what the words were made of: numbers, moments as RFC 3339 has
    them, related objects by their role. Only a fault has a severity above `info`.
    """

    code: str
    kind: Kind
    severity: Severity
    certainty: Certainty
    subject: str
    title: str
    why: str = ""
    since: datetime | None = None
    since_source: str = ""
    since_code: str = ""
    since_subject: str = ""
    lasted: str = ""
    evidence: tuple[Quoted, ...] = ()
    values: Mapping[str, str | int] = {}
    refs: Mapping[str, tuple[str, ...]] = {}


class DoNot(Statement, frozen=True, kw_only=True):
    """What must not be touched: `what` says so in a few words (the title), `why` gives the reason."""

    what: str


class RootStatement(Statement, frozen=True, kw_only=True):
    """A root: `cause_seen` is false where what lies before it could not be looked at; `runbook` names the repair."""

    cause_seen: bool
    runbook: str = ""


class ChainLink(msgspec.Struct, frozen=True, kw_only=True):
    """One step of the chain, from a cause to its effect, with the words and the evidence of both ends."""

    cause: str
    cause_subject: str
    cause_title: str
    effect: str
    effect_subject: str
    effect_title: str
    certainty: Certainty
    why: str
    evidence: tuple[Quoted, ...] = ()


class NotSeen(msgspec.Struct, frozen=True, kw_only=True):
    """Something that could not be looked at, why, and the one command that settles it (empty if there is none).

    `codes` are the faults that stay open because of it; where it leaves none open, whatever else does.
    """

    what: str
    why: str
    command: str = ""
    subject: str = ""
    codes: tuple[str, ...] = ()


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """One answer, root first, in one language. Names and quotes are never translated.

    `at_where` is the object and field that hold `at`, where it was read from files. `chain` runs from each root to
    its leaves. `affected` holds each object once. `findings` is what was found about the question, and what `verdict`
    was judged by: it is `broken` if any of them is above `info`. `elsewhere` is what was found beside the question.
    """

    schema: str = SCHEMA
    cluster: str
    lang: str
    scope: tuple[str, ...]
    at: datetime
    at_source: MomentSource
    at_where: str = ""
    verdict: Verdict
    headline: str
    roots: tuple[RootStatement, ...] = ()
    chain: tuple[ChainLink, ...] = ()
    affected: tuple[Statement, ...] = ()
    facts: tuple[Statement, ...] = ()
    ruled_out: tuple[Statement, ...] = ()
    proves_nothing: tuple[Statement, ...] = ()
    not_seen: tuple[NotSeen, ...] = ()
    not_examined: tuple[Statement, ...] = ()
    others_acting: tuple[Statement, ...] = ()
    do_not: tuple[DoNot, ...] = ()
    next_step: str = ""
    reported_by: tuple[str, ...] = ()
    findings: tuple[Statement, ...] = ()
    elsewhere: tuple[Statement, ...] = ()


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """What stands in the place of a report where there is none: nothing could be asked, or something broke."""

    schema: str = SCHEMA
    verdict: Verdict = Verdict.UNKNOWN
    error: str
