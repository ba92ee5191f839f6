"""Karpenter with node repair on: a NodeClaim whose node stays marked for the toleration is deleted and replaced.

Only what a loop needs is played: the repair policy's row for the GPU condition, the breaker of the pool, drain,
termination, a new claim.
The wording of events is Karpenter 1.4's.
"""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Iterator
from datetime import datetime, timedelta

from bot.playground.physics.api import EVENTS, LEASES, NODECLAIMS, NODES, PODS, Api, Object
from bot.playground.physics.kubelets import ready_condition
from bot.playground.physics.monitor import CONDITION
from bot.playground.physics.world import rfc3339

#: The AWS provider's toleration of AcceleratedHardwareReady=False.
TOLERATION = timedelta(minutes=10)
DEPLOYMENT = "/apis/apps/v1/namespaces/kube-system/deployments/karpenter"
#: How long an instance takes to drain and go, and a new one to come up.
DRAIN = timedelta(seconds=45)
#: A node that the breaker holds back is looked at again after this long.
AGAIN = timedelta(minutes=5)
#: Claim and node stay, as being deleted, until the instance is gone.
_FINALIZERS = ["karpenter.sh/termination"]
#: Letters of a generated name (apimachinery's `rand` leaves out vowels and look-alikes).
_LETTERS = "bcdfghjklmnpqrstvwxz2456789"


class Karpenter:
    """Repairs nodes by replacing them."""

    def __init__(self) -> None:
        self._suffixes = _suffixes()
        self._held: dict[str, datetime] = {}

    def step(self, api: Api, now: datetime) -> None:
        """Delete what is due, finish what has drained."""
        nodes = {node["metadata"]["name"]: node for node in api.list(NODES)}
        for claim in api.list(NODECLAIMS):
            node = nodes.get(claim["status"].get("nodeName", ""))
            if "deletionTimestamp" in claim["metadata"]:
                if now - datetime.fromisoformat(claim["metadata"]["deletionTimestamp"]) >= DRAIN:
                    self._replace(api, claim, node, now)
            elif node is not None and _due(node, now) and _repairs(api):
                self._repair(api, claim, node, now)

    def _repair(self, api: Api, claim: Object, node: Object, now: datetime) -> None:
        """Delete, unless more than 20 % of the pool's nodes, rounded up, are marked: those that go count too."""
        name = node["metadata"]["name"]
        if now < self._held.get(name, now):
            return
        pool = [one for one in api.list(NODES) if _pool(one) == _pool(node)]
        if sum(bool(_marks(one)) for one in pool) <= math.ceil(len(pool) / 5):
            self._delete(api, claim, node, now)
            return
        self._held[name] = now + AGAIN
        about = {"kind": "Node", "name": name, "apiVersion": "v1"}
        told = "more than 20% nodes are unhealthy in the nodepool"
        _tell(api, now, about, "Warning", "NodeRepairBlocked", told)

    def _delete(self, api: Api, claim: Object, node: Object, now: datetime) -> None:
        name = claim["metadata"]["name"]
        annotation = {"karpenter.sh/nodeclaim-termination-timestamp": rfc3339(now)}
        api.patch(f"{NODECLAIMS}/{name}", {"metadata": {"annotations": annotation, "finalizers": _FINALIZERS}})
        api.delete(f"{NODECLAIMS}/{name}")
        path = f"{NODES}/{node['metadata']['name']}"
        taints = [{"key": "karpenter.sh/disrupted", "effect": "NoSchedule"}]
        api.patch(path, {"metadata": {"finalizers": _FINALIZERS}, "spec": {"taints": taints}})
        api.delete(path)
        machine = {"kind": "NodeClaim", "name": name, "apiVersion": "karpenter.sh/v1"}
        told = f"All pods will be deleted by {rfc3339(now)}"
        _tell(api, now, machine, "Warning", "TerminationGracePeriodExpiring", told)
        about = {"kind": "Node", "name": node["metadata"]["name"], "apiVersion": "v1"}
        _tell(api, now, about, "Warning", "FailedDraining", "Failed to drain node, 1 pods are waiting to be evicted")

    def _replace(self, api: Api, claim: Object, node: Object | None, now: datetime) -> None:
        if node is not None:
            about = {"kind": "Node", "name": node["metadata"]["name"], "apiVersion": "v1"}
            _tell(api, now, about, "Warning", "InstanceTerminating", "Instance is terminating")
            api.patch(f"{NODES}/{node['metadata']['name']}", {"metadata": {"finalizers": None}})
            _collect(api, node["metadata"]["name"])
            self._launch(api, claim, node, now)
        api.patch(f"{NODECLAIMS}/{claim['metadata']['name']}", {"metadata": {"finalizers": None}})

    def _launch(self, api: Api, claim: Object, node: Object, now: datetime) -> None:
        suffix = next(self._suffixes)
        names = {"claim": f"{_pool(claim)}-{suffix}", "node": f"ip-10-0-{suffix}.ec2.internal"}
        fresh_claim = _fresh(claim, names["claim"])
        fresh_claim["status"] = {**claim["status"], "nodeName": names["node"]}
        fresh_node = _fresh(node, names["node"])
        fresh_node["metadata"]["labels"]["kubernetes.io/hostname"] = names["node"]
        fresh_node["spec"].pop("taints", None)
        fresh_node["status"]["conditions"] = [ready_condition(now)]
        for path, body in ((NODECLAIMS, fresh_claim), (NODES, fresh_node)):
            api.create(path, body)
            status = {"status": body["status"]}
            api.patch(f"{path}/{body['metadata']['name']}/status", status)
        about = {"kind": "Node", "name": names["node"], "apiVersion": "v1"}
        _tell(api, now, about, "Normal", "Ready", "kubelet is posting ready status")


