"""Claims and the freeze: what stands in the cluster itself, so that a Redis that lost its tail cannot repeat a step.

A claim is a Lease that is created once and never changed or deleted by the bot, whose role has no such right. The
freeze is a ConfigMap that the bot only reads: people make it, with kubectl if need be.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from hashlib import sha256
from typing import Any

import msgspec
import structlog

from bot.adapters.kubernetes.client import Client, NoReply, Write
from bot.adapters.kubernetes.paths import CONFIGMAPS, LEASES, path
from bot.adapters.kubernetes.replies import told
from bot.model.objects.meta import ObjectMeta
from bot.remedy.decision import Freeze
from bot.remedy.digest import digest_of
from bot.remedy.plan import Action, Actor, Earlier, Target

FREEZE = "autopsy-freeze"
TARGET = "autopsy.io/target"
DIGEST = "autopsy.io/digest"
APPROVERS = "autopsy.io/approvers"
STEP = "autopsy.io/step"
_OWNER = "app.kubernetes.io/managed-by"
_log = structlog.get_logger(__name__)


class Claimed(StrEnum):
    """What became of a claim."""

    OURS = "ours"
    THERE = "there"
    UNCLEAR = "unclear"


class _Claim(msgspec.Struct, frozen=True):
    metadata: ObjectMeta


class _Claims(msgspec.Struct, frozen=True):
    items: tuple[_Claim, ...] | None = None


class _FreezeMap(msgspec.Struct, frozen=True):
    data: dict[str, str] | None = None


class Claims:
    """The bot's own objects in its own namespace."""

    def __init__(self, client: Client, namespace: str) -> None:
        self._client = client
        self._namespace = namespace

    def claim(self, exec_id: str, action: Action, approvers: Sequence[Actor]) -> Claimed:
        """Create the claim of this step: only who gets `OURS` may take the way of the first dispatch."""
        write = Write(
            method="POST",
            path=path(LEASES, self._namespace),
            body=self._lease(exec_id, action, approvers),
            agent=f"x={exec_id}",
        )
        try:
            reply = self._client.send(write)
        except NoReply as why:
            _log.warning("claim_unclear", exec_id=exec_id, why=str(why))
            return Claimed.UNCLEAR
        if 200 <= reply.status < 300:
            return Claimed.OURS
        if reply.status == 409:
            return Claimed.THERE
        _log.warning("claim_unclear", exec_id=exec_id, why=f"HTTP {reply.status}: {told(reply)}")
        return Claimed.UNCLEAR

    def earlier(self, target: Target) -> tuple[Earlier, ...]:
        """Every step that was claimed on this target, oldest first.

        Raises:
            NoReply: the claims cannot be listed.
        """
        query = {"labelSelector": f"{TARGET}={label_of(target)}"}
        reply = self._client.get(path(LEASES, self._namespace), query)
        if reply.status != 200:
            raise NoReply(f"HTTP {reply.status}: {told(reply)}")
        try:
            found = msgspec.json.decode(reply.body, type=_Claims).items or ()
        except msgspec.DecodeError as why:
            raise NoReply(f"the list of claims cannot be read: {why}") from why
        by_age = sorted(found, key=lambda one: (str(one.metadata.creation_timestamp), one.metadata.name))
        return tuple(_earlier(one.metadata) for one in by_age)

    def frozen(self) -> Freeze:
        """Frozen where the ConfigMap stands, unless it says `frozen: "false"`, and where it cannot be read."""
        try:
            reply = self._client.get(path(CONFIGMAPS, self._namespace, FREEZE), {})
        except NoReply as why:
            return Freeze(frozen=True, why=f"{FREEZE} cannot be read: {why}")
        if reply.status == 404:
            return Freeze(frozen=False)
        if reply.status != 200:
            return Freeze(frozen=True, why=f"{FREEZE} cannot be read: HTTP {reply.status}: {told(reply)}")
        try:
            data = msgspec.json.decode(reply.body, type=_FreezeMap).data or {}
        except msgspec.DecodeError as why:
            return Freeze(frozen=True, why=f"{FREEZE} cannot be read: {why}")
        if data.get("frozen", "true").strip().lower() == "false":
            return Freeze(frozen=False)
        by = Actor(data["by"]) if data.get("by") else None
        return Freeze(frozen=True, why=data.get("why", f"ConfigMap {FREEZE}"), by=by)

    def _lease(self, exec_id: str, action: Action, approvers: Sequence[Actor]) -> dict[str, Any]:
        return {
            "apiVersion": LEASES.api_version,
            "kind": "Lease",
            "metadata": {
                "name": _name(exec_id),
                "namespace": self._namespace,
                "labels": {_OWNER: "gpu-autopsy", TARGET: label_of(action.target)},
                "annotations": {
                    DIGEST: digest_of(action),
                    APPROVERS: ",".join(one.id for one in approvers),
                    STEP: f"{action.runbook}/{action.step} {action.verb} {action.target.ref}",
                },
            },
            "spec": {"holderIdentity": exec_id},
        }


def _earlier(claim: ObjectMeta) -> Earlier:
    return Earlier(
        exec_id=claim.name.removeprefix(_name("")),
        what=claim.annotations.get(STEP, ""),
        at=claim.creation_timestamp,
    )


def label_of(target: Target) -> str:
    """A target as a label's value, which may not hold what names may."""
    return sha256(f"{target.ref} {target.uid} {target.select}".encode()).hexdigest()[:32]


def _name(exec_id: str) -> str:
    return f"autopsy-x-{exec_id}"
