"""Who owns an object, and would undo a patch: an EKS add-on, Helm, Argo CD, Flux, a controller, or nobody.

Read from the object alone. What to hand over to each is `handover`'s.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

import msgspec

from bot.model.objects import KubeObject
from bot.model.objects.meta import ObjectMeta, ref_of
from bot.model.refs import Ref

_MANAGED_BY = "app.kubernetes.io/managed-by"
_NAME = "app.kubernetes.io/name"
_INSTANCE = "app.kubernetes.io/instance"
_HELM = "meta.helm.sh/release-"
_ARGOCD_TRACKING = "argocd.argoproj.io/tracking-id"
_ARGOCD_INSTANCE = "argocd.argoproj.io/instance"
#: Field managers of Argo CD: with client-side and with server-side apply.
_ARGOCD_MANAGERS = frozenset({"argocd-controller", "argocd-application-controller"})


class OwnerKind(StrEnum):
    """Who keeps an object as it is."""

    EKS_ADDON = "eks-addon"
    HELM = "helm"
    ARGOCD = "argocd"
    FLUX = "flux"
    CONTROLLER = "controller"
    """Another object of the cluster owns it, and its controller writes it again."""
    PLAIN = "plain"
    """Nobody: what is patched stays."""
    UNKNOWN = "unknown"


class Owner(msgspec.Struct, frozen=True, kw_only=True):
    """An owner by name: the add-on, the release, the application, the Flux object (`through` is its kind)."""

    kind: OwnerKind
    name: str = ""
    namespace: str = ""
    through: str = ""

    @property
    def keeps(self) -> bool:
        """Whether a patch may be undone: then the change is handed over."""
        return self.kind is not OwnerKind.PLAIN


UNKNOWN = Owner(kind=OwnerKind.UNKNOWN)


def owner_among(ref: Ref, objects: Iterable[KubeObject]) -> Owner:
    """The owner of the object that `ref` names; unknown where it is not among those that were read."""
    return next((owner_of(one.metadata) for one in objects if ref_of(one) == ref), UNKNOWN)


def owner_of(meta: ObjectMeta) -> Owner:
    """Who wrote its mark on the object; the one that would undo a patch soonest comes first.

    Sources: fluxcd.io (labels of kustomize- and helm-controller), argo-cd.readthedocs.io (resource tracking),
    docs.aws.amazon.com/eks (field management: manager `eks`), helm.sh (chart best practices, labels).
    """
    for found in (_flux(meta), _argocd(meta), _eks(meta), _helm(meta), _controller(meta)):
        if found is not None:
            return found
    managed = meta.labels.get(_MANAGED_BY, "")
    # A chart that was rendered and applied carries Helm's label too, and so does one of Argo CD that tracks by
    # label: only the field managers tell them apart.
    if managed and not (managed == "Helm" and meta.managed_fields):
        return Owner(kind=OwnerKind.UNKNOWN, name=managed)
    return Owner(kind=OwnerKind.PLAIN)


def _managers(meta: ObjectMeta) -> frozenset[str]:
    return frozenset(one.manager for one in meta.managed_fields)


def _flux(meta: ObjectMeta) -> Owner | None:
    for group, kind in (("helm", "helmrelease"), ("kustomize", "kustomization")):
        name = meta.labels.get(f"{group}.toolkit.fluxcd.io/name")
        if name:
            namespace = meta.labels.get(f"{group}.toolkit.fluxcd.io/namespace", "")
            return Owner(kind=OwnerKind.FLUX, name=name, namespace=namespace, through=kind)
    return None


def _argocd(meta: ObjectMeta) -> Owner | None:
    tracked = meta.annotations.get(_ARGOCD_TRACKING, "").partition(":")[0]
    name = tracked or meta.labels.get(_ARGOCD_INSTANCE, "")
    if not name and not _managers(meta) & _ARGOCD_MANAGERS:
        return None
    return Owner(kind=OwnerKind.ARGOCD, name=name or meta.labels.get(_INSTANCE, ""))


def _eks(meta: ObjectMeta) -> Owner | None:
    if meta.labels.get(_MANAGED_BY) != "EKS" and "eks" not in _managers(meta):
        return None
    return Owner(kind=OwnerKind.EKS_ADDON, name=meta.labels.get(_NAME) or meta.name)


def _helm(meta: ObjectMeta) -> Owner | None:
    name = meta.annotations.get(f"{_HELM}name", "")
    if not name and "helm" in _managers(meta):
        name = meta.labels.get(_INSTANCE, "")
    namespace = meta.annotations.get(f"{_HELM}namespace") or meta.namespace
    return Owner(kind=OwnerKind.HELM, name=name, namespace=namespace) if name else None


def _controller(meta: ObjectMeta) -> Owner | None:
    own = next((one for one in meta.owner_references if one.controller), None)
    return Owner(kind=OwnerKind.CONTROLLER, name=own.name, through=own.kind) if own else None
