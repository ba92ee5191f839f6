"""The closed set of changes: for each verb which fields it sets, to what, and the one request that does it.

Pure: a live object and the step's parameters in, values out. Every request carries the uid and the resourceVersion
that were read, so that it fails where the object is another one or has changed since (measured on 1.36: 422 and 409).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import yaml

from bot.adapters.kubernetes import texts
from bot.adapters.kubernetes.client import Write
from bot.adapters.kubernetes.notdone import Unfit
from bot.adapters.kubernetes.paths import path_of
from bot.checks.views.gpu_conditions import BAD_STATUS
from bot.model.refs import Ref
from bot.remedy.digest import MARKER
from bot.remedy.runbook import Verb
from bot.remedy.verbs import SHAPES

Json = dict[str, Any]
Params = Mapping[str, str]
Fields = dict[str, str]

#: Never changed itself: its nodes are.
_SELECTING = frozenset({"nodepool"})
#: In the pod template: the pods of the next generation carry it.
RESTARTED = "autopsy.io/restarted-by"
MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"


class Mutation(msgspec.Struct, frozen=True, kw_only=True):
    """One verb.

    Attributes:
        fields: the fields that it sets, as they are; missing ones are empty. Raises Unfit.
        wanted: the same fields as they shall be.
        request: the write that does it.
        told: the reason that is a line of the difference where the dry run shows nothing to people.
    """

    fields: Callable[[Json, Params], Fields]
    wanted: Callable[[Json, Params, str], Fields]
    request: Callable[[Ref, Json, Params, str], Write]
    told: str = ""


def check(verb: Verb, ref: Ref, params: Params) -> None:
    """Whether a verb can be asked for.

    Raises:
        Unfit: the kind of the object is not one of its, or a parameter is missing.
    """
    shape = SHAPES[verb]
    if ref.kind not in shape.kinds - _SELECTING:
        raise Unfit("hands-other-kind", subject=str(ref), kinds=", ".join(sorted(shape.kinds - _SELECTING)))
    if missing := shape.params - set(params):
        raise Unfit("hands-parameters-missing", names=", ".join(sorted(missing)))


def uid_of(live: Json) -> str:
    """The uid of an object."""
    return str(live["metadata"]["uid"])


def marked(live: Json) -> str:
    """The exec id of the last step that changed the object."""
    return str((live["metadata"].get("annotations") or {}).get(MARKER, ""))


def _patch(ref: Ref, live: Json, exec_id: str, change: Json, form: str = MERGE) -> Write:
    """A patch of the object with its preconditions and the marker in it."""
    meta = {
        **change.get("metadata", {}),
        "uid": uid_of(live),
        "resourceVersion": live["metadata"]["resourceVersion"],
        "annotations": {MARKER: exec_id},
    }
    body = {**change, "metadata": meta}
    return Write(method="PATCH", path=path_of(ref), body=body, content_type=form, agent=f"x={exec_id}")


def _label(params: Params) -> str:
    return f"metadata.labels[{params['label']}]"


def _labels(live: Json, params: Params) -> Fields:
    return {_label(params): str((live["metadata"].get("labels") or {}).get(params["label"], ""))}


def _set_label(ref: Ref, live: Json, params: Params, exec_id: str) -> Write:
    return _patch(ref, live, exec_id, {"metadata": {"labels": {params["label"]: params["value"]}}})


_UNSCHEDULABLE = "spec.unschedulable"


def _schedulable(live: Json, _: Params) -> Fields:
    return {_UNSCHEDULABLE: "true" if (live.get("spec") or {}).get("unschedulable") else "false"}


def _cordon(ref: Ref, live: Json, _: Params, exec_id: str) -> Write:
    return _patch(ref, live, exec_id, {"spec": {"unschedulable": True}})


def _uncordon(ref: Ref, live: Json, _: Params, exec_id: str) -> Write:
    return _patch(ref, live, exec_id, {"spec": {"unschedulable": None}})


_DELETED = "metadata.deletionTimestamp"


def _deleted(live: Json, _: Params) -> Fields:
    return {_DELETED: "set" if live["metadata"].get("deletionTimestamp") else ""}


def _evict(ref: Ref, live: Json, _: Params, exec_id: str) -> Write:
    """The eviction subresource: it asks the disruption budgets, and there is no way past them."""
    body: Json = {
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"name": ref.name, "namespace": ref.namespace},
        "deleteOptions": {"preconditions": {"uid": uid_of(live)}},
    }
    return Write(method="POST", path=path_of(ref, "eviction"), body=body, agent=f"x={exec_id}")


_RESTARTED = f"spec.template.metadata.annotations[{RESTARTED}]"


def _restarted(live: Json, _: Params) -> Fields:
    spec = live["spec"]
    if spec.get("paused"):
        raise Unfit("hands-rollout-paused")
    if (spec.get("updateStrategy") or {}).get("type") == "OnDelete":
        raise Unfit("hands-on-delete")
    template = spec["template"].get("metadata") or {}
    return {_RESTARTED: str((template.get("annotations") or {}).get(RESTARTED, ""))}


def _restart(ref: Ref, live: Json, _: Params, exec_id: str) -> Write:
    template = {"metadata": {"annotations": {RESTARTED: exec_id}}}
    return _patch(ref, live, exec_id, {"spec": {"template": template}})


def _config_text(live: Json, params: Params) -> str:
    if live.get("immutable"):
        raise Unfit("hands-immutable")
    return str((live.get("data") or {}).get(params["key"], ""))


def _config_wanted(live: Json, params: Params) -> str:
    """The key's whole text as it shall be: the value, or the text with one YAML path set to it."""
    if "path" not in params:
        return params["value"]
    field, path = f"data[{params['key']}]", params["path"]
    try:
        return texts.with_path(_config_text(live, params), path, params["value"])
    except texts.NoMapping:
        raise Unfit("hands-no-mapping", field=field, path=path) from None
    except yaml.YAMLError as why:
        raise Unfit("hands-not-yaml", field=field, detail=" ".join(str(why).split())[:120]) from why


