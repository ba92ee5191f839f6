"""Where the API server serves an object."""

from __future__ import annotations

from urllib.parse import quote

import msgspec

from bot.model.refs import Ref


class Served(msgspec.Struct, frozen=True):
    """A resource: its API version (`v1`, `apps/v1`), its plural name, and whether its objects lie in namespaces."""

    api_version: str
    plural: str
    namespaced: bool = True


NODES = Served("v1", "nodes", namespaced=False)
PODS = Served("v1", "pods")
CONFIGMAPS = Served("v1", "configmaps")
DAEMONSETS = Served("apps/v1", "daemonsets")
DEPLOYMENTS = Served("apps/v1", "deployments")
LEASES = Served("coordination.k8s.io/v1", "leases")
BUDGETS = Served("policy/v1", "poddisruptionbudgets")
NODEPOOLS = Served("karpenter.sh/v1", "nodepools", namespaced=False)

#: By the kind of a reference: everything that a step can act on, or find its targets by.
BY_KIND = {
    "node": NODES,
    "pod": PODS,
    "configmap": CONFIGMAPS,
    "ds": DAEMONSETS,
    "deploy": DEPLOYMENTS,
    "nodepool": NODEPOOLS,
}


def path(served: Served, namespace: str = "", name: str = "", subresource: str = "") -> str:
    """The path of an object, of its subresource, or of a list."""
    root = f"/apis/{served.api_version}" if "/" in served.api_version else f"/api/{served.api_version}"
    scope = f"/namespaces/{quote(namespace, safe='')}" if served.namespaced and namespace else ""
    return "/".join(filter(None, (f"{root}{scope}/{served.plural}", quote(name, safe=""), subresource)))


def path_of(ref: Ref, subresource: str = "") -> str:
    """The path of the object that is meant.

    Raises:
        KeyError: no step acts on objects of this kind.
    """
    return path(BY_KIND[ref.kind], ref.namespace, ref.name, subresource)
