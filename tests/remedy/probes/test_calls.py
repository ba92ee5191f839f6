"""Axes: what a call names; what the plan adds to it; what nobody asks for."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest

from bot.model.snapshot import Snapshot
from bot.remedy.plan import PlanStep
from bot.remedy.probes import PROBES, Answer, call_of
from bot.remedy.runbook import Probe, ProbeCall, Verb
from tests.remedy.probes.workloads import POOL
from tests.support.repairs import SEEN, active, step, with_step
from tests.support.replacement import AT


@pytest.mark.parametrize("probe", Probe)
def test_every_probe_can_be_asked_and_says_what_it_needs(probe: Probe) -> None:
    question = PROBES[probe]
    wanted = dict.fromkeys(question.needs, "x")
    assert question.flaws(ProbeCall(probe=probe, params={**wanted, "command": "cat"})) == ()
    assert question.flaws(ProbeCall(probe=probe, params={**wanted, "wrong": "x"})) == ("wrong",)
    lasting = question.flaws(ProbeCall(probe=probe, params=wanted, lasting=60))
    assert lasting == (() if probe in (Probe.NODE_READY, Probe.NO_REPLACEMENT) else ("lasting",))
    assert question.flaws(ProbeCall(probe=probe)) == tuple(sorted(question.needs))
    nothing = question(Snapshot(at=AT), ProbeCall(probe=probe, params=wanted), POOL)
    assert nothing.answer is Answer.CANNOT_TELL


@pytest.mark.parametrize(
    ("seen", "applied", "since"),
    [(5, None, 5), (5, 2, 2), (None, 2, 2), (None, None, None)],
    ids=["seen only", "changed, then seen", "changed", "neither"],
)
def test_replacements_count_from_the_change_where_the_bot_made_one(
    seen: int | None, applied: int | None, since: int | None
) -> None:
    """A rollout may last; a node that goes meanwhile goes for the last time."""
    moment = {None: None} | {one: AT + timedelta(minutes=one) for one in (2, 5)}
    guard = step()
    plan = active(guard, of(Probe.NO_REPLACEMENT, guard))
    evidence = (msgspec.structs.replace(SEEN[0], last_seen=moment[seen]),)
    plan = with_step(plan, evidence=evidence, applied_at=moment[applied])

    wanted = {} if since is None else {"since": moment[since].isoformat()}  # type: ignore[union-attr]
    assert {key: text for key, text in call_of(plan, plan.step("last")).params.items() if key == "since"} == wanted


def of(probe: Probe, *before: PlanStep, name: str = "last") -> PlanStep:
    return step(name, *before, verb=Verb.OBSERVE, probe=probe)


def test_the_plan_tells_a_probe_what_only_it_knows() -> None:
    guard = step()
    seen = (msgspec.structs.replace(SEEN[0], last_seen=AT),)
    plan = active(guard, of(Probe.NO_REPLACEMENT, guard), of(Probe.POD_GONE, guard, name="gone"))
    plan = msgspec.structs.replace(with_step(plan, evidence=seen), predicted={"last-replacements": 4})
    filled = call_of(plan, plan.step("last"))
    assert (filled.params["predicted"], filled.params["since"]) == ("4", AT.isoformat())
    assert call_of(plan, plan.step("gone")).params["uid"] == "uid-1"
    assert call_of(plan, plan.step("guard")) == guard.action.verify
