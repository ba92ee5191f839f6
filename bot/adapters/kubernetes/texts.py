"""Sets one value inside a text that holds several: a path of a YAML document, a gate of a list of gates."""

from __future__ import annotations

import yaml


class NoMapping(ValueError):
    """The path leads through something that holds no keys."""


def with_path(text: str, path: str, value: str) -> str:
    """The YAML document with one value set; `value` is read as YAML (`false` is a boolean).

    Comments are not kept, and the order of keys is.

    Raises:
        yaml.YAMLError: the text or the value is not YAML.
        NoMapping: see there.
    """
    document = yaml.load(text, Loader=yaml.CSafeLoader) if text.strip() else {}
    setting = yaml.load(value, Loader=yaml.CSafeLoader)
    *parents, last = path.split(".")
    place = document
    for key in parents:
        if not isinstance(place, dict):
            break
        if place.get(key) is None:
            place[key] = {}
        place = place[key]
    if not isinstance(place, dict):
        raise NoMapping(path)
    if last in place and place[last] == setting:
        return text
    place[last] = setting
    return yaml.safe_dump(document, sort_keys=False)


def with_gate(text: str, gate: str, value: str) -> str:
    """The list `A=true,B=false` with one gate set; a gate that it lacks is added at the end."""
    pairs = dict(one.strip().partition("=")[::2] for one in text.split(",") if one.strip())
    pairs[gate] = value
    return ",".join(f"{name}={setting}" for name, setting in pairs.items())