def node_repair_off(api: Api) -> None:
    """What whoever owns the Deployment does: the same gates, with NodeRepair off."""
    deployment = api.get(DEPLOYMENT)
    if deployment is None:
        raise ValueError(f"{DEPLOYMENT}: not there")
    containers = copy.deepcopy(deployment["spec"]["template"]["spec"]["containers"])
    for env in (env for one in containers for env in one.get("env", ()) if env["name"] == "FEATURE_GATES"):
        env["value"] = env["value"].replace("NodeRepair=true", "NodeRepair=false")
    api.patch(DEPLOYMENT, {"spec": {"template": {"spec": {"containers": containers}}}})


def _repairs(api: Api) -> bool:
    """The NodeRepair gate of Karpenter's Deployment."""
    deployment = api.get(DEPLOYMENT)
    containers = deployment["spec"]["template"]["spec"]["containers"] if deployment else ()
    gates = [env.get("value", "") for one in containers for env in one.get("env", ()) if env["name"] == "FEATURE_GATES"]
    return any("NodeRepair=true" in value.split(",") for value in gates)


def _due(node: Object, now: datetime) -> bool:
    return any(now - datetime.fromisoformat(one["lastTransitionTime"]) >= TOLERATION for one in _marks(node))


def _marks(node: Object) -> list[Object]:
    conditions = node["status"].get("conditions", ())
    return [one for one in conditions if (one["type"], one["status"]) == (CONDITION, "False")]


def _pool(thing: Object) -> str:
    return str(thing["metadata"].get("labels", {}).get("karpenter.sh/nodepool", ""))


def _collect(api: Api, node: str) -> None:
    """Delete what a node leaves behind: its Lease, which it owns, and the pods that a DaemonSet put there.

    A cluster does so by its garbage collectors, within about a minute; `Workloads` moves the other pods.
    """
    api.delete(f"{LEASES}/{node}")
    for pod in api.list(PODS):
        meta = pod["metadata"]
        owners = (owner["kind"] for owner in meta.get("ownerReferences", ()))
        if pod["spec"].get("nodeName") == node and "DaemonSet" in owners:
            api.delete(f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}", at_once=True)


def _fresh(old: Object, name: str) -> Object:
    """The successor of an object: the same in all but what the API server and time give."""
    new = copy.deepcopy(old)
    for field in ("uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"):
        new["metadata"].pop(field, None)
    new["metadata"]["annotations"] = {}
    new["metadata"]["name"] = name
    return new


def _tell(api: Api, now: datetime, about: Object, kind: str, reason: str, message: str) -> None:
    stamp = rfc3339(now)
    event: Object = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{about['name']}.{int(now.timestamp() * 1e6):x}", "namespace": "default"},
        "involvedObject": about,
        "type": kind,
        "reason": reason,
        "message": message,
        "source": {"component": "karpenter"},
        "firstTimestamp": stamp,
        "lastTimestamp": stamp,
        "count": 1,
    }
    api.create(EVENTS, event)


def _suffixes() -> Iterator[str]:
    """Five letters, never twice, always in the same order: a rehearsal is repeatable."""
    for letters in itertools.product(_LETTERS, repeat=3):
        yield "x7" + "".join(letters)