def _config(live: Json, params: Params) -> Fields:
    return {f"data[{params['key']}]": _config_text(live, params)}


def _set_config(ref: Ref, live: Json, params: Params, exec_id: str) -> Write:
    return _patch(ref, live, exec_id, {"data": {params["key"]: _config_wanted(live, params)}})


def _env_path(params: Params) -> str:
    return f"spec.template.spec.containers[{params['container']}].env[{params['name']}]"


def _env_text(live: Json, params: Params) -> str:
    containers = {one["name"]: one for one in live["spec"]["template"]["spec"].get("containers") or ()}
    if params["container"] not in containers:
        raise Unfit("hands-no-container", container=params["container"])
    found = {one["name"]: one for one in containers[params["container"]].get("env") or ()}.get(params["name"], {})
    if found.get("valueFrom"):
        raise Unfit("hands-value-from", name=params["name"], origin=", ".join(found["valueFrom"]))
    return str(found.get("value", ""))


def _env_wanted(live: Json, params: Params) -> str:
    """The variable's value as it shall be: the value, or the list of gates with one gate set to it."""
    if "gate" not in params:
        return params["value"]
    return texts.with_gate(_env_text(live, params), params["gate"], params["value"])


def _env(live: Json, params: Params) -> Fields:
    return {_env_path(params): _env_text(live, params)}


def _set_env(ref: Ref, live: Json, params: Params, exec_id: str) -> Write:
    variable = {"name": params["name"], "value": _env_wanted(live, params)}
    # A strategic merge joins containers and variables by their names; the others stay as they are.
    container = {"name": params["container"], "env": [variable]}
    spec = {"template": {"spec": {"containers": [container]}}}
    return _patch(ref, live, exec_id, {"spec": spec}, STRATEGIC)


def _conditions(live: Json) -> list[Json]:
    found: list[Json] = (live.get("status") or {}).get("conditions") or []
    return found


def _condition(live: Json, params: Params) -> Fields:
    """The condition's status where it means a fault; one that means health is not cleared, and neither is any other."""
    kind = params["condition"]
    if kind not in BAD_STATUS:
        raise Unfit("hands-other-condition", condition=kind, known=", ".join(BAD_STATUS))
    bad = any(one["type"] == kind and one["status"] == BAD_STATUS[kind] for one in _conditions(live))
    return {f"status.conditions[{kind}]": BAD_STATUS[kind] if bad else ""}


def _clear_condition(ref: Ref, live: Json, params: Params, exec_id: str) -> Write:
    """A JSON patch of the status: it alone can take one entry out of the list, and tests that it is the one meant."""
    index = next(i for i, one in enumerate(_conditions(live)) if one["type"] == params["condition"])
    place, meta = f"/status/conditions/{index}", live["metadata"]
    annotations = {**(meta.get("annotations") or {}), MARKER: exec_id}
    body = [
        {"op": "test", "path": "/metadata/uid", "value": uid_of(live)},
        {"op": "test", "path": f"{place}/type", "value": params["condition"]},
        {"op": "test", "path": f"{place}/status", "value": _conditions(live)[index]["status"]},
        {"op": "add", "path": "/metadata/resourceVersion", "value": meta["resourceVersion"]},
        {"op": "add", "path": "/metadata/annotations", "value": annotations},
        {"op": "remove", "path": place},
    ]
    path = path_of(ref, "status")
    return Write(method="PATCH", path=path, body=body, content_type=JSON_PATCH, agent=f"x={exec_id}")


MUTATIONS: Mapping[Verb, Mutation] = {
    Verb.LABEL_NODE: Mutation(
        fields=_labels,
        wanted=lambda _, params, __: {_label(params): params["value"]},
        request=_set_label,
    ),
    Verb.CORDON: Mutation(fields=_schedulable, wanted=lambda *_: {_UNSCHEDULABLE: "true"}, request=_cordon),
    Verb.UNCORDON: Mutation(fields=_schedulable, wanted=lambda *_: {_UNSCHEDULABLE: "false"}, request=_uncordon),
    Verb.EVICT_POD: Mutation(
        fields=_deleted,
        wanted=lambda *_: {_DELETED: "set"},
        request=_evict,
        told="diff-pod-evicted",
    ),
    Verb.ROLLOUT_RESTART: Mutation(
        fields=_restarted,
        wanted=lambda _, __, exec_id: {_RESTARTED: exec_id},
        request=_restart,
        told="diff-pods-replaced",
    ),
    Verb.PATCH_CONFIGMAP: Mutation(
        fields=_config,
        wanted=lambda live, params, _: {f"data[{params['key']}]": _config_wanted(live, params)},
        request=_set_config,
    ),
    Verb.SET_ENV: Mutation(
        fields=_env,
        wanted=lambda live, params, _: {_env_path(params): _env_wanted(live, params)},
        request=_set_env,
    ),
    Verb.CLEAR_CONDITION: Mutation(
        fields=_condition,
        wanted=lambda _, params, __: {f"status.conditions[{params['condition']}]": ""},
        request=_clear_condition,
    ),
}
