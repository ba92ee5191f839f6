"""Incident B repaired for good with the real Karpenter. Axes: who makes the change, how wide it is, approved or not.

Two clusters live their stories at the same time: most of a story is waiting for tolerations to pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest

from bot.adapters.redis.embedded import EmbeddedServer
from bot.app.requests import PressKind
from bot.model.incident import Incident
from bot.playground.physics.addon import nvidia_monitor_off
from bot.remedy.plan import Plan, PlanState, StepState
from bot.remedy.runbook import Verb
from tests.support.controlplane import CONTROLLERS, SERVER, ControlPlane, assets_or_skip
from tests.support.crds import definitions, install
from tests.support.karpenter import folder_or_skip
from tests.support.kubeapi import Json
from tests.support.loop_objects import GATES, agent
from tests.support.redis import binary
from tests.support.repair import ANA, BEN, CAI
from tests.support.replacing import TOLERATION, Replacing, replacing

pytestmark = pytest.mark.real

FIVE = 5 * TOLERATION
#: A generation lives for a toleration, and comes and goes within seconds; the rest is for a busy machine.
GENERATION = 60.0
STEP = 60.0
T = TypeVar("T")


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """What is seen of a plan that ended a loop.

    Attributes:
        plan: at its end.
        last: births of machines since the repair took effect.
        quiet: how long none was born before the plan was done.
        card: the text of the message that says how it ended.
    """

    plan: Plan
    last: tuple[datetime, ...]
    quiet: timedelta
    card: str


class Patched(msgspec.Struct, frozen=True, kw_only=True):
    """The story in which the bot makes every change. `control` is the plan when nobody had approved anything."""

    chosen: Plan
    nodes_at_choice: tuple[str, ...]
    control: Plan
    replaced_without_approval: int
    nodes_at_approval: tuple[str, ...]
    nodes_at_second: tuple[str, ...]
    born: Mapping[str, datetime]
    ended: Ended
    incidents: tuple[Incident, ...]
    audit_holds: bool


class Gated(msgspec.Struct, frozen=True, kw_only=True):
    """The story of the gate, and of an owner who makes the change."""

    gate: Plan
    gates_off: str
    marked_while_off: tuple[str, ...]
    born_while_off: int
    undo: Plan
    gates_on: str
    temporary: datetime | None
    handed: Plan
    ended: Ended
    audit_holds: bool


def patched(world: Replacing) -> Patched:
    """The monitor is nobody's: the bot switches it off, once people approve."""
    world.play_until("a plan is offered", world.is_offered, GENERATION)
    world.play_until("a node is marked", world.freshly_marked, GENERATION)
    nodes = tuple(world.marked())
    chosen = world.choose("without-gpu-monitor")
    before = world.replaced()
    world.play_until("it loops on", lambda: world.replaced() - before >= 3, 4 * GENERATION)
    control, replaced = world.now(chosen), world.replaced() - before
    world.play_until("a node is marked", world.freshly_marked, GENERATION)
    world.approve(chosen, "monitor-off")
    world.until_step(chosen, "monitor-off", StepState.VERIFIED, STEP)
    later = tuple(world.marked())
    world.approve(chosen, "monitor-restart", BEN)
    world.play_until(
        "the next is marked", lambda: world.freshly_marked() and not {*later} & {*world.marked()}, GENERATION
    )
    last = tuple(world.marked())
    world.approve(chosen, "monitor-restart", CAI)
    world.until_step(chosen, "monitor-restart", StepState.VERIFIED, STEP)
    return Patched(
        chosen=chosen,
        nodes_at_choice=nodes,
        control=control,
        replaced_without_approval=replaced,
        nodes_at_approval=later,
        nodes_at_second=last,
        born=world.born,
        ended=ended(world, chosen),
        incidents=world.incidents.all_open(),
        audit_holds=world.audit_holds(),
    )


