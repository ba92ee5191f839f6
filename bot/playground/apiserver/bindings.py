"""Bindings: the scheduler's write, which alone gives a pod its node; the server itself then marks it as scheduled.

Measured on Kubernetes 1.36. Whether the node is there is not asked, as there.
"""

from __future__ import annotations

from bot.playground.apiserver import errors, rules
from bot.playground.apiserver.errors import ApiError
from bot.playground.apiserver.store import Store
from bot.playground.apiserver.types import Json, ResourceType


def bind(store: Store, kind: ResourceType, namespace: str, name: str, binding: Json, *, dry_run: bool) -> None:
    """Give the pod the node that the binding names.

    Raises:
        ApiError: 400 for a binding of another pod, 500 for a target that is no node, 404, 409 where the pod is another
            one than meant, has a node, is being deleted or is gated.
    """
    node = _target(namespace, name, binding)
    meta = binding.get("metadata") or {}

    def bound(pod: Json) -> Json:
        rules.check_preconditions(kind, pod, meta)
        if why := _obstacle(pod):
            raise errors.unbindable(name, why)
        return _bound(pod, node, meta, rules.timestamp(store.now()))

    store.update(kind, namespace, name, bound, subresource="binding", dry_run=dry_run)


def _target(namespace: str, name: str, binding: Json) -> str:
    meta, target = binding.get("metadata") or {}, binding.get("target") or {}
    if binding.get("kind", "Binding") != "Binding":
        raise errors.bad_request(f"{binding['kind']} cannot be handled as a Binding")
    if meta.get("namespace", namespace) != namespace:
        raise errors.other_namespace()
    if meta.get("name") != name:
        raise errors.bad_request("name in URL does not match name in Binding object")
    if (kind := target.get("kind") or "Node") != "Node":
        raise ApiError(500, "", f'target.kind: Unsupported value: "{kind}": supported values: "Node", "<empty>"')
    if not target.get("name"):
        raise ApiError(500, "", "target.name: Required value")
    return str(target["name"])


def _obstacle(pod: Json) -> str:
    """Why this pod cannot be bound; empty where it can."""
    name, spec = pod["metadata"]["name"], pod["spec"]
    if pod["metadata"].get("deletionTimestamp"):
        return f"pod {name} is being deleted, cannot be assigned to a host"
    if spec.get("nodeName"):
        return f'pod {name} is already assigned to node "{spec["nodeName"]}"'
    if spec.get("schedulingGates"):
        return f"pod {name} has non-empty .spec.schedulingGates"
    return ""


def _bound(pod: Json, node: str, meta: Json, now: str) -> Json:
    fresh = {"type": "PodScheduled", "status": "True", "lastProbeTime": None, "lastTransitionTime": now}
    before = {one["type"]: one for one in pod["status"].get("conditions") or ()}
    marks = {
        key: {**(pod["metadata"].get(key) or {}), **meta[key]} for key in ("labels", "annotations") if meta.get(key)
    }
    return {
        **pod,
        "metadata": {**pod["metadata"], **marks},
        "spec": {**pod["spec"], "nodeName": node},
        "status": {**pod["status"], "conditions": list({**before, fresh["type"]: fresh}.values())},
    }
