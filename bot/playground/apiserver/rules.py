"""What the API server makes of an object that is created, changed or deleted. Pure: times and ids are arguments.

Measured on Kubernetes 1.36; the conformance suite holds both to the same answers.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from copy import deepcopy
from datetime import UTC, datetime, timedelta

from bot.playground.apiserver import errors
from bot.playground.apiserver.types import Json, ResourceType

_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LABEL_KEY = re.compile(r"([a-z0-9.-]{1,253}/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_LABEL_VALUE = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")
#: Metadata that only the server writes.
_SERVER_OWNED = ("creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "uid")
_NOT_READY = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}
_GRACE = 30
_SUFFIX = "bcdfghjklmnpqrstvwxz2456789"


def timestamp(moment: datetime) -> str:
    """A time as the API writes it, to the second."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def for_creation(kind: ResourceType, namespace: str, thing: Json, now: datetime, new_uid: Callable[[], str]) -> Json:
    """The object as it is stored when it is created.

    Raises:
        ApiError: 400 for another kind or namespace than the request's, 422 for a name that none may have.
    """
    if thing.get("kind", kind.kind) != kind.kind:
        raise errors.bad_request(f"{thing['kind']} cannot be handled as a {kind.kind}")
    meta = thing.setdefault("metadata", {})
    uid = new_uid()
    if not meta.get("name") and meta.get("generateName"):
        meta["name"] = meta["generateName"] + "".join(random.Random(uid).choices(_SUFFIX, k=5))  # noqa: S311
    if not _NAME.fullmatch(meta.get("name") or ""):
        raise errors.invalid(kind, str(meta.get("name", "")), "metadata.name", "a lowercase RFC 1123 subdomain")
    _check_labels(kind, meta["name"], meta.get("labels") or {})
    if kind.namespaced:
        if meta.get("namespace", namespace) != namespace:
            raise errors.other_namespace()
        meta["namespace"] = namespace
    for field in (*_SERVER_OWNED, "resourceVersion"):
        meta.pop(field, None)
    meta |= {"uid": uid, "creationTimestamp": timestamp(now)}
    if kind.generations:
        meta["generation"] = 1
    return _with_defaults(kind, thing)


def _check_labels(kind: ResourceType, name: str, labels: Json) -> None:
    for key, value in labels.items():
        if not (_LABEL_KEY.fullmatch(key) and _LABEL_VALUE.fullmatch(value)):
            raise errors.invalid(kind, name, "metadata.labels", f'Invalid value: "{key}={value}": no label')


def _with_defaults(kind: ResourceType, thing: Json) -> Json:
    if kind.plural == "nodes":
        # Admission marks a new node until it reports itself; a node's status may come with its creation.
        taints = thing.setdefault("spec", {}).setdefault("taints", [])
        if not any(one["key"] == _NOT_READY["key"] for one in taints):
            taints.append(dict(_NOT_READY))
    elif kind.status:
        thing.pop("status", None)
    if kind.plural == "pods":
        thing["status"] = {"phase": "Pending"}
    if kind.plural == "namespaces":
        thing["status"] = {"phase": "Active"}
    return thing


def after_update(kind: ResourceType, before: Json, wanted: Json, subresource: str) -> Json:
    """The object after a change of it, of its status only, or after its binding.

    Raises:
        ApiError: 409 for a stale resourceVersion, 422 for another uid, for what is no label, or for a new finalizer
            while it is being deleted.
    """
    after = _still_that_object(kind, before, wanted)
    if subresource == "binding":
        # The server's own write: node and condition at once, and no new generation.
        return after
    old = before["metadata"]
    if subresource == "status":
        after = _status_only(kind, before, after)
    elif kind.status:
        _put_or_drop(after, "status", before.get("status"))
    if old.get("deletionTimestamp"):
        _check_finalizers(kind, before, after)
    if kind.generations and after.get("spec") != before.get("spec"):
        after["metadata"]["generation"] = old.get("generation", 0) + 1
    return after


