"""Plans in the shape of the two founding outages, and cards for them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from bot.entry.cards import Cards
from bot.model.findings import Evidence
from bot.model.incident import Incident, Place
from bot.model.refs import Ref, node
from bot.remedy.decision import Policy
from bot.remedy.plan import Action, Actor, Identity, Plan, PlanState, PlanStep, StepState, Target, Vote
from bot.remedy.runbook import Option, Probe, ProbeCall, Risk, Runbook, Verb
from bot.remedy.runbook import Step as BookStep
from tests.support import actions
from tests.support.answers import words

AT = datetime(2026, 10, 30, 16, 0, tzinfo=UTC)
OMEN2 = node("omen2")
REQUESTER, FIRST, SECOND = (Actor(f"slack:T0TEAM/{user}") for user in ("U0ONCALL", "U0FIRST", "U0SECOND"))
APPROVERS = (FIRST.id, SECOND.id)
#: Who everybody is: people of one account each.
KNOWN = {one.id: Identity() for one in (REQUESTER, FIRST, SECOND)}
LABEL = "nvidia.com/gpu.workload.config"

TEXTS: Mapping[str, str] = {
    "who-keeps-the-card": "Who keeps the card?\n\nOne card cannot serve both.\nAsk its `owner`.",
    "host-cuda": "CUDA work on the host keeps it\n\nThe toolkit may restart containerd there.",
    "vms": "The VMs get it\n\nThe CUDA work is stopped first.",
    "guard-card": "Label the node for containers\n\nFirst of all, because the next step revives it.",
    "host-off": "Stop the kubelet, turn swap off\n\nThe kubelet is stopped first.\n\n```\nfree -m\n```",
    "clear": "Clear the condition\n\nIt hides a true fault too.",
}


class Texts:
    """`app.repair.ports.Library` with the texts of one runbook."""

    def __init__(self, texts: Mapping[str, str] = TEXTS) -> None:
        self._texts = texts

    def for_root(self, code: str) -> Runbook | None:
        return RUNBOOK if code in RUNBOOK.roots else None

    def text(self, runbook: str, section: str, lang: str) -> str:
        return self._texts.get(section, "")


def action(step: str, verb: Verb, **fields: Any) -> Action:
    given: dict[str, Any] = {
        "target": Target(ref=OMEN2, uid="2f3c"),
        "fingerprint": {f"metadata.labels[{LABEL}]": "vm-passthrough"},
        "verify": ProbeCall(probe=Probe.NODE_READY, params={"node": "omen2"}, within=900, lasting=120),
        "nonce": "n1",
    }
    return actions.action(step, verb=verb, **(given | fields))


def step(made: Action, **fields: Any) -> PlanStep:
    digest = hashlib.sha256(msgspec.json.encode(made)).hexdigest()
    return PlanStep(**({"action": made, "digest": digest, "after": ()} | fields))


GUARD = step(
    action(
        "guard-card",
        Verb.LABEL_NODE,
        params={"label": LABEL, "value": "container"},
        risk=Risk.DISRUPTIVE,
        diff=f"- {LABEL}: vm-passthrough\n+ {LABEL}: container",
        precondition=(ProbeCall(probe=Probe.SANDBOX_ON),),
        verify=ProbeCall(probe=Probe.OPERATOR_REACTED, params={"node": "omen2"}, within=120),
        commands=(f"kubectl label node omen2 {LABEL}=container --overwrite",),
    ),
    state=StepState.AWAITING,
    expires_at=AT + timedelta(minutes=15),
    hazard="hazard-host-before-guard",
)
HOST = step(
    action(
        "host-off",
        Verb.HOST,
        risk=Risk.DISRUPTIVE,
        commands=("sudo systemctl stop kubelet", "sudo swapoff -a", "cat /proc/swaps", "cat /etc/fstab"),
        verify=ProbeCall(
            probe=Probe.SWAP_OFF, params={"node": "omen2", "command": "cat /proc/swaps\ncat /etc/fstab"}, within=3600
        ),
    ),
    after=("guard-card",),
    hazard="hazard-host-before-guard",
)
CLEAR = step(
    action(
        "clear",
        Verb.CLEAR_CONDITION,
        risk=Risk.DESTRUCTIVE,
        target=Target(ref=Ref("nodepool", "gpu"), select="nodepool=gpu", cap=5),
    ),
    after=("guard-card", "host-off"),
)
RUNBOOK = Runbook(
    name="kubelet-swap",
    roots=("kubelet-swap-on",),
    choice="who-keeps-the-card",
    options=(
        Option(id="host-cuda", steps=("guard-card", "host-off"), leaves=("vm-unschedulable",)),
        Option(id="vms", steps=("host-off",)),
    ),
    steps=tuple(
        BookStep(
            id=one.action.step,
            verb=one.action.verb,
            target="node/{node}",
            risk=one.action.risk,
            verify=one.action.verify,
        )
        for one in (GUARD, HOST)
    ),
    sha256="ab" * 32,
)
INCIDENT = Incident(
    id="inc00001", cluster="lab", keys=("kubelet-swap-on node/omen2",), opened_by="r1", opened_at=AT,
    place=Place("C0ALERTS", "100.1"), root="100.1", sources=("s",), firing=("a@1",),
    labels={"a": {"alertname": "KubeNodeNotReady"}},
)  # fmt: skip


def plan(*steps: PlanStep, **fields: Any) -> Plan:
    given: dict[str, Any] = {
        "id": "plan0001",
        "incident": INCIDENT.id,
        "cluster": "lab",
        "runbook": "kubelet-swap",
        "root": "kubelet-swap-on",
        "subject": OMEN2,
        "requester": REQUESTER,
        "created_at": AT,
        "option": "host-cuda",
        "chosen_by": REQUESTER,
        "steps": steps or (GUARD, HOST, CLEAR),
        "state": PlanState.ACTIVE,
        "dry": False,
        "known": KNOWN,
    }
    return Plan(**(given | fields))


def changed(one: PlanStep, **fields: Any) -> PlanStep:
    return msgspec.structs.replace(one, **fields)


def vote(actor: Actor, on: PlanStep = GUARD) -> Vote:
    return Vote(actor=actor, approve=True, digest=on.digest, at=AT)


def seen(quote: str, field: str = "metadata.labels") -> Evidence:
    return Evidence(source="kubernetes", object=OMEN2, field=field, quote=quote)


def cards(
    lang: str = "en",
    *,
    approvers: tuple[str, ...] = APPROVERS,
    best_effort: bool = False,
    silences: bool = True,
    **policy: Any,
) -> Cards:
    told = Policy(**({"mutations": True} | policy))
    return Cards(words(lang), "lab", told, Texts(), approvers, best_effort=best_effort, silences=silences)
