"""Container logs, as the API server fetches them from a kubelet."""

from __future__ import annotations

from bot.playground.apiserver.errors import ApiError, bad_request
from bot.playground.apiserver.types import Json


class Logs:
    """Texts by (uid of the pod, container, whether of the previous run): a log goes with its pod."""

    def __init__(self) -> None:
        self._texts: dict[tuple[str, str, bool], str] = {}

    def put(self, pod: Json, container: str, text: str, *, previous: bool = False) -> None:
        """Keep a container's log."""
        self._texts[pod["metadata"]["uid"], container, previous] = text

    def read(self, pod: Json, node: Json | None, container: str, *, previous: bool, tail: int | None) -> bytes | None:
        """The log; None for a pod that no node runs.

        A kept text is given whatever the state of the node; without one, a node that is not Ready cannot be asked.

        Raises:
            ApiError: 400 for a container or a run that is not there, 500 where the kubelet does not answer.
        """
        meta = pod["metadata"]
        name = _container(pod, container)
        if not pod["spec"].get("nodeName"):
            return None
        text = self._texts.get((meta["uid"], name, previous))
        if text is None and not _ready(node):
            where = f"{pod['spec']['nodeName']}:10250/containerLogs/{meta['namespace']}/{meta['name']}/{name}"
            raise ApiError(500, "", f'Get "https://{where}": dial tcp: connect: no route to host')
        if text is None and previous:
            raise bad_request(f'previous terminated container "{name}" in pod "{meta["name"]}" not found')
        lines = (text or "").splitlines(keepends=True)
        return "".join(lines if tail is None else lines[max(len(lines) - tail, 0) :]).encode()


def _container(pod: Json, asked: str) -> str:
    name, spec = pod["metadata"]["name"], pod["spec"]
    there = [one["name"] for one in [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]]
    if asked and asked not in there:
        raise bad_request(f"container {asked} is not valid for pod {name}")
    if not asked and len(there) != 1:
        raise bad_request(f"a container name must be specified for pod {name}, choose one of: {there}")
    return asked or there[0]


def _ready(node: Json | None) -> bool:
    conditions = ((node or {}).get("status") or {}).get("conditions") or ()
    return any(one.get("type") == "Ready" and one.get("status") == "True" for one in conditions)