def _still_that_object(kind: ResourceType, before: Json, wanted: Json) -> Json:
    """What is wanted, with the metadata that only the server writes as it was."""
    name = before["metadata"]["name"]
    after = deepcopy(wanted)
    old, meta = before["metadata"], after.setdefault("metadata", {})
    if meta.get("resourceVersion", old["resourceVersion"]) != old["resourceVersion"]:
        raise errors.modified(kind, name)
    if meta.get("uid", old["uid"]) != old["uid"]:
        raise errors.invalid(kind, name, "metadata.uid", f'Invalid value: "{meta["uid"]}": field is immutable')
    if meta.get("name", name) != name:
        raise errors.bad_request("the name of the object does not match the name on the URL")
    _check_labels(kind, name, meta.get("labels") or {})
    for field in (*_SERVER_OWNED, "resourceVersion", "name", "namespace"):
        meta.pop(field, None)
        if field in old:
            meta[field] = old[field]
    return {**after, "apiVersion": before["apiVersion"], "kind": before["kind"]}


def _status_only(kind: ResourceType, before: Json, after: Json) -> Json:
    """A status write: of built-in objects it may also change labels and annotations, of custom ones nothing else."""
    result = {**before, "metadata": before["metadata"] if kind.custom else after["metadata"]}
    _put_or_drop(result, "status", after.get("status"))
    return result


def _put_or_drop(thing: Json, key: str, value: object) -> None:
    thing.pop(key, None)
    if value is not None:
        thing[key] = value


def _check_finalizers(kind: ResourceType, before: Json, after: Json) -> None:
    new = set(after["metadata"].get("finalizers") or ()) - set(before["metadata"].get("finalizers") or ())
    if new:
        why = f"Forbidden: no new finalizers can be added if the object is being deleted, found {sorted(new)}"
        raise errors.invalid(kind, before["metadata"]["name"], "metadata.finalizers", why)


def check_preconditions(kind: ResourceType, thing: Json, preconditions: Json) -> None:
    """The preconditions of a DELETE.

    Raises:
        ApiError: 409 where one does not hold.
    """
    for option, field, word in (("uid", "uid", "UID"), ("resourceVersion", "resourceVersion", "ResourceVersion")):
        wanted, is_there = preconditions.get(option), thing["metadata"][field]
        if wanted is not None and wanted != is_there:
            why = f"the {word} in the precondition ({wanted}) does not match the {word} in record ({is_there})"
            raise errors.conflict(kind, thing["metadata"]["name"], why)


def after_deletion(kind: ResourceType, before: Json, grace: int | None, now: datetime) -> Json:
    """The object once its deletion was asked for: finalizers keep it, and a bound pod waits for its kubelet."""
    meta = before["metadata"]
    seconds = 0
    if kind.plural == "pods" and _waits_for_kubelet(before):
        asked = _GRACE if grace is None else grace
        seconds = min(asked, meta.get("deletionGracePeriodSeconds", asked))
    if meta.get("deletionTimestamp") and seconds >= meta.get("deletionGracePeriodSeconds", 0):
        return before
    times = {"deletionTimestamp": timestamp(now + timedelta(seconds=seconds)), "deletionGracePeriodSeconds": seconds}
    generation = {"generation": meta.get("generation", 0) + 1} if kind.generations else {}
    return {**before, "metadata": {**meta, **times, **generation}}


def _waits_for_kubelet(pod: Json) -> bool:
    spec, status = pod.get("spec") or {}, pod.get("status") or {}
    return bool(spec.get("nodeName")) and status.get("phase") not in ("Succeeded", "Failed")


def is_gone(thing: Json) -> bool:
    """Whether nothing holds a deleted object any longer."""
    meta = thing["metadata"]
    held = meta.get("finalizers") or meta.get("deletionGracePeriodSeconds", 0)
    return bool(meta.get("deletionTimestamp")) and not held
