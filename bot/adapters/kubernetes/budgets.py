"""Which disruption budget an eviction meets: where there is none, the API server evicts whatever it is asked to."""

from __future__ import annotations

from collections.abc import Mapping

from bot.adapters.kubernetes.client import Client, NoReply
from bot.adapters.kubernetes.live import decoded
from bot.adapters.kubernetes.mutations import Json
from bot.adapters.kubernetes.notdone import Unreadable, unread
from bot.adapters.kubernetes.paths import BUDGETS, path
from bot.adapters.kubernetes.replies import told
from bot.model.refs import Ref
from bot.remedy.plan import Note

Labels = Mapping[str, str]


def noted(client: Client, ref: Ref, pod: Json) -> Note:
    """What whoever approves the eviction of this pod has to know of budgets."""
    try:
        reply = client.get(path(BUDGETS, ref.namespace), {})
        if reply.status != 200:
            raise Unreadable(f"HTTP {reply.status}: {told(reply)}")
        labels = pod["metadata"].get("labels") or {}
        every = decoded(reply).get("items") or ()
        found = [one["metadata"]["name"] for one in every if _selects(one["spec"].get("selector"), labels)]
    except (Unreadable, NoReply) as why:
        return Note("repair-evict-budgets-unread", unread(ref, why))
    if not found:
        return Note("repair-evict-no-budget", {"subject": str(ref)})
    return Note("repair-evict-budget", {"subject": str(ref), "budgets": ", ".join(sorted(found))})


def _selects(selector: Json | None, labels: Labels) -> bool:
    """Whether a label selector fits: none fits nothing, an empty one everything.

    Raises:
        Unreadable: it has an operator that is not known.

    https://kubernetes.io/docs/reference/kubernetes-api/policy-resources/pod-disruption-budget-v1/
    """
    if selector is None:
        return False
    wanted = (selector.get("matchLabels") or {}).items()
    return wanted <= labels.items() and all(_fits(one, labels) for one in selector.get("matchExpressions") or ())


def _fits(rule: Json, labels: Labels) -> bool:
    value, values = labels.get(rule["key"]), rule.get("values") or ()
    match rule["operator"]:
        case "In":
            return value in values
        case "NotIn":
            return value not in values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case other:
            raise Unreadable("hands-budget-operator", operator=str(other))
