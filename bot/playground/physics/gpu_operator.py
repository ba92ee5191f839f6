"""The NVIDIA GPU Operator: which operands a node gets follows its workload mode.

Measured with the operator of 2026-08: about a second after the label turns, the deploy labels are swapped and the
pods of the other mode are deleted; on a node whose kubelet is dead they stay Terminating.
"""

from __future__ import annotations

from datetime import datetime

from bot.playground.physics.api import NODES, PODS, Api, Object, path_of

MODE = "nvidia.com/gpu.workload.config"
_DEPLOY = "nvidia.com/gpu.deploy."
_DAEMONSETS = "/apis/apps/v1/namespaces/gpu-operator/daemonsets"
_PODS = "/api/v1/namespaces/gpu-operator/pods"
#: Operands by mode, as the suffixes of their deploy labels.
OPERANDS = {
    "container": ("container-toolkit", "dcgm-exporter", "device-plugin", "gpu-feature-discovery", "operator-validator"),
    "vm-passthrough": ("sandbox-device-plugin", "sandbox-validator", "vfio-manager"),
}


class GpuOperator:
    """Keeps deploy labels and operand pods as the node's mode asks."""

    def step(self, api: Api, _now: datetime) -> None:
        """Reconcile every GPU node."""
        sets = api.list(_DAEMONSETS)
        pods = api.list(_PODS)
        for node in api.list(NODES):
            if node["metadata"].get("labels", {}).get("nvidia.com/gpu.present") == "true":
                labels = self._labelled(api, node)
                for one in sets:
                    self._reconcile(api, one, node["metadata"]["name"], labels, pods)

    def _labelled(self, api: Api, node: Object) -> dict[str, str]:
        labels: dict[str, str] = node["metadata"]["labels"]
        wanted = {_DEPLOY + name for name in OPERANDS.get(labels.get(MODE, "container"), ())}
        known = {_DEPLOY + name for names in OPERANDS.values() for name in names}
        change = {
            key: "true" if key in wanted else None for key in known if (labels.get(key) == "true") != (key in wanted)
        }
        if change:
            api.patch(f"{NODES}/{node['metadata']['name']}", {"metadata": {"labels": change}})
        return {**{key: value for key, value in labels.items() if key not in known}, **dict.fromkeys(wanted, "true")}

    def _reconcile(self, api: Api, daemonset: Object, node: str, labels: dict[str, str], pods: list[Object]) -> None:
        template = daemonset["spec"]["template"]
        selector: dict[str, str] = template["spec"].get("nodeSelector", {})
        if not any(key.startswith(_DEPLOY) for key in selector):
            return
        name = daemonset["metadata"]["name"]
        mine = [pod for pod in pods if pod["spec"].get("nodeName") == node and _owner(pod) == name]
        wanted = all(labels.get(key) == value for key, value in selector.items())
        for pod in mine:
            if not wanted and "deletionTimestamp" not in pod["metadata"]:
                api.delete(path_of(PODS, pod))
        if wanted and not mine:
            api.create(_PODS, _new_pod(daemonset, node))


def _new_pod(daemonset: Object, node: str) -> Object:
    meta, template = daemonset["metadata"], daemonset["spec"]["template"]
    owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": meta["name"], "uid": meta["uid"], "controller": True}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "generateName": f"{meta['name']}-",
            "namespace": "gpu-operator",
            "labels": template["metadata"].get("labels", {}),
            "ownerReferences": [owner],
        },
        "spec": {**template["spec"], "nodeName": node, "priorityClassName": None},
    }


def _owner(pod: Object) -> str:
    return next(
        (str(one["name"]) for one in pod["metadata"].get("ownerReferences", ()) if one["kind"] == "DaemonSet"), ""
    )
