"""Label and field selectors, in the API's syntax."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from bot.playground.apiserver.errors import bad_request
from bot.playground.apiserver.types import Json, ResourceType

Test = Callable[[Json], bool]

#: Fields that a selector may name, by resource, as Kubernetes registers them; every resource has the first two.
_EVERYWHERE = frozenset({"metadata.name", "metadata.namespace"})
_FIELDS: dict[str, frozenset[str]] = {
    "pods": frozenset({"spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "status.phase", "status.podIP"}),
    "nodes": frozenset({"spec.unschedulable"}),
    "events": frozenset(
        {
            *(f"involvedObject.{field}" for field in ("kind", "namespace", "name", "uid", "apiVersion", "fieldPath")),
            *("reason", "type", "reportingComponent"),
        }
    ),
    "namespaces": frozenset({"status.phase"}),
}
_SET = re.compile(r"^(?P<key>[\w./-]+)\s+(?P<operator>in|notin)\s+\((?P<values>[^()]*)\)$")
_EQUAL = re.compile(r"^(?P<key>[\w./-]+)\s*(?P<operator>==|=|!=)\s*(?P<value>[\w.-]*)$")
_EXISTS = re.compile(r"^(?P<absent>!?)\s*(?P<key>[\w./-]+)$")
_OUTSIDE_PARENTHESES = re.compile(r",(?![^()]*\))")


def selected(kind: ResourceType, labels: str, fields: str) -> Test:
    """One test for both selectors.

    Raises:
        ApiError: 400, a selector cannot be read or names a field that the resource does not offer.
    """
    tests = [*_label_tests(labels), *_field_tests(kind, fields)]
    return lambda thing: all(test(thing) for test in tests)


def _label_tests(selector: str) -> Iterable[Test]:
    for part in filter(None, (one.strip() for one in _OUTSIDE_PARENTHESES.split(selector))):
        yield _label_test(part)


def _label_test(part: str) -> Test:
    if found := _SET.match(part):
        key, values = found["key"], frozenset(one.strip() for one in found["values"].split(","))
        if found["operator"] == "in":
            return lambda thing: _labels(thing).get(key) in values
        return lambda thing: _labels(thing).get(key) not in values
    if found := _EQUAL.match(part):
        key, value = found["key"], found["value"]
        if found["operator"] == "!=":
            return lambda thing: _labels(thing).get(key) != value
        return lambda thing: _labels(thing).get(key) == value
    if found := _EXISTS.match(part):
        key, wanted = found["key"], not found["absent"]
        return lambda thing: (key in _labels(thing)) is wanted
    raise bad_request(f"unable to parse requirement: {part!r}")


def _field_tests(kind: ResourceType, selector: str) -> Iterable[Test]:
    for part in filter(None, selector.split(",")):
        yield _field_test(kind, part)


def _field_test(kind: ResourceType, part: str) -> Test:
    found = re.match(r"^(?P<field>[\w.]+)(?P<operator>==|=|!=)(?P<value>.*)$", part)
    if found is None:
        raise bad_request(f"invalid selector: '{part}'; can't understand '{part}'")
    field, value, wanted = found["field"], found["value"], found["operator"] != "!="
    if field not in _EVERYWHERE | _FIELDS.get(kind.plural, frozenset()):
        raise bad_request(f"field label not supported: {field}")
    path = field.split(".")
    return lambda thing: (_text(thing, path) == value) is wanted


def _labels(thing: Json) -> dict[str, str]:
    labels: dict[str, str] = thing["metadata"].get("labels") or {}
    return labels


def _text(thing: Any, path: list[str]) -> str:
    for key in path:
        thing = thing.get(key) if isinstance(thing, dict) else None
    if isinstance(thing, bool) or (thing is None and path == ["spec", "unschedulable"]):
        return "true" if thing else "false"
    return "" if thing is None else str(thing)
