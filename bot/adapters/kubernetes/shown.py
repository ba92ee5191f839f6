"""Fields as they are bound to an approval, and as people see them."""

from __future__ import annotations

from hashlib import sha256

from bot.adapters.kubernetes.mutations import Fields, Mutation, Params
from bot.model.findings import Evidence
from bot.model.refs import Ref

#: Longer values stand as their digest.
_LONGEST = 200


def fingerprint(fields: Fields) -> Fields:
    """The fields to compare when the step runs; long texts by their SHA-256."""
    return {name: value if len(value) <= _LONGEST else _digest(value) for name, value in fields.items()}


def evidence(ref: Ref, fields: Fields) -> tuple[Evidence, ...]:
    """The fields as observations."""
    return tuple(
        Evidence(source="kubernetes", object=ref, field=name, quote=value)
        for name, value in fingerprint(fields).items()
    )


def of_each(mutation: Mutation, params: Params) -> str:
    """The difference of a step whose objects are found when it runs: no names, since those change."""
    wanted = mutation.wanted({"metadata": {}}, params, "")
    changed = [f"+ {name}: {value}" if value else f"- {name}" for name, value in wanted.items()]
    return "\n".join(["diff-each-node", *changed])


def _digest(value: str) -> str:
    return f"sha256:{sha256(value.encode()).hexdigest()}"
