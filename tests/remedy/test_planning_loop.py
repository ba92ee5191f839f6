"""Plans for nodes that Karpenter replaces again and again: what is bound to what, whose it is, what is taken back."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest

from bot.app.repair.ports import Prepared
from bot.model.diagnosis import Diagnosis
from bot.model.findings import Code
from bot.model.refs import Ref
from bot.remedy import planning
from bot.remedy.digest import digest_of
from bot.remedy.owners import Owner
from bot.remedy.plan import Target
from bot.remedy.runbook import Verb
from tests.remedy.founding import (
    ADDON,
    AGENT,
    CONFIG,
    HELM,
    KARPENTER,
    LIBRARY,
    MARKED,
    PLAIN,
    offered,
    steps,
    with_config,
    without,
)


def test_the_plan_binds_to_what_outlives_a_node(loop: Diagnosis) -> None:
    offer = offered(loop)
    made = [step for option in offer.options for step in steps(offer, option.id).values()]
    assert {one.action.target.ref.kind for one in made} == {"ds", "deploy", "nodepool"}
    assert [one for one in made if "ip-10-0" in msgspec.json.encode(one.action).decode()] == []


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
    gate = steps(offered(loop), "without-node-repair", {KARPENTER: HELM})["gate-off"].action
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
    # It began before the repair, whichever is chosen: the end will not count it either.
    assert {tuple(one.prediction.predicted.items()) for one in found.options} == {
        (("last-replacements", 0), ("running-replacements", 1))
    }


@pytest.mark.parametrize(("option", "held"), [("without-gpu-monitor", 1), ("without-node-repair", 0)])
def test_what_a_gate_holds_back_is_counted_apart(loop: Diagnosis, option: str, held: int) -> None:
    (fact,) = [one for one in loop.findings if one.code == "repair-gate"]
    off = msgspec.structs.replace(fact, code=Code("repair-gate-off"), refs={**fact.refs, "held": (Ref.parse(MARKED),)})
    findings = (*without(loop, "next-deletion", "repair-gate").findings, off)
    found = offered(msgspec.structs.replace(loop, findings=findings)).option(option).prediction
    assert dict(found.predicted) == {"last-replacements": 0, **({"held-replacements": held} if held else {})}
