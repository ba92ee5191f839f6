"""For each verb a small scene: the object as it is, the step, what the step makes of it, and what makes it drift."""

from __future__ import annotations

from typing import Any

import msgspec

from bot.app.repair.ports import Draft
from bot.remedy.plan import Actor, Holder
from bot.remedy.runbook import Verb
from tests.support.kubeapi import Json, KubeApi
from tests.support.steps import draft, exec_id
from tests.support.things import config_map, node, node_pool, pod, workload

#: Called as in a real cluster: the executor's role knows them by name.
AGENT, CONFIG_MAP = "eks-node-monitoring-agent", "eks-node-monitoring-agent-monitor-config"
MODE = "nvidia.com/gpu.workload.config"
GATES = {"name": "FEATURE_GATES", "value": "SpotToSpotConsolidation=false,NodeRepair=true"}
CONFIG = "monitors:\n  kernel-monitor:\n    enabled: true\n  nvidia:\n    enabled: true\n"
BAD = "AcceleratedHardwareReady"
EXEC = exec_id("one")
APPROVERS = (Actor("slack:T0TEAM/U0ONCALL"), Actor("k8s:admin"))
HOLDER = Holder(owner="executor/1", audit="42:9f3c")


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """One verb on one kind of object.

    Attributes:
        thing: what is acted on, as it is created; `status` is written afterwards.
        diff: what the dry run must show.
        field: where the effect shows, as keys; entries of lists by their name or type.
        before: the value there, and after: the one that the step sets.
        drift: a merge patch by somebody else after which the step may not run; empty where nothing can drift.
    """

    step: Draft
    thing: Json
    diff: str
    field: tuple[str, ...]
    before: Any
    after: Any
    status: Json = {}
    drift: Json = {}

    def play(self, api: KubeApi) -> None:
        """Create the objects."""
        if self.thing["kind"] == "Pod":
            api.create(node("n1"))
        self.again(api)

    def again(self, api: KubeApi) -> None:
        """Create the object that is acted on."""
        api.create(self.thing)
        if self.status:
            api.merge(self.thing, {"status": self.status}, "status")

    def recreate(self, api: KubeApi) -> None:
        """Another object under the same name."""
        api.delete(self.thing, gracePeriodSeconds=0)
        self.again(api)

    def value(self, api: KubeApi) -> Any:
        """What the field holds now; None where it is not there."""
        found: Any = api.get(self.thing)
        for key in self.field:
            if isinstance(found, list):
                found = next((one for one in found if key in (one.get("name"), one.get("type"))), None)
            else:
                found = (found or {}).get(key)
        return found

    def marks(self, api: KubeApi) -> str:
        """The exec id that the object carries."""
        return str((api.get(self.thing)["metadata"].get("annotations") or {}).get("autopsy.io/exec-id", ""))


def _env(kind: str) -> tuple[str, ...]:
    return ("spec", "template", "spec", "containers", "main", "env", kind, "value")


_RESTARTED = ("spec", "template", "metadata", "annotations", "autopsy.io/restarted-by")
_CONDITIONS = [{"type": "Ready", "status": "True"}, {"type": BAD, "status": "False", "reason": "DCGMError"}]
_RUNNING = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}

