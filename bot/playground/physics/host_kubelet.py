"""systemd and the kubelet of a machine with a `Host`: the crash loop while swap is on, and what a living kubelet does.

The stock unit has Restart=always, RestartSec=10: within ten seconds after swap is off the kubelet is back by itself.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from bot.playground.physics.api import NODES, PODS, Api, Object, path_of
from bot.playground.physics.host import Host
from bot.playground.physics.kubelets import ready_condition, renew
from bot.playground.physics.world import rfc3339

#: systemd's RestartSec of the stock unit.
RESTART = timedelta(seconds=10)
#: Taints of a node that is not Ready.
_DEAD = ("node.kubernetes.io/unreachable", "node.kubernetes.io/not-ready")
_PASSTHROUGH = "nvidia.com/G"
_CONTAINER = "nvidia.com/gpu"


class HostKubelet:
    """One machine's kubelet."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def step(self, api: Api, now: datetime) -> None:
        """Let systemd try, and let a living kubelet do its round."""
        state = self._host.state()
        if state.get("kubelet") == "crash-loop":
            self._try(state, now)
        elif state.get("kubelet") == "running":
            self._round(api, state, now)

    def _try(self, state: dict[str, str], now: datetime) -> None:
        if state["unit"] == "stopped":
            return
        if state["attempt"] and now - datetime.fromisoformat(state["attempt"]) < RESTART:
            return
        if state["swap"] == "on":
            self._host.change(attempt=rfc3339(now))
        else:
            self._host.change(kubelet="running")

    def _round(self, api: Api, state: dict[str, str], now: datetime) -> None:
        node = api.get(f"{NODES}/{self._host.node}")
        if node is None:
            return
        renew(api, self._host.node, now)
        running = self._pods(api, now)
        self._status(api, node, state, running, now)

    def _pods(self, api: Api, now: datetime) -> set[str]:
        """End what is Terminating, start what is bound; the names of the DaemonSets whose pod runs."""
        running: set[str] = set()
        for pod in api.list(f"{PODS}?fieldSelector=spec.nodeName={self._host.node}"):
            path = path_of(PODS, pod)
            if "deletionTimestamp" in pod["metadata"]:
                api.delete(path, at_once=True)
                continue
            if not _ready(pod):
                api.patch(f"{path}/status", {"status": _running(pod, now)}, joined=True)
            running |= {one["name"] for one in pod["metadata"].get("ownerReferences", ()) if one["kind"] == "DaemonSet"}
        return running

    def _status(self, api: Api, node: Object, state: dict[str, str], running: set[str], now: datetime) -> None:
        path = f"{NODES}/{self._host.node}"
        conditions = [one for one in node["status"]["conditions"] if one["type"] != "Ready"]
        ready = next((one for one in node["status"]["conditions"] if one["type"] == "Ready"), None)
        fresh = ready_condition(now)
        if ready is not None and ready["status"] == "True":
            fresh["lastTransitionTime"] = ready["lastTransitionTime"]
        offered = _offered(node, state, running)
        status: Object = {"conditions": [*conditions, fresh], "allocatable": offered, "capacity": offered}
        api.patch(f"{path}/status", {"status": status})
        taints = node["spec"].get("taints", [])
        # As the node lifecycle controller: not before the node is Ready, or its old numbers would be taken as an offer.
        kept = [one for one in taints if one["key"] not in _DEAD]
        if kept != taints:
            api.patch(path, {"spec": {"taints": kept}})


def _offered(node: Object, state: dict[str, str], running: set[str]) -> dict[str, str]:
    """What the device plugins offer: a restarted kubelet counts nothing until a plugin has registered."""
    vm = state["driver"] == "vfio-pci" and "nvidia-sandbox-device-plugin-daemonset" in running
    container = state["driver"] == "nvidia" and "nvidia-device-plugin-daemonset" in running
    passthrough = {key: "1" if vm else "0" for key in node["status"]["capacity"] if key.startswith(_PASSTHROUGH)}
    return {**passthrough, _CONTAINER: "1" if container else "0"}


def _ready(pod: Object) -> bool:
    return any(one["type"] == "Ready" and one["status"] == "True" for one in pod["status"].get("conditions", ()))


def _running(pod: Object, now: datetime) -> Object:
    names = [one["name"] for one in pod["spec"]["containers"]]
    started = {"running": {"startedAt": rfc3339(now)}}
    return {
        "phase": "Running",
        "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": rfc3339(now)}],
        "containerStatuses": [
            {
                "name": name,
                "ready": True,
                "restartCount": 0,
                "image": "",
                "imageID": "",
                "state": started,
                "lastState": {},
            }
            for name in names
        ],
    }
