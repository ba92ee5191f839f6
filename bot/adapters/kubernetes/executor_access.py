"""What the executor may do in a cluster: exactly what its verbs need, generated as the reader's rules are.

`deploy/kubernetes/executor/roles.yaml` is written by `python -m bot.adapters.kubernetes.executor_access`; a test
compares. What can start any container (a workload's template) or hold any setting (a ConfigMap) is limited by name.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import msgspec
import yaml

from bot.adapters.kubernetes.claims import FREEZE
from bot.checks.views.gpu_conditions import MONITOR
from bot.remedy.runbook import Verb

NAME = "gpu-autopsy-executor"
CLAIMS = "gpu-autopsy-claims"
#: The EKS node monitoring agent's objects (its chart 1.7.0) and Karpenter's own Deployment (its chart 1.14).
_AGENT = f"eks-{MONITOR}"
_AGENT_CONFIG = f"{_AGENT}-monitor-config"
_KARPENTER = "karpenter"


class Right(msgspec.Struct, frozen=True, order=True):
    """Verbs of the API on one resource, on all of its objects or on those of these names."""

    group: str
    resource: str
    verbs: tuple[str, ...]
    names: tuple[str, ...] = ()

    def rule(self) -> dict[str, list[str]]:
        """The rule of a role."""
        names = {"resourceNames": list(self.names)} if self.names else {}
        return {"apiGroups": [self.group], "resources": [self.resource], **names, "verbs": list(self.verbs)}


_NODES = Right("", "nodes", ("get", "patch"))
_WORKLOADS = (
    Right("apps", "daemonsets", ("get", "patch"), (_AGENT,)),
    Right("apps", "deployments", ("get", "patch"), (_KARPENTER,)),
)
#: What each verb asks of the API server.
RIGHTS: Mapping[Verb, tuple[Right, ...]] = {
    Verb.LABEL_NODE: (_NODES,),
    Verb.CORDON: (_NODES,),
    Verb.UNCORDON: (_NODES,),
    Verb.EVICT_POD: (
        Right("", "pods", ("get",)),
        Right("", "pods/eviction", ("create",)),
        Right("policy", "poddisruptionbudgets", ("list",)),
    ),
    Verb.ROLLOUT_RESTART: _WORKLOADS,
    Verb.PATCH_CONFIGMAP: (Right("", "configmaps", ("get", "patch"), (_AGENT_CONFIG,)),),
    Verb.SET_ENV: _WORKLOADS,
    Verb.CLEAR_CONDITION: (
        Right("", "nodes", ("get", "list")),
        Right("", "nodes/status", ("patch",)),
        Right("karpenter.sh", "nodepools", ("get",)),
    ),
}
#: In the bot's own namespace. There is no right to change or delete a claim.
OWN = (
    Right("", "configmaps", ("get",), (FREEZE,)),
    Right("coordination.k8s.io", "leases", ("create", "list")),
)


def rules() -> list[dict[str, list[str]]]:
    """One rule for each resource, with every verb that some step needs."""
    verbs: dict[tuple[str, str, tuple[str, ...]], set[str]] = {}
    for right in (right for rights in RIGHTS.values() for right in rights):
        verbs.setdefault((right.group, right.resource, right.names), set()).update(right.verbs)
    found = [Right(group, resource, tuple(sorted(its)), names) for (group, resource, names), its in verbs.items()]
    return [right.rule() for right in sorted(found)]


def roles() -> list[dict[str, Any]]:
    """The ClusterRole, and the Role in the bot's namespace."""
    api = "rbac.authorization.k8s.io/v1"
    return [
        {"apiVersion": api, "kind": "ClusterRole", "metadata": {"name": NAME}, "rules": rules()},
        {"apiVersion": api, "kind": "Role", "metadata": {"name": CLAIMS}, "rules": [one.rule() for one in OWN]},
    ]


def manifest() -> str:
    """The file's text."""
    head = "# Written by `python -m bot.adapters.kubernetes.executor_access`: what its verbs need.\n"
    return head + yaml.safe_dump_all(roles(), sort_keys=False)


if __name__ == "__main__":
    sys.stdout.write(manifest())
