"""Small Kubernetes objects for tests, as plain data."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def node(name: str, **meta: Any) -> Json:
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, **meta}}


def pod(name: str, node_name: str = "", **meta: Any) -> Json:
    """A pod of one container, `main`, bound to a node if one is named."""
    spec: Json = {"containers": [{"name": "main", "image": "registry.example/main:1"}]}
    if node_name:
        spec["nodeName"] = node_name
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default", **meta}, "spec": spec}


def event(name: str, about: str, **fields: Any) -> Json:
    """An event in `default` about a pod."""
    involved = {"kind": "Pod", "name": about, "namespace": "default"}
    meta = {"name": name, "namespace": "default"}
    return {"apiVersion": "v1", "kind": "Event", "metadata": meta, "involvedObject": involved, **fields}


def node_pool(name: str, **meta: Any) -> Json:
    """A NodePool that the real CustomResourceDefinition takes."""
    reference = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "gpu"}
    template = {"spec": {"nodeClassRef": reference, "requirements": []}}
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": name, **meta},
        "spec": {"template": template},
    }


def instance(name: str, phase: str) -> Json:
    """A VirtualMachineInstance; its status is written with it."""
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachineInstance",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"domain": {"devices": {}}},
        "status": {"phase": phase},
    }


def workload(kind: str, name: str, *env: Json, **spec: Any) -> Json:
    """A Deployment or DaemonSet in `default` with one container, `main`."""
    labels = {"app": name}
    container = {"name": "main", "image": "registry.example/main:1", **({"env": list(env)} if env else {})}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"selector": {"matchLabels": labels}, "template": template, **spec},
    }


def config_map(name: str, namespace: str = "default", **data: str) -> Json:
    meta = {"name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": data}


def budget(name: str, **labels: str) -> Json:
    """A disruption budget in `default` that wants one pod of these labels."""
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": labels}},
    }
