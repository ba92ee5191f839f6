"""Karpenter's objects."""

from __future__ import annotations

from bot.model.objects.meta import Condition, KubeObject, KubeStruct


class NodeClaimStatus(KubeStruct, frozen=True, kw_only=True):
    """A NodeClaim's `status`."""

    node_name: str = ""
    conditions: tuple[Condition, ...] = ()


class NodeClaim(KubeObject, frozen=True, kw_only=True):
    """karpenter.sh/v1 NodeClaim: one machine that Karpenter asked for."""

    status: NodeClaimStatus = NodeClaimStatus()


class NodePoolStatus(KubeStruct, frozen=True, kw_only=True):
    """A NodePool's `status`."""

    conditions: tuple[Condition, ...] = ()


class NodePool(KubeObject, frozen=True, kw_only=True):
    """karpenter.sh/v1 NodePool."""

    status: NodePoolStatus = NodePoolStatus()
