"""Probes of workloads, configuration and NodePools: what is so, what is not so yet, what could not be read."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import msgspec
import pytest

from bot.model.objects import (
    ConfigMap,
    Container,
    DaemonSet,
    Deployment,
    ObjectMeta,
    Pod,
)
from bot.model.objects.core import (
    ConfigMapVolume,
    DaemonSetStatus,
    DeploymentStatus,
    EnvVar,
    PodTemplate,
    TemplateSpec,
    Volume,
    WorkloadSpec,
)
from bot.model.refs import Ref
from bot.model.sections import Section, Unknown, UnknownReason, UnreadableObject
from bot.model.snapshot import RepairPolicy, Snapshot
from bot.remedy.plan import PlanStep
from bot.remedy.probes import PROBES, Answer, ProbeAnswer, call_of, configmaps_of
from bot.remedy.runbook import Probe, ProbeCall, Verb
from tests.support import replacement
from tests.support.repairs import SEEN, active, step, with_step, worded
from tests.support.replacement import AT, claim, event, mark

FAILED = Unknown(UnknownReason.FAILED, "HTTP 500")
AGENT = Ref("ds", "agent", "kube-system")
KARPENTER = Ref("deploy", "karpenter", "kube-system")
POOL = Ref("nodepool", "gpu")
CONFIG = Ref("configmap", "agent-monitor-config", "kube-system")


def asked(probe: Probe, snapshot: Snapshot, target: Ref, *, lasting: int = 0, **params: str) -> ProbeAnswer:
    named = {key.replace("_", "-"): value for key, value in params.items()}
    return worded(PROBES[probe](snapshot, ProbeCall(probe=probe, params=named, lasting=lasting), target))


def cluster(**sections: Any) -> Snapshot:
    return replacement.cluster(**sections)


def daemonset(
    generation: int = 2,
    observed: int = 2,
    updated: int = 3,
    is_ready: int = 3,
    image: str = "agent:1.6",
    mounts: str = "",
) -> DaemonSet:
    volumes = (Volume(name="monitor-config", config_map=ConfigMapVolume(name=mounts)),) if mounts else ()
    template = PodTemplate(spec=TemplateSpec(containers=(Container(name="agent", image=image),), volumes=volumes))
    return DaemonSet(
        kind="DaemonSet",
        metadata=ObjectMeta(name="agent", namespace="kube-system", generation=generation),
        spec=WorkloadSpec(template=template),
        status=DaemonSetStatus(
            desired_number_scheduled=3,
            number_ready=is_ready,
            observed_generation=observed,
            updated_number_scheduled=updated,
        ),
    )


def deployment(
    gates: str | None = "NodeRepair=true,Other=false",
    args: tuple[str, ...] = (),
    generation: int = 2,
    observed: int = 2,
    pods: tuple[int, int, int] = (2, 2, 2),
) -> Deployment:
    env = () if gates is None else (EnvVar(name="FEATURE_GATES", value=gates),)
    controller = Container(name="controller", env=env, args=args)
    replicas, updated, available = pods
    return Deployment(
        kind="Deployment",
        metadata=ObjectMeta(name="karpenter", namespace="kube-system", generation=generation),
        spec=WorkloadSpec(replicas=2, template=PodTemplate(spec=TemplateSpec(containers=(controller,)))),
        status=DeploymentStatus(
            replicas=replicas, available_replicas=available, observed_generation=observed, updated_replicas=updated
        ),
    )


@pytest.mark.parametrize(
    ("thing", "answer", "why"),
    [
        (daemonset(), Answer.HOLDS, "repair-rolled-out"),
        (daemonset(generation=3), Answer.NOT_YET, "repair-rollout-runs"),
        (daemonset(updated=2), Answer.NOT_YET, "repair-rollout-runs"),
        (daemonset(is_ready=2), Answer.NOT_YET, "repair-rollout-runs"),
    ],
)
def test_a_daemonset_is_rolled_out(thing: DaemonSet, answer: Answer, why: str) -> None:
    said = asked(Probe.ROLLED_OUT, cluster(daemonsets=(thing,)), AGENT)
    assert (said.answer, said.why) == (answer, why)


@pytest.mark.parametrize(
    ("thing", "held"),
    [
        (deployment(), True),
        (deployment(generation=3), False),
        (deployment(pods=(2, 1, 2)), False),
        (deployment(pods=(3, 2, 2)), False),
        (deployment(pods=(2, 2, 1)), False),
    ],
    ids=["all", "not noticed", "old pods", "an old one left", "not available"],
)
def test_a_deployment_is_rolled_out(thing: Deployment, held: bool) -> None:
    assert asked(Probe.ROLLED_OUT, cluster(deployments=(thing,)), POOL, object=str(KARPENTER)).holds == held


@pytest.mark.parametrize(("image", "held"), [("agent:1.5", False), ("agent:1.6", True)])
def test_an_upgrade_shows_another_image(image: str, held: bool) -> None:
    picture = cluster(daemonsets=(daemonset(image=image),))
    assert asked(Probe.ROLLED_OUT, picture, AGENT, image_was="agent:1.5").holds == held


@pytest.mark.parametrize(
    ("sections", "target", "answer", "why"),
    [
        ({"daemonsets": FAILED}, AGENT, Answer.CANNOT_TELL, "repair-section-unread"),
        ({"daemonsets": ()}, AGENT, Answer.NOT_YET, "repair-object-gone"),
        ({}, POOL, Answer.CANNOT_TELL, "repair-probe-malformed"),
    ],
)
def test_a_rollout_that_cannot_be_seen(sections: dict[str, Any], target: Ref, answer: Answer, why: str) -> None:
    said = asked(Probe.ROLLED_OUT, cluster(**sections), target)
    assert (said.answer, said.why) == (answer, why)


@pytest.mark.parametrize(
    ("thing", "params", "held"),
    [
        (deployment(), {"value": "NodeRepair=true,Other=false"}, True),
        (deployment(), {"value": "NodeRepair=false,Other=false"}, False),
        (deployment("Other=false, NodeRepair=false"), {"contains": "NodeRepair=false"}, True),
        (deployment(), {"contains": "NodeRepair=false"}, False),
        (deployment("XNodeRepair=false"), {"contains": "NodeRepair=false"}, False),
        (
            deployment("NodeRepair=false", args=("--feature-gates=NodeRepair=true",)),
            {"contains": "NodeRepair=false"},
            False,
        ),
        (deployment(None), {"contains": "NodeRepair=false"}, False),
        (deployment(), {"value": "NodeRepair=true,Other=false", "container": "controller"}, True),
        (deployment(), {"value": "NodeRepair=true,Other=false", "container": "other"}, False),
    ],
    ids=["exact", "exact other", "part", "other part", "only the end", "a flag wins", "absent", "container", "another"],
)
def test_environment(thing: Deployment, params: dict[str, str], held: bool) -> None:
    said = asked(Probe.ENV_IS, cluster(deployments=(thing,)), KARPENTER, name="FEATURE_GATES", **params)
    assert said.answer is (Answer.HOLDS if held else Answer.NOT_YET)
    assert said.evidence


@pytest.mark.parametrize("params", [{"name": "FEATURE_GATES"}, {"value": "x"}])
def test_an_environment_is_asked_for_wholly(params: dict[str, str]) -> None:
    said = asked(Probe.ENV_IS, cluster(deployments=(deployment(),)), KARPENTER, **params)
    assert said.why == "repair-probe-malformed"


def config(data: str, key: str = "config.yaml", name: str = CONFIG.name) -> ConfigMap:
    return ConfigMap(kind="ConfigMap", metadata=ObjectMeta(name=name, namespace="kube-system"), data={key: data})


OFF = {"key": "config.yaml", "path": "monitors.nvidia.enabled", "value": "false"}


@pytest.mark.parametrize(
    ("configmaps", "answer", "why"),
    [
        ((config("monitors: {nvidia: {enabled: false}}"),), Answer.HOLDS, "repair-sees"),
        ((config("monitors: {nvidia: {enabled: true}}"),), Answer.NOT_YET, "repair-sees-other"),
        ((config("monitors: {nvidia: {enabled: 'false'}}"),), Answer.HOLDS, "repair-sees"),
        ((config("monitors: {}"),), Answer.NOT_YET, "repair-sees-other"),
        ((config("[]"),), Answer.NOT_YET, "repair-sees-other"),
        ((config("a: [b"),), Answer.CANNOT_TELL, "repair-value-unreadable"),
        ((config("x", key="other"),), Answer.NOT_YET, "repair-sees-other"),
        ((), Answer.NOT_YET, "repair-object-gone"),
        (FAILED, Answer.CANNOT_TELL, "repair-section-unread"),
    ],
)
def test_a_value_of_a_configmap(configmaps: object, answer: Answer, why: str) -> None:
    said = asked(Probe.CONFIG_IS, cluster(configmaps=configmaps), CONFIG, **OFF)
    assert (said.answer, said.why) == (answer, why)


def test_configmaps_are_not_collected_unless_somebody_does() -> None:
    assert asked(Probe.CONFIG_IS, cluster(), CONFIG, **OFF).answer is Answer.CANNOT_TELL


def test_a_whole_value_is_compared_as_text() -> None:
    picture = cluster(configmaps=(config("on\n"),))
    assert asked(Probe.CONFIG_IS, picture, CONFIG, key="config.yaml", value="on").holds
    assert not asked(Probe.CONFIG_IS, picture, CONFIG, key="config.yaml", value="off").holds


@pytest.mark.parametrize(
    ("mounts", "answer", "why"),
    [
        (CONFIG.name, Answer.HOLDS, "repair-sees"),
        ("other", Answer.NOT_YET, "repair-object-gone"),
        ("", Answer.NOT_YET, "repair-config-not-mounted"),
    ],
)
def test_a_configmap_counts_where_it_is_mounted(mounts: str, answer: Answer, why: str) -> None:
    picture = cluster(
        configmaps=(config("monitors: {nvidia: {enabled: false}}"),), daemonsets=(daemonset(mounts=mounts),)
    )
    said = asked(Probe.CONFIG_IS, picture, CONFIG, daemonset=str(AGENT), **OFF)
    assert (said.answer, said.why) == (answer, why)


def test_which_configmaps_are_to_be_read_is_told() -> None:
    picture = cluster(daemonsets=(daemonset(mounts="mounted"),))
    call = ProbeCall(probe=Probe.CONFIG_IS, params={"daemonset": str(AGENT)})
    assert configmaps_of(picture, call, CONFIG) == (Ref("configmap", "mounted", "kube-system"),)
    assert configmaps_of(picture, ProbeCall(probe=Probe.CONFIG_IS), CONFIG) == (CONFIG,)


def running(name: str = "agent-1", uid: str = "uid-1") -> Pod:
    return Pod(kind="Pod", metadata=ObjectMeta(name=name, namespace="kube-system", uid=uid))


VICTIM = Ref("pod", "agent-1", "kube-system")


@pytest.mark.parametrize(
    ("sections", "uid", "answer"),
    [
        ({"pods": ()}, "uid-1", Answer.HOLDS),
        ({"pods": (running(),)}, "uid-1", Answer.NOT_YET),
        ({"pods": (running(uid="uid-2"),)}, "uid-1", Answer.HOLDS),
        ({"pods": (running(uid="uid-2"),)}, "", Answer.NOT_YET),
        ({"pods": FAILED}, "uid-1", Answer.CANNOT_TELL),
        ({"pods": (), "gaps": {Section.PODS: FAILED}}, "uid-1", Answer.CANNOT_TELL),
        (
            {"pods": (), "unreadable": (UnreadableObject(Section.PODS, "agent-1", "kube-system"),)},
            "uid-1",
            Answer.CANNOT_TELL,
        ),
    ],
    ids=["gone", "there", "its successor", "by name", "unread", "in part", "unreadable"],
)
def test_a_pod_is_gone_by_its_uid(sections: dict[str, Any], uid: str, answer: Answer) -> None:
    assert asked(Probe.POD_GONE, cluster(**sections), VICTIM, uid=uid).answer is answer


GPU_READY = "AcceleratedHardwareReady"


@pytest.mark.parametrize(
    ("nodes", "answer"),
    [
        ((replacement.node("a"), replacement.node("b", mark("True"))), Answer.HOLDS),
        ((replacement.node("a"), replacement.node("b", mark())), Answer.NOT_YET),
        ((replacement.node("other", mark(), pool="cpu"),), Answer.HOLDS),
        ((), Answer.HOLDS),
        (FAILED, Answer.CANNOT_TELL),
    ],
    ids=["gone or well", "one left", "of another pool", "no node", "unread"],
)
def test_the_condition_is_gone_from_the_pool(nodes: object, answer: Answer) -> None:
    said = asked(Probe.CONDITION_GONE, cluster(nodes=nodes), POOL, condition=GPU_READY)
    assert said.answer is answer
    assert said.evidence or answer is Answer.CANNOT_TELL


def test_the_condition_is_gone_from_one_node() -> None:
    picture = cluster(nodes=(replacement.node("a", mark()), replacement.node("b")))
    assert asked(Probe.CONDITION_GONE, picture, POOL, node="b", condition=GPU_READY).holds
    assert not asked(Probe.CONDITION_GONE, picture, Ref("node", "a"), condition=GPU_READY).holds
    assert asked(Probe.CONDITION_GONE, picture, AGENT, condition=GPU_READY).why == "repair-probe-malformed"


def test_a_part_of_the_nodes_does_not_show_that_none_carries_it() -> None:
    picture = cluster(nodes=(), gaps={Section.NODES: FAILED})
    assert asked(Probe.CONDITION_GONE, picture, POOL, condition=GPU_READY).answer is Answer.CANNOT_TELL


def quiet(*claims: Any, lasting: int = 3000, events: tuple[Any, ...] = (), **params: str) -> ProbeAnswer:
    picture = cluster(nodeclaims=claims, events=events)
    return asked(Probe.NO_REPLACEMENT, picture, POOL, lasting=lasting, **params)


@pytest.mark.parametrize(
    ("claims", "events", "held"),
    [
        ((claim("gpu-aaaaa", age=51),), (), True),
        ((claim("gpu-aaaaa", age=49),), (), False),
        ((claim("cpu-aaaaa", pool="cpu", age=1), claim("gpu-aaaaa")), (), True),
        ((claim("gpu-aaaaa", age=300, deleting=200),), (), False),
        ((claim("gpu-aaaaa"),), replacement.new_dialect([49]), False),
        ((claim("gpu-aaaaa"),), replacement.new_dialect([55]), True),
        ((), (), True),
    ],
    ids=["old enough", "too young", "of another pool", "deletion runs", "end in an event", "long ended", "no machine"],
)
def test_no_machine_came_or_went(claims: tuple[Any, ...], events: tuple[Any, ...], held: bool) -> None:
    said = quiet(*claims, events=events)
    assert said.answer is (Answer.HOLDS if held else Answer.NOT_YET)
    assert said.evidence


def test_an_end_that_karpenter_chose_is_no_replacement() -> None:
    ended = event("NodeClaim", "gpu-bbbbb", "Drained", 20)
    chosen = event("NodeClaim", "gpu-bbbbb", "DisruptionTerminating", 21, "Disrupting NodeClaim: Underutilized")
    assert not quiet(claim("gpu-aaaaa"), events=(ended,)).holds
    assert quiet(claim("gpu-aaaaa"), events=(ended, chosen)).holds


def test_quiet_counts_from_the_repair_at_the_earliest() -> None:
    ago = {name: (AT - timedelta(minutes=minutes)).isoformat() for name, minutes in (("new", 10), ("old", 55))}
    assert not quiet(claim("gpu-aaaaa"), since=ago["new"]).holds
    assert quiet(claim("gpu-aaaaa"), since=ago["old"]).holds
    assert quiet(claim("gpu-aaaaa"), since=(AT + timedelta(days=9)).isoformat()).holds


def test_what_happened_is_told_beside_what_was_predicted() -> None:
    since = (AT - timedelta(minutes=90)).isoformat()
    said = quiet(claim("gpu-zzzzz"), events=replacement.new_dialect([100, 80, 60]), since=since, predicted="1")
    assert (said.holds, said.values["count"], said.values["predicted"]) == (True, "2", "1")


@pytest.mark.parametrize(
    ("seconds", "age", "held"),
    [(15, 76 / 60, True), (15, 74 / 60, False), (600, 51, True), (600, 49, False), (0, 51, True), (0, 49, False)],
    ids=["sped up", "sped up, too soon", "of AWS", "of AWS, too soon", "no row", "no row, too soon"],
)
def test_quiet_lasts_so_many_tolerations_of_the_policy(seconds: int, age: float, held: bool) -> None:
    rows = [RepairPolicy("Ready", "False", timedelta(hours=9))]
    rows += [RepairPolicy(GPU_READY, "False", timedelta(seconds=seconds))] if seconds else []
    picture = cluster(nodeclaims=(claim("gpu-aaaaa", age=age),), events=(), repair_policies=tuple(rows))
    assert asked(Probe.NO_REPLACEMENT, picture, POOL, lasting=3000, tolerations="5").holds == held


@pytest.mark.parametrize("tolerations", ["0", "-1", "2.5", "many"])
def test_a_number_of_tolerations_is_a_number(tolerations: str) -> None:
    assert quiet(tolerations=tolerations).why == "repair-probe-malformed"


@pytest.mark.parametrize("since", ["yesterday", "2026-10-30T15:40:00"])
def test_a_moment_without_a_zone_is_none(since: str) -> None:
    assert quiet(since=since).why == "repair-probe-malformed"


@pytest.mark.parametrize("section", ["nodeclaims", "events"])
@pytest.mark.parametrize("in_part", [True, False])
def test_quiet_is_not_told_where_the_history_was_not_read(section: str, in_part: bool) -> None:
    gone = {"gaps": {Section(section): FAILED}} if in_part else {section: FAILED}
    assert asked(Probe.NO_REPLACEMENT, cluster(**gone), POOL).answer is Answer.CANNOT_TELL


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
