"""Claims and the freeze: what stands in the cluster itself, so that a Redis that lost its tail cannot repeat a step.

A claim is a Lease that is created once and never changed or deleted by the bot, whose role has no such right. The
freeze is a ConfigMap that the bot only reads: people make it, with kubectl if need be.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import msgspec

from bot.adapters.kubernetes.classify import Meaning, meaning, words
from bot.adapters.kubernetes.client import Client, NoReply, Reply, Write
from bot.adapters.kubernetes.notdone import result_of
from bot.adapters.kubernetes.paths import CONFIGMAPS, LEASES, path
from bot.adapters.kubernetes.replies import told
from bot.app.repair.ports import Claimed, ClaimResult
from bot.model.objects.meta import KubeStruct, ObjectMeta
from bot.remedy.decision import Freeze
from bot.remedy.digest import digest_of
from bot.remedy.events import Effect
from bot.remedy.plan import Action, Actor, Earlier, Holder, Target

FREEZE = "autopsy-freeze"
TARGET = "autopsy.io/target"
DIGEST = "autopsy.io/digest"
APPROVERS = "autopsy.io/approvers"
STEP = "autopsy.io/step"
AUDIT = "autopsy.io/audit"
#: Of a claim that names nobody; the bot's own always does.
NOBODY = "(nobody)"
_OWNER = "app.kubernetes.io/managed-by"
_TOO_MANY = 429


class _Spec(KubeStruct, frozen=True, kw_only=True):
    holder_identity: str | None = None


class _Claim(msgspec.Struct, frozen=True):
    metadata: ObjectMeta
    spec: _Spec = _Spec()


class _Claims(msgspec.Struct, frozen=True):
    items: tuple[_Claim, ...] | None = None


class _FreezeMap(msgspec.Struct, frozen=True):
    data: dict[str, str] | None = None


class Claims:
    """The bot's own objects in its own namespace."""

    def __init__(self, client: Client, namespace: str) -> None:
        self._client = client
        self._namespace = namespace

    def claim(self, exec_id: str, action: Action, approvers: Sequence[Actor], holder: Holder) -> Claimed:
        """Create the claim of this step: only who gets `ours` may take the way of the first dispatch."""
        write = Write(
            method="POST",
            path=path(LEASES, self._namespace),
            body=self._lease(exec_id, action, approvers, holder),
            agent=f"x={exec_id}",
        )
        try:
            reply = self._client.send(write)
        except NoReply as why:
            unclear = result_of(why, Effect.UNCLEAR)
            return Claimed(result=ClaimResult.UNCLEAR, why=unclear.why, values=unclear.values)
        if reply.status == 409:
            return Claimed(result=ClaimResult.THERE, holder=self._holder(exec_id))
        return Claimed(result=_result(reply), why=words(reply))

    def _holder(self, exec_id: str) -> Holder:
        """Who claimed this step, as its claim says; nobody is named where it cannot be read."""
        try:
            reply = self._client.get(
                path(LEASES, self._namespace), {"fieldSelector": f"metadata.name={_name(exec_id)}"}
            )
            found = msgspec.json.decode(reply.body, type=_Claims).items if reply.status == 200 else None
        except (NoReply, msgspec.DecodeError):
            return Holder()
        if not found:
            return Holder()
        return Holder(owner=found[0].spec.holder_identity or NOBODY, audit=found[0].metadata.annotations.get(AUDIT, ""))

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
            raise NoReply(f"leases: {why}") from why
        by_age = sorted(found, key=lambda one: (str(one.metadata.creation_timestamp), one.metadata.name))
        return tuple(_earlier(one.metadata) for one in by_age)

    def frozen(self) -> Freeze:
        """Frozen where the ConfigMap stands, unless it says `frozen: "false"`, and where it cannot be read."""
        try:
            reply = self._client.get(path(CONFIGMAPS, self._namespace, FREEZE), {})
        except NoReply as why:
            return _unread(str(why))
        if reply.status == 404:
            return Freeze(frozen=False)
        if reply.status != 200:
            return _unread(f"HTTP {reply.status}: {told(reply)}")
        try:
            data = msgspec.json.decode(reply.body, type=_FreezeMap).data or {}
        except msgspec.DecodeError as why:
            return _unread(str(why))
        if data.get("frozen", "true").strip().lower() == "false":
            return Freeze(frozen=False)
        by = Actor(data["by"]) if data.get("by") else None
        return Freeze(frozen=True, why=data.get("why", f"freeze-configmap {FREEZE}"), by=by)

    def _lease(self, exec_id: str, action: Action, approvers: Sequence[Actor], holder: Holder) -> dict[str, Any]:
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
                    AUDIT: holder.audit,
                    STEP: f"{action.runbook}/{action.step} {action.verb} {action.target.ref}",
                },
            },
            "spec": {"holderIdentity": holder.owner},
        }


def _unread(detail: str) -> Freeze:
    return Freeze(frozen=True, why=f"freeze-configmap-unread {detail}")


def _result(reply: Reply) -> ClaimResult:
    """What an answer to the creation means: a definite refusal stays one, except that there were too many requests."""
    found = meaning(reply)
    if found is Meaning.DONE:
        return ClaimResult.OURS
    is_no = found in (Meaning.REFUSED, Meaning.CHANGED_SINCE) and reply.status != _TOO_MANY
    return ClaimResult.REFUSED if is_no else ClaimResult.UNCLEAR


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
