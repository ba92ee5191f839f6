"""The answer in words: what the terminal, Slack and `--json` show. Its JSON form is the public schema.

The schema version changes when a field goes away or changes its meaning; new fields may appear at any time.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

import msgspec

from bot.model.diagnosis import Certainty, Verdict
from bot.model.findings import Code, Evidence, Kind, Severity

SCHEMA = "gpu-autopsy.report/1"


class MomentSource(StrEnum):
    """Where the moment comes from that ages count from."""

    NOW = "now"
    ASKED = "asked"
    NEWEST = "newest-in-files"


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    """A finding in words: `title` in a few, `why` in a sentence (empty where the title says it all)."""

    code: Code
    kind: Kind
    severity: Severity
    certainty: Certainty
    subject: str
    title: str
    why: str = ""
    since: datetime | None = None
    since_source: str = ""
    evidence: tuple[Evidence, ...] = ()


class RootStatement(Statement, frozen=True, kw_only=True):
    """A root: `cause_seen` is false where what lies before it could not be looked at; `runbook` names the repair."""

    cause_seen: bool
    runbook: str = ""


class ChainLink(msgspec.Struct, frozen=True, kw_only=True):
    """One step of the chain, from a cause to its effect, with the words of both ends."""

    cause: Code
    cause_subject: str
    cause_title: str
    effect: Code
    effect_subject: str
    effect_title: str
    certainty: Certainty
    why: str
    evidence: tuple[Evidence, ...] = ()


class NotSeen(msgspec.Struct, frozen=True, kw_only=True):
    """Something that could not be looked at, why, and the one command that settles it (empty if there is none)."""

    what: str
    why: str
    command: str = ""
    subject: str = ""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """One answer, root first, in one language. Names and quotes are never translated."""

    schema: str = SCHEMA
    cluster: str
    lang: str
    scope: tuple[str, ...]
    at: datetime
    at_source: MomentSource
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
    do_not: tuple[Statement, ...] = ()
    next_step: str = ""
    reported_by: tuple[str, ...] = ()
    findings: tuple[Statement, ...] = ()