def gated(world: Replacing) -> Gated:
    """The gate first, to stop it; then the add-on's owner switches the monitor off, and the gate is taken back."""
    world.play_until("a plan is offered", world.is_offered, GENERATION)
    world.play_until("a node is marked", world.freshly_marked, GENERATION)
    gate = world.choose("without-node-repair")
    world.approve(gate, "gate-off")
    world.play_until("Karpenter runs with what stands there", lambda: "NodeRepair=false" in world.gates, STEP)
    born = world.replaced()
    gate, gates_off, marked = world.until_over(gate, 2 * FIVE.total_seconds()), world.gates, tuple(world.marked())
    world.ask("nodepool gpu")
    handed = world.choose("without-gpu-monitor")
    nvidia_monitor_off(world.physics)
    world.until_step(handed, "monitor-off", StepState.VERIFIED, STEP)
    world.approve(handed, "monitor-restart")
    world.until_step(handed, "monitor-restart", StepState.VERIFIED, STEP)
    while_off = world.replaced() - born
    undo = taken_back(world, gate)
    end = ended(world, handed)
    return Gated(
        gate=gate,
        gates_off=gates_off,
        marked_while_off=marked,
        born_while_off=while_off,
        undo=undo,
        gates_on=world.gates,
        temporary=world.now(gate).step("gate-off").temporary_until,
        handed=handed,
        ended=end,
        audit_holds=world.audit_holds(),
    )


def taken_back(world: Replacing, gate: Plan) -> Plan:
    """Somebody asks for node repair again, others approve it; the plan that did it."""
    world.press(PressKind.UNDO, ANA, gate, step="gate-off", digest=gate.step("gate-off").digest[:32])
    undo = world.plan()
    world.approve(undo, "gate-on")
    return world.until_over(undo, STEP)


def ended(world: Replacing, plan: Plan) -> Ended:
    """Wait for the end of a plan whose changes are made."""
    over = world.until_over(plan, GENERATION + 2 * FIVE.total_seconds())
    since, done = over.step("monitor-restart").applied_at, over.step("loop-ended").changed_at
    assert since is not None
    assert done is not None
    last = tuple(sorted(at for at in world.born.values() if at >= since))
    return Ended(
        plan=over, last=last, quiet=done - max(world.born.values()), card=world.last_card(f"finished/{over.state}")
    )


class Stage:
    """Control planes and Redis servers for worlds that are played side by side."""

    def __init__(self, stack: ExitStack, scratch: Path) -> None:
        self._stack = stack
        self._scratch = scratch
        self._assets = assets_or_skip(*SERVER, *CONTROLLERS)
        self._karpenter = folder_or_skip()
        self._pool = stack.enter_context(ThreadPoolExecutor(2))

    def play(self, name: str, story: Callable[[Replacing], T], things: list[Json]) -> Future[T]:
        """Begin to play a story in a world of its own."""
        plane = ControlPlane(self._assets, self._scratch / name / "plane", controllers=True)
        self._stack.callback(plane.stop)
        plane.start()
        with plane.api() as api:
            install(api, definitions())
        redis = self._stack.enter_context(EmbeddedServer(binary("embedded")))

        def played() -> T:
            with replacing(plane, self._karpenter, self._scratch / name, redis.url, things) as world:
                return story(world)

        return self._pool.submit(played)


@pytest.fixture(scope="module")
def stories(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Future[Patched], Future[Gated]]]:
    with ExitStack() as stack:
        stage = Stage(stack, tmp_path_factory.mktemp("replacing"))
        yield (
            stage.play("gated", gated, agent(configured=False, **{"app.kubernetes.io/managed-by": "EKS"})),
            stage.play("patched", patched, agent(configured=True)),
        )[::-1]


@pytest.fixture(scope="module")
def bots_own(stories: tuple[Future[Patched], Future[Gated]]) -> Patched:
    return stories[0].result()


@pytest.fixture(scope="module")
def gates(stories: tuple[Future[Patched], Future[Gated]]) -> Gated:
    return stories[1].result()


