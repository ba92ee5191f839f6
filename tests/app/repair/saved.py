"""A moment of everything that decides how a repair goes on: kept, gone back to, told apart from others."""

from __future__ import annotations

from typing import Any, NamedTuple

import redis

from bot.playground.apiserver.store import Moment
from bot.remedy.plan import Plan, PlanStep, StepState
from bot.remedy.table import STEPS

#: Who said what of a step that nothing leads out of, or that is attested, is history; only how many told of it counts.
_SETTLED = frozenset(StepState) - {state for (state, _), to in STEPS.items() if to != {state}} | {StepState.ATTESTED}


class Saved(NamedTuple):
    """A moment of everything: it can be gone back to, and gone on from in another way."""

    objects: Moment
    redis: dict[bytes, tuple[bytes, int]]
    clock: Any
    board: Any


def pod_shape(pod: Any) -> tuple[str, str, bool]:
    """Whose pod it is, its phase, and whether it is on its way out; its name is new each time."""
    meta = pod["metadata"]
    owner = next((one["name"] for one in meta.get("ownerReferences", ())), str(meta["name"]))
    return owner, pod["status"].get("phase", ""), "deletionTimestamp" in meta


def plan_shape(plan: Plan) -> list[Any]:
    """What of a plan decides how it goes on."""
    steps = [
        [
            one.action.step,
            one.state,
            *_voices(one),
            bool(one.evidence),
            bool(one.break_glass),
        ]
        for one in plan.steps
    ]
    return [plan.state, plan.option, plan.requester.id, steps]


def _voices(step: PlanStep) -> list[Any]:
    if step.state in _SETTLED:
        return [len(set(step.told_by)) > 1]
    return [sorted((vote.actor.id, vote.approve) for vote in step.votes), sorted(actor.id for actor in step.told_by)]


def dumped(client: redis.Redis) -> dict[bytes, tuple[bytes, int]]:
    """All that Redis holds: each value with the milliseconds that it has left, 0 for ever."""
    names: list[Any] = list(client.scan_iter(count=1000))
    with client.pipeline(transaction=True) as pipe:
        for name in names:
            pipe.dump(name)
            pipe.pttl(name)
        found = pipe.execute()
    return {name: (found[2 * at], max(0, found[2 * at + 1])) for at, name in enumerate(names)}


def restore(client: redis.Redis, kept: dict[bytes, tuple[bytes, int]]) -> None:
    """Redis holds this and nothing else."""
    with client.pipeline(transaction=True) as pipe:
        pipe.flushdb()
        for name, (value, ttl) in kept.items():
            pipe.restore(name, ttl, value)
        pipe.execute()
