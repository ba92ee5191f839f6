"""The diagnoses of both founding incidents, from their dumps, and what planning offers for them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from bot.adapters.files.dump import DumpCluster
from bot.adapters.files.runbooks import load_runbooks
from bot.entry.wiring.diagnosis import Source, investigator
from bot.model.diagnosis import Diagnosis
from bot.model.moment import Moment
from bot.model.refs import Ref
from bot.model.report import MomentSource
from bot.remedy import planning
from bot.remedy.owners import Owner, OwnerKind
from bot.remedy.plan import PlanStep
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
