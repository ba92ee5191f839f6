"""What stands on the cluster of the replacement loop: the monitor's DaemonSet with its settings, Karpenter."""

from __future__ import annotations

from tests.support.kubeapi import Json

#: As Karpenter's Deployment has them at first.
GATES = "SpotToSpotConsolidation=false,NodeRepair=true"
_AGENT = "eks-node-monitoring-agent"
_CONFIG = f"{_AGENT}-monitor-config"
_SYSTEM = "kube-system"
KARPENTER: Json = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "karpenter", "namespace": _SYSTEM},
}


def agent(*, configured: bool, **labels: str) -> list[Json]:
    """The monitor's DaemonSet; `configured` as its chart makes it where monitors have settings."""
    volumes = [{"name": "monitor-config", "configMap": {"name": _CONFIG}}] if configured else []
    containers = [{"name": _AGENT, "image": f"registry.example/eks/{_AGENT}:v1.7.0"}]
    meta = {"namespace": _SYSTEM, "labels": {"k8s-app": _AGENT, **labels}}
    config = {"config.yaml": "monitors:\n  nvidia:\n    enabled: true\n"}
    made: list[Json] = [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {**meta, "name": _CONFIG}, "data": config},
        {
            "apiVersion": "apps/v1",
            "kind": "DaemonSet",
            "metadata": {**meta, "name": _AGENT},
            "spec": {
                "selector": {"matchLabels": {"k8s-app": _AGENT}},
                "template": {
                    "metadata": {"labels": {"k8s-app": _AGENT}},
                    "spec": {
                        "containers": containers,
                        "tolerations": [{"operator": "Exists"}],
                        "volumes": volumes,
                    },
                },
            },
        },
    ]
    return made if configured else made[1:]


def deployed() -> list[Json]:
    """Karpenter's Deployment, on a node that is none of its own."""
    variables = [{"name": "FEATURE_GATES", "value": GATES}]
    controller = {"name": "controller", "image": "registry.example/karpenter:1.14.1", "env": variables}
    node: Json = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": "system",
            "annotations": {"kwok.x-k8s.io/node": "fake"},
            "labels": {"for": "karpenter"},
        },
        "status": {"allocatable": {"cpu": "8", "memory": "16Gi", "pods": "50"}},
    }
    spec = {"containers": [controller], "nodeSelector": {"for": "karpenter"}}
    labels = {"app.kubernetes.io/name": "karpenter"}
    deployment: Json = {
        **KARPENTER,
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": spec},
        },
    }
    return [node, deployment]


def gates_of(deployment: Json) -> str:
    """`FEATURE_GATES` of Karpenter's Deployment."""
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    return next(str(one["value"]) for one in container["env"] if one["name"] == "FEATURE_GATES")
