"""What a dry run would change, in lines. Axes: kind of value, how it changes, whether it changes by itself."""

from __future__ import annotations

from typing import Any

import pytest

from bot.adapters.kubernetes.difference import changes, lines

Json = dict[str, Any]


def shown(before: Json, after: Json) -> list[str]:
    return lines(changes(before, after)).splitlines()


CASES: dict[str, tuple[Json, Json, list[str]]] = {
    "nothing": ({"spec": {"a": 1}}, {"spec": {"a": 1}}, []),
    "a number": ({"spec": {"replicas": 1}}, {"spec": {"replicas": 2}}, ["- spec.replicas: 1", "+ spec.replicas: 2"]),
    "a new boolean": ({"spec": {}}, {"spec": {"paused": True}}, ["+ spec.paused: true"]),
    "a label": (
        {"metadata": {"labels": {"a": "b"}}},
        {"metadata": {"labels": {"x/y": "z"}}},
        ["- metadata.labels[a]: b", "+ metadata.labels[x/y]: z"],
    ),
    "data": ({"data": {"mode": "on"}}, {"data": {"mode": "off"}}, ["- data[mode]: on", "+ data[mode]: off"]),
    "an entry by its name, whatever its place": (
        {"env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]},
        {"env": [{"name": "B", "value": "3"}, {"name": "A", "value": "1"}]},
        ["- env[B].value: 2", "+ env[B].value: 3"],
    ),
    "an entry by its place": ({"args": ["a", "b"]}, {"args": ["a", "c"]}, ["- args[1]: b", "+ args[1]: c"]),
    "a condition that goes": (
        {"conditions": [{"type": "Bad", "status": "False", "lastHeartbeatTime": "t"}]},
        {"conditions": []},
        ["- conditions[Bad].status: False", "- conditions[Bad].type: Bad"],
    ),
    "a long text": (
        {"data": {"c": "a\nb\nc\n"}},
        {"data": {"c": "a\nB\nc\n"}},
        ["  data[c]:", " a", "-b", "+B", " c"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_change_is_shown(case: str) -> None:
    before, after, wanted = CASES[case]
    assert shown(before, after) == wanted


@pytest.mark.parametrize(
    "change",
    [
        {"metadata": {"resourceVersion": "2"}},
        {"metadata": {"generation": 2}},
        {"metadata": {"managedFields": [{"manager": "x", "fieldsV1": {"f:a": {}}}]}},
        {"metadata": {"annotations": {"autopsy.io/exec-id": "x"}}},
        {"metadata": {"annotations": {"deprecated.daemonset.template.generation": "2"}}},
        {"spec": {"template": {"metadata": {"annotations": {"autopsy.io/restarted-by": "x"}}}}},
        {"status": {"conditions": [{"lastHeartbeatTime": "2026-11-30T06:00:00Z"}]}},
    ],
    ids=str,
)
def test_what_changes_by_itself_is_not(change: Json) -> None:
    assert shown({}, change) == []
    assert shown(change, {}) == []


def test_a_long_text_has_an_end() -> None:
    many = "".join(f"{number}\n" for number in range(1000))
    found = shown({"data": {"c": ""}}, {"data": {"c": many}})
    assert len(found) < 210
    assert found[-1] == "  … (+801)"
