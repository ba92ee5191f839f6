"""A small runbook that the lint likes, as plain data, and the same with one thing changed."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import msgspec

from bot.remedy.lint import INTRO, Written
from bot.remedy.runbook import Runbook

PROBE = {"probe": "label-is", "params": {"node": "{node}", "label": "a", "value": "b"}}
GOOD: Mapping[str, Any] = {
    "name": "small",
    "roots": ["kubelet-swap-on"],
    "choice": "which",
    "parameters": {"node": "subject", "agent": "ref:daemonset", "config": "ref:config?", "size": "value:size"},
    "options": [
        {"id": "left", "steps": ["mark", "host", "wait"], "leaves": ["vm-unschedulable"]},
        {"id": "right", "steps": ["gate", "wait"], "unless": ["node-not-ready"]},
    ],
    "steps": [
        {
            "id": "mark",
            "verb": "label-node",
            "target": "node/{node}",
            "risk": "reversible",
            "params": {"label": "a", "value": "{size}"},
            "precondition": [{"probe": "sandbox-on"}],
            "verify": PROBE,
        },
        {
            "id": "host",
            "verb": "host",
            "target": "node/{node}",
            "risk": "disruptive",
            "after": ["mark"],
            "hazard": "hazard-host-before-guard",
            "commands": ["sudo swapoff -a", "cat /proc/swaps"],
            "verify": {"probe": "swap-off", "params": {"node": "{node}", "command": "cat /proc/swaps"}},
        },
        {
            "id": "gate",
            "verb": "patch-configmap",
            "target": "configmap/{config}",
            "risk": "reversible",
            "owner_of": "agent",
            "params": {"change": "monitor-off", "key": "k", "value": "false"},
            "expires": 60,
            "undo": "ungate",
            "verify": {"probe": "config-is", "params": {"daemonset": "ds/{agent}", "key": "k", "value": "false"}},
        },
        {
            "id": "ungate",
            "verb": "patch-configmap",
            "target": "configmap/{config}",
            "risk": "reversible",
            "owner_of": "agent",
            "params": {"change": "monitor-off", "key": "k", "value": "true"},
            "verify": {"probe": "config-is", "params": {"daemonset": "ds/{agent}", "key": "k", "value": "true"}},
        },
        {
            "id": "wait",
            "verb": "observe",
            "target": "node/{node}",
            "risk": "read",
            "after": ["host", "gate"],
            "verify": {"probe": "node-ready", "params": {"node": "{node}"}, "within": 300, "lasting": 60},
        },
    ],
}
SECTIONS = ("which", "left", "right", "mark", "host", "gate", "ungate", "wait")


def changed(*path: str | int, to: Any) -> dict[str, Any]:
    """The good runbook with one place of it set; None takes the place away."""
    data: Any = copy.deepcopy(dict(GOOD))
    here = data
    for key in path[:-1]:
        here = here[key]
    if to is None:
        del here[path[-1]]
    else:
        here[path[-1]] = to
    whole: dict[str, Any] = data
    return whole


def written(data: Mapping[str, Any], file: str = "small.md", lang: str = "en", **sections: str) -> Written:
    """A file as the adapter reads it; `sections` replace or add by id, an empty one takes it away."""
    texts = {one: f"{one}\n\nWhat {one} is for." for one in (INTRO, *SECTIONS)}
    texts[INTRO] = "Small\n\nWhat it is about."
    texts |= sections
    texts = {one: text for one, text in texts.items() if text}
    headings = tuple(one for one in texts if one != INTRO)
    book = msgspec.convert(data, Runbook)
    return Written(file=file, name="small", lang=lang, runbook=book, sections=texts, headings=headings)


def markdown(data: Mapping[str, Any]) -> str:
    """The runbook as a file; JSON is YAML too."""
    matter = msgspec.json.format(msgspec.json.encode(data)).decode()
    parts = [f"## {one}: Title of {one}\n\nWhat {one} is for.\n" for one in SECTIONS]
    return f"---\n{matter}\n---\n# Small\n\nWhat it is about.\n\n" + "\n".join(parts)
