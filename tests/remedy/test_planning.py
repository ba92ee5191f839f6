"""Plans of both founding incidents, from their dumps: what is offered, what is done to what, and bound to what."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from bot.adapters.files.dump import DumpCluster
from bot.adapters.files.runbooks import load_runbooks
from bot.app.repair.ports import Prepared
from bot.entry.wiring.diagnosis import Source, investigator
from bot.model.diagnosis import Diagnosis
from bot.model.findings import Blind, Code
from bot.model.moment import Moment
from bot.model.refs import CLUSTER, Ref
from bot.model.report import MomentSource
from bot.remedy import planning
from bot.remedy.digest import digest_of
from bot.remedy.drafting import CannotPlan
from bot.remedy.owners import Owner, OwnerKind
from bot.remedy.plan import Actor, Earlier, PlanState, PlanStep, Target
from bot.remedy.runbook import MUTATIONS, Verb
from tests.support.scenarios import FOLDER, newest

LIBRARY = load_runbooks()
PLAIN = Owner(kind=OwnerKind.PLAIN)
HELM = Owner(kind=OwnerKind.HELM, name="karpenter", namespace="kube-system")
ADDON = Owner(kind=OwnerKind.EKS_ADDON, name="eks-node-monitoring-agent")
AGENT = Ref("ds", "eks-node-monitoring-agent", "kube-system")
CONFIG = Ref("configmap", "eks-node-monitoring-agent-monitor-config", "kube-system")
KARPENTER = Ref("deploy", "karpenter", "kube-system")
MARKED = "node/ip-10-0-42-131.eu-west-1.compute.internal"


def diagnosis_of(scenario: str) -> Diagnosis:
    files = DumpCluster(FOLDER / scenario / "dump", "lab")
    moment = Moment(newest(Path(FOLDER / scenario / "dump")), MomentSource.ASKED)
    return investigator(Source(cluster=files, hosts=files)).investigate((), moment).diagnosis


@pytest.fixture(scope="module")
def swap() -> Diagnosis:
    return diagnosis_of("swap-kubelet")


@pytest.fixture(scope="module")
def loop() -> Diagnosis:
    return diagnosis_of("replacement-loop")


def offered(diagnosis: Diagnosis) -> planning.Offer:
    root = diagnosis.roots[0].finding
    runbook = LIBRARY.for_root(root.code)
    assert runbook is not None
    return planning.offer(diagnosis, root.key, runbook)


def steps(
    offer: planning.Offer, option: str, owners: Mapping[Ref, Owner] = {}, *, nonce: str = "n"
) -> dict[str, PlanStep]:
    made = planning.drafts(offer, option, owners)
    built = planning.build_steps(made, {}, runbook=offer.runbook, cluster="lab", nonce=nonce)
    return {one.action.step: one for one in built}


def with_config(diagnosis: Diagnosis) -> Diagnosis:
    """As it is where the chart made a ConfigMap and mounted it."""
    root = diagnosis.roots[0].finding
    there = msgspec.structs.replace(root, refs={**root.refs, "config": (CONFIG,)})
    findings = tuple(there if one.key == root.key else one for one in diagnosis.findings)
    return msgspec.structs.replace(diagnosis, findings=findings)


def without(diagnosis: Diagnosis, *codes: str) -> Diagnosis:
    found = tuple(one for one in diagnosis.findings if one.code not in codes)
    return msgspec.structs.replace(diagnosis, findings=found)


# Incident A.


def test_who_keeps_the_card_is_asked_first(swap: Diagnosis) -> None:
    plan = planning.skeleton(
        offered(swap),
        plan_id="p1",
        incident="i1",
        cluster="lab",
        requester=Actor("slack:T0TEAM/U0ONCALL"),
        at=datetime(2026, 10, 30, 17, tzinfo=UTC),
        dry=True,
    )
    assert (plan.state, plan.steps, plan.option) == (PlanState.CHOOSING, (), "")
    assert (plan.root, str(plan.subject), plan.runbook) == ("kubelet-swap-on", "node/omen2", "kubelet-swap")


def test_what_can_be_chosen_on_a_node_that_gives_its_card_to_vms(swap: Diagnosis) -> None:
    assert {one.id: one.refused for one in offered(swap).options} == {
        "host-cuda": "",
        "dont-know": "",
        "vms": "",
        "no-card": "plan-option-unsafe",
    }


@pytest.mark.parametrize("option", ["host-cuda", "dont-know"])
def test_the_guard_comes_before_the_host(swap: Diagnosis, option: str) -> None:
    found = steps(offered(swap), option)
    assert list(found) == ["guard-card", "host-off", "start-kubelet", "settle", "offered", "vms-down"]
    guard = found["guard-card"].action
    assert (guard.verb, str(guard.target.ref)) == (Verb.LABEL_NODE, "node/omen2")
    assert dict(guard.params) == {"label": "nvidia.com/gpu.workload.config", "value": "container"}
    assert found["host-off"].after == ("guard-card",)
    assert found["host-off"].hazard == "hazard-host-before-guard"
    assert found["host-off"].action.predecessors == (found["guard-card"].digest,)
    assert found["vms-down"].action.verify.params["vms"] == "vms/gpu-fedora"
    assert offered(swap).option(option).leaves == ("vm-unschedulable",)


def test_dont_know_counts_as_cuda(swap: Diagnosis) -> None:
    offer = offered(swap)
    assert steps(offer, "dont-know") == steps(offer, "host-cuda")


def test_the_vms_get_the_card_only_after_the_cuda_work_ended(swap: Diagnosis) -> None:
    found = steps(offered(swap), "vms")
    assert list(found)[:3] == ["stop-cuda", "card-to-vms", "host-off"]
    assert found["card-to-vms"].after == ("stop-cuda",)
    assert found["host-off"].after == ("card-to-vms",)
    assert found["offered-vms"].action.verify.params["resource"] == "nvidia.com/GB202_GEFORCE_RTX_5090"


def test_without_a_card_at_stake_swap_alone_is_dealt_with(swap: Diagnosis) -> None:
    found = steps(offered(without(swap, "do-not-start-kubelet")), "no-card")
    assert list(found) == ["host-off", "start-kubelet", "settle"]
    assert (found["host-off"].after, found["host-off"].hazard) == ((), "")


def test_what_could_not_be_told_opens_no_door(swap: Diagnosis) -> None:
    blind = Blind(check="x", codes=(Code("do-not-start-kubelet"),), subject=CLUSTER, why="section-failed")
    untold = msgspec.structs.replace(without(swap, "do-not-start-kubelet"), blind=(*swap.blind, blind))
    offer = offered(untold)
    assert offer.option("no-card").refused == "plan-option-untold"
    with pytest.raises(CannotPlan, match="plan-option-untold"):
        planning.drafts(offer, "no-card", {})


def test_without_vms_the_card_cannot_be_given_to_them(swap: Diagnosis) -> None:
    offer = offered(without(swap, "vm-unschedulable"))
    assert dict(offer.option("vms").values) == {"step": "offered-vms", "parameter": "resource"}
    assert steps(offer, "host-cuda")["vms-down"].action.verify.params["vms"] == ""


def test_a_vm_that_waits_for_another_node_is_not_in_the_plan(swap: Diagnosis) -> None:
    assert "rhel9-gpu-vm" not in offered(swap).parameters["vms"].text


# Incident B.


def test_the_plan_binds_to_what_outlives_a_node(loop: Diagnosis) -> None:
    offer = offered(loop)
    for option in offer.options:
        for step in steps(offer, option.id).values():
            assert step.action.target.ref.kind in ("ds", "deploy", "nodepool", "configmap")
            assert "ip-10-0" not in msgspec.json.encode(step.action).decode()


def test_the_owner_of_an_addon_gets_the_values(loop: Diagnosis) -> None:
    offer = offered(loop)
    assert planning.owned(offer, "without-gpu-monitor") == {AGENT}
    found = steps(offer, "without-gpu-monitor", {AGENT: ADDON})
    off = found["monitor-off"].action
    assert (off.verb, off.target.ref, off.params["owner"]) == (Verb.HAND_OVER, AGENT, "eks-addon")
    assert "aws eks update-addon --cluster-name train-eu \\" in off.commands
    assert off.params["values"].split() == ["nodeAgent:", "monitors:", "nvidia:", "enabled:", "false"]
    assert found["monitor-restart"].action.verb is Verb.ROLLOUT_RESTART


@pytest.mark.parametrize(
    ("owner", "is_there", "verb"),
    [
        (PLAIN, True, Verb.PATCH_CONFIGMAP),
        (PLAIN, False, Verb.HAND_OVER),
        (ADDON, True, Verb.HAND_OVER),
        (None, True, Verb.HAND_OVER),
    ],
)
def test_a_configmap_is_patched_where_it_is_there_and_nobody_undoes_it(
    loop: Diagnosis, owner: Owner | None, is_there: bool, verb: Verb
) -> None:
    offer = offered(with_config(loop) if is_there else loop)
    owners = {AGENT: owner} if owner else {}
    off = steps(offer, "without-gpu-monitor", owners)["monitor-off"].action
    assert off.verb is verb
    assert off.target.ref == (CONFIG if verb is Verb.PATCH_CONFIGMAP else AGENT)


def test_the_gate_is_set_alone_and_for_a_time(loop: Diagnosis) -> None:
    offer = offered(loop)
    found = steps(offer, "without-node-repair", {KARPENTER: PLAIN})
    gate = found["gate-off"].action
    assert (gate.verb, gate.target.ref, gate.temporary_for) == (Verb.SET_ENV, KARPENTER, 86400)
    assert (gate.params["gate"], gate.params["value"]) == ("NodeRepair", "false")


@pytest.mark.parametrize(("owner", "verb"), [(PLAIN, Verb.SET_ENV), (HELM, Verb.HAND_OVER)], ids=["bot", "owner"])
def test_what_takes_it_back_is_known_from_the_choice_on(loop: Diagnosis, owner: Owner, verb: Verb) -> None:
    """Afterwards the gate is off, and no finding names it any more."""
    offer, owners = offered(loop), {KARPENTER: owner}
    made = planning.drafts(offer, "without-node-repair", owners)
    undos = planning.undo_drafts(offer, made, owners)
    built = planning.build_steps(made, {}, undos=undos, runbook=offer.runbook, cluster="lab", nonce="n")

    assert [one.action.step for one in built if one.undo] == ["gate-off"]
    undo = built[0].undo
    assert undo is not None
    assert (undo.step, undo.verb, undo.params["value"], undo.predecessors) == ("gate-on", verb, "true", ())
    assert built[0].digest == steps(offer, "without-node-repair", owners)["gate-off"].digest


def test_an_undo_is_bound_to_its_own_dry_run(loop: Diagnosis) -> None:
    offer, owners = offered(loop), {KARPENTER: PLAIN}
    made = planning.drafts(offer, "without-node-repair", owners)
    undo = planning.undo_drafts(offer, made, owners)["gate-off"]
    (one,) = planning.build_steps((undo,), {}, runbook=offer.runbook, cluster="lab", nonce="")
    bound = Prepared(target=Target(ref=KARPENTER, uid="u7"), fingerprint={"env": "off"}, diff="- off")

    step = planning.undo_step(one.action, bound, "n2")
    assert (step.action.target.uid, step.action.diff, step.action.nonce) == ("u7", "- off", "n2")
    assert step.digest == digest_of(step.action) != one.digest


def test_the_gate_of_a_helm_release_is_handed_over(loop: Diagnosis) -> None:
    helm = Owner(kind=OwnerKind.HELM, name="karpenter", namespace="kube-system")
    gate = steps(offered(loop), "without-node-repair", {KARPENTER: helm})["gate-off"].action
    assert gate.verb is Verb.HAND_OVER
    assert "  --version 1.4.0 \\" in gate.commands


def test_without_karpenters_deployment_the_gate_cannot_be_chosen(loop: Diagnosis) -> None:
    offer = offered(without(loop, "repair-gate"))
    assert dict(offer.option("without-node-repair").values) == {"step": "gate-off", "parameter": "karpenter"}
    assert not offer.option("without-gpu-monitor").refused


def test_a_node_group_is_no_node_pool(loop: Diagnosis) -> None:
    root = loop.roots[0].finding
    group = msgspec.structs.replace(root, subject=Ref("nodegroup", "gpu"))
    moved = msgspec.structs.replace(loop, findings=(*loop.findings, group))
    runbook = LIBRARY.for_root(root.code)
    assert runbook is not None
    offer = planning.offer(moved, group.key, runbook)
    assert offer.option("repair-dcgm").refused == "plan-wrong-kind"
    assert not offer.usable


def test_two_daemonsets_are_not_one(loop: Diagnosis) -> None:
    root = loop.roots[0].finding
    two = msgspec.structs.replace(root, refs={**root.refs, "daemonset": (AGENT, Ref("ds", "other", "kube-system"))})
    findings = tuple(two if one.key == root.key else one for one in loop.findings)
    offer = offered(msgspec.structs.replace(loop, findings=findings))
    assert offer.option("without-gpu-monitor").refused == "plan-parameter-ambiguous"


@pytest.mark.parametrize(
    ("option", "last"),
    [
        ("repair-dcgm", 0),
        ("without-gpu-monitor", 1),
        ("without-gpu-monitor-cleared", 0),
        ("without-node-repair", 0),
    ],
)
def test_how_many_nodes_go_once_more(loop: Diagnosis, option: str, last: int) -> None:
    found = offered(loop).option(option).prediction
    assert dict(found.predicted) == {"last-replacements": last}
    assert dict(found.due) == ({MARKED: datetime(2025, 6, 11, 8, 59, tzinfo=UTC)} if last else {})


def test_a_deletion_that_runs_is_never_spared(loop: Diagnosis) -> None:
    at = datetime(2025, 6, 11, 8, 50, tzinfo=UTC)
    (following,) = [one for one in loop.findings if one.code == "next-deletion"]
    running = msgspec.structs.replace(following, code=Code("deletion-running"), values={"since": at})
    found = offered(msgspec.structs.replace(loop, findings=(*without(loop, "next-deletion").findings, running)))
    assert {one.id: dict(one.prediction.due) for one in found.options} == {
        one.id: {MARKED: at} for one in found.options
    }


@pytest.mark.parametrize(("option", "held"), [("without-gpu-monitor", 1), ("without-node-repair", 0)])
def test_what_a_gate_holds_back_is_counted_apart(loop: Diagnosis, option: str, held: int) -> None:
    (fact,) = [one for one in loop.findings if one.code == "repair-gate"]
    off = msgspec.structs.replace(fact, code=Code("repair-gate-off"), refs={**fact.refs, "held": (Ref.parse(MARKED),)})
    findings = (*without(loop, "next-deletion", "repair-gate").findings, off)
    found = offered(msgspec.structs.replace(loop, findings=findings)).option(option).prediction
    assert dict(found.predicted) == {"last-replacements": 0, **({"held-replacements": held} if held else {})}


# Both.


def test_what_a_dry_run_showed_is_bound(swap: Diagnosis) -> None:
    class Shown(msgspec.Struct, frozen=True):
        target: Target
        fingerprint: Mapping[str, str]
        diff: str
        earlier: tuple[Earlier, ...] = ()

    offer = offered(swap)
    made = planning.drafts(offer, "host-cuda", {})
    target = Target(ref=Ref("node", "omen2"), uid="uid-omen2")
    shown = {"guard-card": Shown(target=target, fingerprint={"metadata.labels[x]": "vm"}, diff="- vm + container")}
    bound = planning.build_steps(made, shown, runbook=offer.runbook, cluster="lab", nonce="n")
    assert (bound[0].action.target.uid, bound[0].action.diff) == ("uid-omen2", "- vm + container")
    assert bound[0].digest != steps(offer, "host-cuda")["guard-card"].digest


@pytest.mark.parametrize("scenario", ["swap-kubelet", "replacement-loop"])
def test_digests_are_stable_and_hang_on_everything_before(scenario: str) -> None:
    offer = offered(diagnosis_of(scenario))
    option = next(one.id for one in offer.options if not one.refused)
    first, again, other = (steps(offer, option, nonce=one) for one in ("n", "n", "m"))
    assert [one.digest for one in first.values()] == [one.digest for one in again.values()]
    assert not {one.digest for one in first.values()} & {one.digest for one in other.values()}
    assert all(len(one.action.runbook_sha256) == 64 for one in first.values())


@pytest.mark.parametrize("scenario", ["swap-kubelet", "replacement-loop"])
def test_every_step_that_changes_something_can_be_typed_by_a_person(scenario: str) -> None:
    offer = offered(with_config(diagnosis_of(scenario)))
    owners = dict.fromkeys((AGENT, KARPENTER), PLAIN)
    for option in offer.options:
        for step in steps(offer, option.id, owners).values() if not option.refused else ():
            assert bool(step.action.commands) is (step.action.verb is not Verb.OBSERVE)
            assert not step.action.commands or step.action.verb in {*MUTATIONS, Verb.HOST, Verb.HAND_OVER}


def test_an_option_that_is_none(swap: Diagnosis) -> None:
    with pytest.raises(CannotPlan, match="plan-no-such-option"):
        planning.drafts(offered(swap), "both", {})
