"""The ports of what changes the cluster, and of what has to be read before it is changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Protocol

import msgspec

from bot.model.findings import Evidence
from bot.model.objects import ConfigMap
from bot.model.refs import Ref
from bot.model.sections import Unknown
from bot.remedy.decision import Freeze
from bot.remedy.events import Effect
from bot.remedy.owners import Owner
from bot.remedy.plan import Action, Actor, Earlier, Holder, Note, Target
from bot.remedy.runbook import Verb


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """A step that is not bound yet: what would be done to what."""

    verb: Verb
    target: Ref
    select: str = ""
    params: Mapping[str, str] = {}
    cap: int = 1


class Prepared(msgspec.Struct, frozen=True, kw_only=True):
    """A draft bound to the live cluster: the object's uid, the fields that matter, the dry run's difference.

    `earlier` are the steps that the bot has claimed on the same object, oldest first, however long ago; `notes` what
    people have to know besides.
    """

    target: Target
    fingerprint: Mapping[str, str] = {}
    diff: str = ""
    earlier: tuple[Earlier, ...] = ()
    notes: tuple[Note, ...] = ()


class CannotPrepare(Exception):
    """The dry run or its reads failed; nothing was changed.

    `why` is a reason of the catalogue with `values`, or the server's own words.
    """

    def __init__(self, why: str, values: Mapping[str, str] = MappingProxyType({})) -> None:
        super().__init__(why, dict(values))
        self.why = why
        self.values = values


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a request. `why` is a reason of the catalogue with `values`, or the server's own words."""

    result: Effect
    why: str = ""
    values: Mapping[str, str] = {}
    evidence: tuple[Evidence, ...] = ()


class ClaimResult(StrEnum):
    """What became of a claim."""

    OURS = "ours"
    """Created now."""
    THERE = "there"
    """It exists; the holder says whose it is."""
    REFUSED = "refused"
    """The server says no."""
    UNCLEAR = "unclear"
    """It may exist, and another try may create it."""


class Claimed(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a claim. `why` is a reason of the catalogue with `values`, or the server's own words."""

    result: ClaimResult
    why: str = ""
    values: Mapping[str, str] = {}
    holder: Holder | None = None


class Hands(Protocol):
    """The executor that speaks to the Kubernetes API. Every mutation is sent once, without a hidden retry."""

    def prepare(self, draft: Draft) -> Prepared:
        """Read and dry-run.

        Raises:
            CannotPrepare: see there.
        """
        ...

    def claim(self, exec_id: str, action: Action, approvers: Sequence[Actor], holder: Holder) -> Claimed:
        """Create the claim object of this step, once for ever: only whose it is by the answer may send its request."""
        ...

    def act(self, exec_id: str, action: Action) -> Result:
        """Re-read, compare, dry-run, then do it once with a precondition."""
        ...

    def observe(self, exec_id: str, action: Action) -> Result:
        """What the cluster shows of an earlier, unclear try: applied, refused (it did not happen) or unclear."""
        ...

    def frozen(self) -> Freeze:
        """The freeze that stands in the cluster; unreadable is frozen."""
        ...


class ConfigMaps(Protocol):
    """ConfigMaps, by their names only: whoever lists them sees everybody's configuration."""

    def configmaps(self, refs: Sequence[Ref]) -> tuple[ConfigMap, ...] | Unknown:
        """Those of them that are there; unknown where one could not be read."""
        ...


class Owners(Protocol):
    """Who owns an object that a step would change."""

    def owner(self, ref: Ref) -> Owner:
        """Read now (`owners.owner_of`); unknown where it could not be read."""
        ...
