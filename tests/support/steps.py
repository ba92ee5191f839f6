"""Steps of a repair as the executor gets them, bound to a live cluster by `prepare`."""

from __future__ import annotations

import hashlib

from bot.app.repair.ports import Draft, Prepared
from bot.model.refs import Ref
from bot.remedy.plan import Action
from bot.remedy.runbook import Probe, ProbeCall, Risk, Verb


def draft(verb: Verb, target: str, /, **params: str) -> Draft:
    """A step on one object: `node/n1`, `ds/kube-system/agent`."""
    kind, *namespace, name = target.split("/")
    return Draft(verb=verb, target=Ref(kind, name, *namespace), params=params)


def action(drafted: Draft, prepared: Prepared) -> Action:
    """The approved step."""
    return Action(
        runbook="tests",
        runbook_sha256="0" * 64,
        step="only",
        verb=drafted.verb,
        cluster="lab",
        target=prepared.target,
        params=drafted.params,
        risk=Risk.REVERSIBLE,
        precondition=(),
        fingerprint=prepared.fingerprint,
        diff=prepared.diff,
        verify=ProbeCall(probe=Probe.LABEL_IS),
    )


def exec_id(word: str) -> str:
    """An exec id of its own for each word."""
    return hashlib.sha256(word.encode()).hexdigest()[:26]