SCENES = {
    "label-node": Scene(
        step=draft(Verb.LABEL_NODE, "node/n1", label=MODE, value="container"),
        thing=node("n1", labels={MODE: "vm-passthrough", "other": "stays"}),
        diff=f"- metadata.labels[{MODE}]: vm-passthrough\n+ metadata.labels[{MODE}]: container",
        field=("metadata", "labels", MODE),
        before="vm-passthrough",
        after="container",
        drift={"metadata": {"labels": {MODE: "vm-vgpu"}}},
    ),
    "label-node-new": Scene(
        step=draft(Verb.LABEL_NODE, "node/n1", label=MODE, value="container"),
        thing=node("n1"),
        diff=f"+ metadata.labels[{MODE}]: container",
        field=("metadata", "labels", MODE),
        before=None,
        after="container",
        drift={"metadata": {"labels": {MODE: "vm-vgpu"}}},
    ),
    "cordon": Scene(
        step=draft(Verb.CORDON, "node/n1"),
        thing=node("n1"),
        diff="+ spec.unschedulable: true",
        field=("spec", "unschedulable"),
        before=None,
        after=True,
    ),
    "uncordon": Scene(
        step=draft(Verb.UNCORDON, "node/n1"),
        thing={**node("n1"), "spec": {"unschedulable": True}},
        diff="- spec.unschedulable: true",
        field=("spec", "unschedulable"),
        before=True,
        after=None,
    ),
    "evict-pod": Scene(
        step=draft(Verb.EVICT_POD, "pod/default/p1"),
        thing=pod("p1", "n1"),
        status=_RUNNING,
        diff="diff-pod-evicted",
        field=("metadata", "deletionGracePeriodSeconds"),
        before=None,
        after=30,
    ),
    "rollout-restart-ds": Scene(
        step=draft(Verb.ROLLOUT_RESTART, f"ds/default/{AGENT}"),
        thing=workload("DaemonSet", AGENT),
        diff="diff-pods-replaced",
        field=_RESTARTED,
        before=None,
        after="EXEC-ID",
        drift={"spec": {"template": {"metadata": {"annotations": {"autopsy.io/restarted-by": "another"}}}}},
    ),
    "rollout-restart-deploy": Scene(
        step=draft(Verb.ROLLOUT_RESTART, "deploy/default/karpenter"),
        thing=workload("Deployment", "karpenter"),
        diff="diff-pods-replaced",
        field=_RESTARTED,
        before=None,
        after="EXEC-ID",
        drift={"spec": {"paused": True}},
    ),
    "patch-configmap": Scene(
        step=draft(Verb.PATCH_CONFIGMAP, f"configmap/default/{CONFIG_MAP}", key="mode", value="off"),
        thing=config_map(CONFIG_MAP, mode="on", other="stays"),
        diff="- data[mode]: on\n+ data[mode]: off",
        field=("data", "mode"),
        before="on",
        after="off",
        drift={"data": {"mode": "auto"}},
    ),
    "patch-configmap-path": Scene(
        step=draft(
            Verb.PATCH_CONFIGMAP,
            f"configmap/default/{CONFIG_MAP}",
            change="monitor-off",
            key="config.yaml",
            path="monitors.nvidia.enabled",
            value="false",
        ),
        thing=config_map(CONFIG_MAP, **{"config.yaml": CONFIG}),
        diff="  data[config.yaml]:\n   nvidia:\n-    enabled: true\n+    enabled: false",
        field=("data", "config.yaml"),
        before=CONFIG,
        after=CONFIG.replace("nvidia:\n    enabled: true", "nvidia:\n    enabled: false"),
        drift={"data": {"config.yaml": "monitors: {}\n"}},
    ),
    "set-env": Scene(
        step=draft(Verb.SET_ENV, "deploy/default/karpenter", container="main", name="LEVEL", value="debug"),
        thing=workload("Deployment", "karpenter", GATES, {"name": "LEVEL", "value": "info"}),
        diff="- spec.template.spec.containers[main].env[LEVEL].value: info\n"
        "+ spec.template.spec.containers[main].env[LEVEL].value: debug",
        field=_env("LEVEL"),
        before="info",
        after="debug",
        drift={"spec": {"template": {"spec": {"containers": [{"name": "other", "image": "other"}]}}}},
    ),
    "set-env-gate": Scene(
        step=draft(
            Verb.SET_ENV,
            "deploy/default/karpenter",
            container="main",
            name="FEATURE_GATES",
            gate="NodeRepair",
            value="false",
        ),
        thing=workload("Deployment", "karpenter", GATES),
        diff="- spec.template.spec.containers[main].env[FEATURE_GATES].value: "
        "SpotToSpotConsolidation=false,NodeRepair=true\n"
        "+ spec.template.spec.containers[main].env[FEATURE_GATES].value: "
        "SpotToSpotConsolidation=false,NodeRepair=false",
        field=_env("FEATURE_GATES"),
        before="SpotToSpotConsolidation=false,NodeRepair=true",
        after="SpotToSpotConsolidation=false,NodeRepair=false",
    ),
    "clear-condition": Scene(
        step=draft(Verb.CLEAR_CONDITION, "node/n1", condition=BAD),
        thing=node("n1"),
        status={"conditions": _CONDITIONS},
        diff=f"- status.conditions[{BAD}].reason: DCGMError\n- status.conditions[{BAD}].status: False\n"
        f"- status.conditions[{BAD}].type: {BAD}",
        field=("status", "conditions", BAD, "status"),
        before="False",
        after=None,
    ),
}


def marked_pool(api: KubeApi, *names: str, pool: str = "gpu") -> None:
    """A NodePool with nodes that a monitor marked as bad."""
    api.create(node_pool(pool))
    marked_nodes(api, *names, pool=pool)


def marked_nodes(api: KubeApi, *names: str, pool: str = "gpu") -> None:
    """More such nodes of the pool."""
    for name in names:
        api.create(node(name, labels={"karpenter.sh/nodepool": pool}))
        api.merge(node(name), {"status": {"conditions": _CONDITIONS}}, "status")
