"""Who owns an object, by the marks on it: one owner after the other, then two at once."""

from __future__ import annotations

from typing import Any

import pytest

from bot.model.objects import Deployment
from bot.model.refs import Ref
from bot.remedy.owners import Owner, OwnerKind, owner_among, owner_of
from tests.support.objects import decoded, thing

MANAGED = "app.kubernetes.io/managed-by"
HELM = {"meta.helm.sh/release-name": "karpenter", "meta.helm.sh/release-namespace": "kube-system"}
FLUX = {"helm.toolkit.fluxcd.io/name": "karp", "helm.toolkit.fluxcd.io/namespace": "flux-system"}
KUSTOMIZE = {"kustomize.toolkit.fluxcd.io/name": "infra", "kustomize.toolkit.fluxcd.io/namespace": "flux-system"}
TRACKED = {"argocd.argoproj.io/tracking-id": "infra:apps/Deployment:kube-system/karpenter"}


def deployment(
    labels: dict[str, str] | None = None,
    annotations: dict[str, str] | None = None,
    managers: tuple[str, ...] = (),
    **meta: Any,
) -> Deployment:
    fields = [{"manager": one, "operation": "Apply"} for one in managers]
    meta |= {"labels": labels or {}, "annotations": annotations or {}, "managedFields": fields}
    return decoded(thing("Deployment", "karpenter", "kube-system", api="apps/v1", meta=meta), Deployment)


@pytest.mark.parametrize(
    ("one", "kind", "name", "namespace"),
    [
        (deployment(), OwnerKind.PLAIN, "", ""),
        (deployment(managers=("kubectl-client-side-apply",)), OwnerKind.PLAIN, "", ""),
        (deployment({MANAGED: "EKS", "app.kubernetes.io/name": "agent"}), OwnerKind.EKS_ADDON, "agent", ""),
        (deployment(managers=("eks", "kube-controller-manager")), OwnerKind.EKS_ADDON, "karpenter", ""),
        (deployment({MANAGED: "Helm"}, HELM), OwnerKind.HELM, "karpenter", "kube-system"),
        (
            deployment({MANAGED: "Helm", "app.kubernetes.io/instance": "karp"}, managers=("helm",)),
            OwnerKind.HELM,
            "karp",
            "kube-system",
        ),
        # A chart that somebody rendered and applied, told from one that nobody can tell.
        (deployment({MANAGED: "Helm"}, managers=("kubectl-client-side-apply",)), OwnerKind.PLAIN, "", ""),
        (deployment({MANAGED: "Helm"}), OwnerKind.UNKNOWN, "Helm", ""),
        (deployment({MANAGED: "pulumi"}, managers=("pulumi-kubernetes",)), OwnerKind.UNKNOWN, "pulumi", ""),
        (deployment(annotations=TRACKED), OwnerKind.ARGOCD, "infra", ""),
        (deployment({"argocd.argoproj.io/instance": "infra"}), OwnerKind.ARGOCD, "infra", ""),
        (
            deployment({MANAGED: "Helm", "app.kubernetes.io/instance": "karp"}, managers=("argocd-controller",)),
            OwnerKind.ARGOCD,
            "karp",
            "",
        ),
        (deployment(FLUX, HELM), OwnerKind.FLUX, "karp", "flux-system"),
        (deployment(KUSTOMIZE), OwnerKind.FLUX, "infra", "flux-system"),
        (
            deployment(ownerReferences=[{"kind": "NodePolicy", "name": "np", "controller": True}]),
            OwnerKind.CONTROLLER,
            "np",
            "",
        ),
    ],
)
def test_the_marks_on_an_object_say_who_owns_it(one: Deployment, kind: OwnerKind, name: str, namespace: str) -> None:
    found = owner_of(one.metadata)
    assert (found.kind, found.name, found.namespace) == (kind, name, namespace)


@pytest.mark.parametrize("kind", list(OwnerKind))
def test_only_what_nobody_owns_keeps_a_patch(kind: OwnerKind) -> None:
    assert Owner(kind=kind).keeps is (kind is not OwnerKind.PLAIN)


def test_flux_says_through_what() -> None:
    assert owner_of(deployment(FLUX).metadata).through == "helmrelease"
    assert owner_of(deployment(KUSTOMIZE).metadata).through == "kustomization"


def test_what_was_not_read_has_an_unknown_owner() -> None:
    objects = [deployment(annotations=HELM)]
    assert owner_among(Ref("deploy", "karpenter", "kube-system"), objects).kind is OwnerKind.HELM
    assert owner_among(Ref("deploy", "karpenter", "karpenter"), objects).kind is OwnerKind.UNKNOWN
