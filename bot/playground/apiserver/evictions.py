"""Evictions: a pod is deleted only where its disruption budget allows it, as the API server decides it.

The budgets' status is what a disruption controller wrote; this only reads and uses it up.
"""

from __future__ import annotations

from bot.playground.apiserver import errors
from bot.playground.apiserver.selectors import selected
from bot.playground.apiserver.store import Query, Store
from bot.playground.apiserver.types import TYPES, Json, ResourceType

_BUDGETS = next(one for one in TYPES if one.kind == "PodDisruptionBudget")
#: Seconds to wait for a budget that no controller has looked at (measured on 1.36).
_LATER = 10
#: Pods in these phases disturb nobody: their budget is not asked.
_IGNORED = ("Pending", "Succeeded", "Failed")


def evict(store: Store, kind: ResourceType, namespace: str, name: str, eviction: Json, *, dry_run: bool) -> None:
    """Delete the pod if its budget allows it.

    Raises:
        ApiError: 404, 409 where the uid is another one, 429 where the budget forbids it, 500 where several match.
    """
    pod = store.get(kind, namespace, name)
    options = eviction.get("deleteOptions") or {}
    budget = None if _disturbs_nobody(pod) else _budget(store, namespace, pod)
    if budget is not None:
        _use_up(store, kind, pod, budget, dry_run=dry_run)
    store.delete(kind, namespace, name, options, dry_run=dry_run)


def _disturbs_nobody(pod: Json) -> bool:
    return bool(pod["metadata"].get("deletionTimestamp")) or pod["status"].get("phase") in _IGNORED


def _budget(store: Store, namespace: str, pod: Json) -> Json | None:
    every = store.page(_BUDGETS, namespace, Query())["items"]
    found = [one for one in every if selected(_BUDGETS, _selector(one["spec"]), "")(pod)]
    if len(found) > 1:
        why = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
        raise errors.ApiError(500, "InternalError", why)
    return found[0] if found else None


def _selector(spec: Json) -> str:
    labels = (spec.get("selector") or {}).get("matchLabels") or {}
    return ",".join(f"{key}={value}" for key, value in labels.items())


def _use_up(store: Store, kind: ResourceType, pod: Json, budget: Json, *, dry_run: bool) -> None:
    name, status, meta = pod["metadata"]["name"], budget.get("status") or {}, budget["metadata"]
    if status.get("observedGeneration", 0) < meta["generation"]:
        why = f"The disruption budget {meta['name']} is still being processed by the server."
        refused = errors.over_budget(kind, name, why)
        refused.retry_after = _LATER
        raise refused
    healthy, needed = status.get("currentHealthy", 0), status.get("desiredHealthy", 0)
    if not _ready(pod) and 0 < needed <= healthy:
        return
    allowed = status.get("disruptionsAllowed", 0)
    if allowed <= 0:
        why = f"The disruption budget {meta['name']} needs {needed} healthy pods and has {healthy} currently"
        raise errors.over_budget(kind, name, why)
    store.update(
        _BUDGETS,
        meta["namespace"],
        meta["name"],
        lambda before: {**before, "status": {**before["status"], "disruptionsAllowed": allowed - 1}},
        subresource="status",
        dry_run=dry_run,
    )


def _ready(pod: Json) -> bool:
    conditions = pod["status"].get("conditions") or ()
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)
