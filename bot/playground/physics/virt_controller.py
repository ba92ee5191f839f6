"""KubeVirt's virt-controller, for machines on their way up: what the launcher pod tells goes to instance and machine.

Read in kubevirt/kubevirt (pkg/virt-controller/watch/vmi/lifecycle.go, watch/vm/vm.go). Machines whose guest runs are
left as they are: failures, pauses, migrations and new launchers are no part of this.
"""

from __future__ import annotations

from datetime import datetime

from bot.playground.physics.api import INSTANCES, MACHINES, PODS, Api, Object, path_of

_SCHEDULED = "PodScheduled"
_LAUNCHERS = f"{PODS}?labelSelector=kubevirt.io=virt-launcher"


class VirtController:
    """Hands an instance over to virt-handler once its launcher is ready, and lets the machine tell of its instance."""

    def step(self, api: Api, _now: datetime) -> None:
        """Look once at everything that starts; what was changed in this round is told in the next."""
        launchers = {key: pod for pod in api.list(_LAUNCHERS) if (key := _instance_of(pod)) is not None}
        instances = {_key(one): one for one in api.list(INSTANCES)}
        for key, instance in instances.items():
            if key in launchers and _starts(instance):
                self._instance(api, instance, launchers[key])
        for machine in api.list(MACHINES):
            if _key(machine) in instances and _starts(machine):
                self._machine(api, machine, instances[_key(machine)])

    def _instance(self, api: Api, instance: Object, pod: Object) -> None:
        """An instance has no status subresource."""
        before = instance["status"]
        conditions = {one["type"]: one for one in before["conditions"]}
        ready, scheduled = _condition(pod, "Ready"), _condition(pod, _SCHEDULED)
        is_ready = ready is not None and ready["status"] == "True"
        handed: Object = {}
        if before["phase"] == "Scheduling":
            conditions.pop(_SCHEDULED, None)
            if scheduled is not None and scheduled["status"] == "False":
                conditions[_SCHEDULED] = scheduled
            handed = {"phase": "Scheduled", "nodeName": pod["spec"]["nodeName"]} if is_ready else {}
        elif before["phase"] == "Running" and ready is not None and is_ready:
            conditions["Ready"] = ready
        listed = list(conditions.values())
        if handed or _told(listed) != _told(before["conditions"]):
            api.patch(path_of(INSTANCES, instance), {"status": {"conditions": listed, **handed}})

    def _machine(self, api: Api, machine: Object, instance: Object) -> None:
        """A machine shows the conditions of its instance, and one word made of them."""
        conditions, ready = instance["status"]["conditions"], _condition(instance, "Ready")
        word, before = _printable(instance), machine["status"]
        if (before.get("printableStatus"), _told(before["conditions"])) != (word, _told(conditions)):
            is_ready = ready is not None and ready["status"] == "True"
            status = {"created": True, "ready": is_ready, "printableStatus": word, "conditions": conditions}
            api.patch(f"{path_of(MACHINES, machine)}/status", {"status": status})


def _printable(instance: Object) -> str:
    if instance["status"]["phase"] == "Running":
        return "Running"
    scheduled = _condition(instance, _SCHEDULED)
    return "Starting" if scheduled is None else "ErrorUnschedulable"


def _starts(one: Object) -> bool:
    """Whether its guest does not run yet, as far as was told."""
    ready = _condition(one, "Ready")
    return ready is not None and ready.get("reason") == "GuestNotRunning"


def _condition(one: Object, kind: str) -> Object | None:
    return next((found for found in one.get("status", {}).get("conditions", ()) if found["type"] == kind), None)


def _told(conditions: list[Object]) -> list[tuple[str, ...]]:
    """What conditions say, without their times."""
    return sorted(tuple(str(one.get(key, "")) for key in ("type", "status", "reason", "message")) for one in conditions)


def _key(one: Object) -> tuple[str, str]:
    return one["metadata"]["namespace"], one["metadata"]["name"]


def _instance_of(pod: Object) -> tuple[str, str] | None:
    """The instance that this launcher runs; None of one that goes."""
    owners = [one for one in pod["metadata"].get("ownerReferences", ()) if one["kind"] == "VirtualMachineInstance"]
    if not owners or "deletionTimestamp" in pod["metadata"]:
        return None
    return pod["metadata"]["namespace"], owners[0]["name"]
