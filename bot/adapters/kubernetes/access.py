"""What the bot may read in a cluster: the rules of its ClusterRole, from what the adapter asks for.

`deploy/kubernetes/clusterrole.yaml` is written by `python -m bot.adapters.kubernetes.access`; a test compares.
"""

from __future__ import annotations

import sys
from typing import Any

import yaml

from bot.adapters.kubernetes.identity import SYSTEM
from bot.model.sections import RESOURCES, Section

NAME = "gpu-autopsy-reader"
_VERBS = ["get", "list"]


def rules() -> list[dict[str, list[str]]]:
    """One rule per API group, read verbs only; logs are a subresource of their own, and one namespace is read."""
    groups: dict[str, set[str]] = {}
    for resource in RESOURCES.values():
        groups.setdefault(resource.group, set()).add(resource.section.value)
    found = [
        {"apiGroups": [group], "resources": sorted(names), "verbs": list(_VERBS)}
        for group, names in sorted(groups.items())
    ]
    logs = {"apiGroups": [""], "resources": [f"{Section.PODS.value}/log"], "verbs": ["get"]}
    # Its uid says which cluster this is.
    system = {"apiGroups": [""], "resources": ["namespaces"], "resourceNames": [SYSTEM], "verbs": ["get"]}
    return [*found, logs, system]


def cluster_role() -> dict[str, Any]:
    """The ClusterRole object."""
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": NAME},
        "rules": rules(),
    }


def manifest() -> str:
    """The file's text."""
    head = "# Written by `python -m bot.adapters.kubernetes.access`: what the bot reads, and no verb that writes.\n"
    return head + yaml.safe_dump(cluster_role(), sort_keys=False)


if __name__ == "__main__":
    sys.stdout.write(manifest())
