"""The three ways to patch: merge (RFC 7386), JSON patch (RFC 6902) and strategic merge as far as it is used."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from bot.playground.apiserver.errors import bad_request, unprocessable, unsupported
from bot.playground.apiserver.types import Json, ResourceType

MERGE = "application/merge-patch+json"
JSON = "application/json-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
#: Lists that a strategic merge joins by a key (core/v1 `patchMergeKey`); all others are replaced, taints among them.
_MERGE_KEYS = {"conditions": "type", "containers": "name", "initContainers": "name", "env": "name"}


def patched(kind: ResourceType, before: Json, content_type: str, patch: Any) -> Json:
    """The object after the patch; `before` stays as it is.

    Raises:
        ApiError: 415 for a form that the resource does not take, 422 for a JSON patch that does not apply.
    """
    form = content_type.partition(";")[0].strip()
    if form == JSON:
        return _json_patched(before, patch)
    if form not in (MERGE, STRATEGIC) or (form == STRATEGIC and kind.custom):
        raise unsupported(form)
    if not isinstance(patch, dict):
        raise bad_request("the patch is no object")
    merged: Json = _merged(before, patch, strategic=form == STRATEGIC)
    return merged


def _merged(before: Any, patch: Any, *, strategic: bool) -> Any:
    if not isinstance(patch, dict):
        return deepcopy(patch)
    result = deepcopy(before) if isinstance(before, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        elif strategic and key in _MERGE_KEYS and isinstance(value, list):
            result[key] = _joined(result.get(key) or [], value, _MERGE_KEYS[key])
        else:
            result[key] = _merged(result.get(key), value, strategic=strategic)
    return result


def _joined(before: list[Json], patch: list[Json], key: str) -> list[Json]:
    result = {one[key]: one for one in before}
    for one in patch:
        if one.get("$patch") == "delete":
            result.pop(one[key], None)
        else:
            result[one[key]] = _merged(result.get(one[key]), one, strategic=True)
    return list(result.values())


def _json_patched(before: Json, operations: Any) -> Json:
    if not isinstance(operations, list):
        raise bad_request("a JSON patch is a list of operations")
    result = deepcopy(before)
    for operation in operations:
        try:
            _apply(result, operation)
        except (KeyError, IndexError, TypeError, ValueError):
            raise unprocessable() from None
    return result


def _apply(document: Json, operation: Json) -> None:
    *parents, last = [one.replace("~1", "/").replace("~0", "~") for one in operation["path"].split("/")[1:]]
    target: Any = document
    for step in parents:
        target = target[int(step)] if isinstance(target, list) else target[step]
    key: Any = _index(target, last) if isinstance(target, list) else last
    match operation["op"]:
        case "test":
            if target[key] != operation["value"]:
                raise ValueError(operation["path"])
        case "remove":
            del target[key]
        case "replace":
            target[key]
            target[key] = deepcopy(operation["value"])
        case "add" if isinstance(target, list):
            target.insert(key, deepcopy(operation["value"]))
        case "add":
            target[key] = deepcopy(operation["value"])
        case other:
            raise ValueError(other)


def _index(target: list[Any], step: str) -> int:
    return len(target) if step == "-" else int(step)
