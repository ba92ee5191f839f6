"""Steps of a repair as the executor gets them, bound to a live cluster by `prepare`."""

from __future__ import annotations

import hashlib

from bot.app.repair.ports import Draft, Prepared
from bot.model.refs import Ref
from bot.remedy.plan import Action
from bot.remedy.runbook import Verb
from tests.support import actions


def draft(verb: Verb, target: str, /, **params: str) -> Draft:
    """A step on one object: `node/n1`, `ds/kube-system/agent`."""
    kind, *namespace, name = target.split("/")
    return Draft(verb=verb, target=Ref(kind, name, *namespace), params=params)


def action(drafted: Draft, prepared: Prepared) -> Action:
    """The approved step."""
    return actions.action(
        "only",
        runbook="tests",
        verb=drafted.verb,
        target=prepared.target,
        params=drafted.params,
        fingerprint=prepared.fingerprint,
        diff=prepared.diff,
    )


def exec_id(word: str) -> str:
    """An exec id of its own for each word."""
    return hashlib.sha256(word.encode()).hexdigest()[:26]
