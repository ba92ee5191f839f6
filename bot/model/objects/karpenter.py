"""Karpenter's objects."""

from __future__ import annotations

from bot.model.objects.meta import Condition, KubeObject, KubeStruct


class NodeClaimStatus(KubeStruct, frozen=True, kw_only=True):
    """A NodeClaim's `status`."""

    node_name: str = ""
    provider_id: str = ""
    image_id: str = ""
    capacity: dict[str, str] = {}
    conditions: tuple[Condition, ...] = ()


class NodeClaim(KubeObject, frozen=True, kw_only=True):
    """karpenter.sh/v1 NodeClaim: one machine that Karpenter asked for."""

    status: NodeClaimStatus = NodeClaimStatus()


class NodePoolStatus(KubeStruct, frozen=True, kw_only=True):
    """A NodePool's `status`."""

    nodes: int | None = None
    conditions: tuple[Condition, ...] = ()


class NodePool(KubeObject, frozen=True, kw_only=True):
    """karpenter.sh/v1 NodePool."""

    status: NodePoolStatus = NodePoolStatus()