def test_without_an_approval_it_goes_on(bots_own: Patched) -> None:
    assert bots_own.replaced_without_approval >= 3
    assert [one.state for one in bots_own.control.steps] == [StepState.AWAITING, StepState.PENDING, StepState.PENDING]


def test_the_bot_changes_what_is_nobodys(bots_own: Patched) -> None:
    verbs = [one.action.verb for one in bots_own.chosen.steps]
    assert verbs == [Verb.PATCH_CONFIGMAP, Verb.ROLLOUT_RESTART, Verb.OBSERVE]


def test_what_was_approved_on_one_generation_holds_for_the_next(bots_own: Patched) -> None:
    generations = (bots_own.nodes_at_choice, bots_own.nodes_at_approval, bots_own.nodes_at_second)
    assert [len(one) for one in generations] == [1, 1, 1]
    assert len({node for one in generations for node in one}) == 3
    restart = bots_own.ended.plan.step("monitor-restart")
    first, second = restart.votes
    assert (first.actor, second.actor, first.digest) == (BEN, CAI, second.digest)
    assert restart.applied_at is not None
    assert [at for at in bots_own.born.values() if first.at < at < second.at < restart.applied_at], (
        "one was born between"
    )
    assert [one.digest for one in bots_own.ended.plan.steps] == [one.digest for one in bots_own.chosen.steps]


def test_every_generation_is_one_incident(bots_own: Patched) -> None:
    (incident,) = bots_own.incidents
    assert incident.count >= 4


def test_the_repair_ends_the_loop_as_predicted(bots_own: Patched) -> None:
    end = bots_own.ended
    seen = end.plan.step("loop-ended").values

    assert end.plan.state is PlanState.DONE
    assert (end.plan.predicted, len(end.last)) == ({"last-replacements": 1}, 1)
    assert (seen["predicted"], seen["count"]) == ("1", "1")
    assert "replacements that begin after the repair: 1; seen: 1" in end.card
    assert end.quiet >= FIVE


def test_what_the_gate_held_back_is_replaced_once_more_as_predicted(gates: Gated) -> None:
    end = gates.ended
    assert end.plan.state is PlanState.DONE
    assert (end.plan.predicted, len(end.last)) == ({"last-replacements": 0, "held-replacements": 1}, 1)
    assert "replacements that begin after the repair: 0, once node repair is on again: 1 more; seen: 1" in end.card
    assert end.quiet >= FIVE


def test_what_an_owner_would_undo_is_handed_over(gates: Gated) -> None:
    step = gates.handed.step("monitor-off")
    assert (step.action.verb, step.action.params["owner"]) == (Verb.HAND_OVER, "eks-addon")
    assert gates.ended.plan.step("monitor-off").state is StepState.VERIFIED
    assert gates.ended.plan.step("monitor-off").votes == ()


def test_without_the_gate_nothing_is_replaced_though_the_node_stays_marked(gates: Gated) -> None:
    assert gates.gates_off == GATES.replace("NodeRepair=true", "NodeRepair=false")
    assert (gates.gate.state, gates.born_while_off) == (PlanState.DONE, 0)
    assert len(gates.marked_while_off) == 1
    assert gates.gate.leaves == ("gpu-condition-false",)
    assert gates.gate.step("loop-ended").values["count"] == "0"


def test_the_gate_is_taken_back_and_karpenter_replaces_what_it_held(gates: Gated) -> None:
    assert (gates.undo.state, [one.action.step for one in gates.undo.steps]) == (PlanState.DONE, ["gate-on"])
    assert gates.gates_on == GATES
    (on,) = gates.undo.steps
    assert on.applied_at is not None
    assert [one > on.applied_at for one in gates.ended.last] == [True]
    assert gates.gate.step("gate-off").temporary_until is not None
    assert gates.temporary is None


def test_the_audit_holds(bots_own: Patched, gates: Gated) -> None:
    assert (bots_own.audit_holds, gates.audit_holds) == (True, True)
