"""An EKS add-on's owner: what people change through the cloud's API arrives in the cluster as the add-on writes it."""

from __future__ import annotations

from bot.playground.physics.api import Api
from bot.playground.physics.monitor import DAEMONSET

_CONFIGMAPS = "/api/v1/namespaces/kube-system/configmaps"
_NAME = "eks-node-monitoring-agent-monitor-config"


def nvidia_monitor_off(api: Api) -> None:
    """The add-on's configuration values with `monitors.nvidia.enabled: false`: a ConfigMap, mounted."""
    data = {"config.yaml": "monitors:\n  nvidia:\n    enabled: false\n"}
    api.create(
        _CONFIGMAPS,
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": _NAME, "namespace": "kube-system"},
            "data": data,
        },
    )
    volumes = [{"name": "monitor-config", "configMap": {"name": _NAME}}]
    api.patch(DAEMONSET, {"spec": {"template": {"spec": {"volumes": volumes}}}})


def upgraded(api: Api, version: str) -> None:
    """Another version of the add-on: the tag of its images."""
    daemonset = api.get(DAEMONSET)
    if daemonset is None:
        raise ValueError(f"{DAEMONSET}: not there")
    containers = daemonset["spec"]["template"]["spec"]["containers"]
    fresh = [{**one, "image": f"{one['image'].rpartition(':')[0]}:{version}"} for one in containers]
    api.patch(DAEMONSET, {"spec": {"template": {"spec": {"containers": fresh}}}})
