"""An action on the lab's node as a plan holds it, for tests that say only what matters to them."""

from __future__ import annotations

from typing import Any

from bot.model.refs import node
from bot.remedy.plan import Action, Target
from bot.remedy.runbook import Probe, ProbeCall, Risk, Verb


def action(step: str, **fields: Any) -> Action:
    """The action of this step: a label on omen2 unless the fields say otherwise."""
    given: dict[str, Any] = {
        "runbook": "kubelet-swap",
        "runbook_sha256": "0" * 64,
        "step": step,
        "verb": Verb.LABEL_NODE,
        "cluster": "lab",
        "target": Target(ref=node("omen2"), uid="uid-1"),
        "params": {},
        "risk": Risk.REVERSIBLE,
        "precondition": (),
        "fingerprint": {},
        "diff": "",
        "verify": ProbeCall(probe=Probe.LABEL_IS),
    }
    return Action(**given | fields)
