"""The executor's rights are what its verbs need, and nothing else; on a real API server: tests/real/test_roles.py."""

from __future__ import annotations

from pathlib import Path

from bot.adapters.kubernetes.executor_access import OWN, RIGHTS, manifest, rules
from bot.remedy.runbook import MUTATIONS

FILE = Path(__file__).parents[3] / "deploy" / "kubernetes" / "executor" / "roles.yaml"
#: Whoever may write one of these on any name can become anybody.
DANGEROUS = {"daemonsets", "deployments", "configmaps", "secrets"}


def test_the_file_is_what_is_generated() -> None:
    assert FILE.read_text() == manifest(), "write it anew: python -m bot.adapters.kubernetes.executor_access"


def test_every_verb_says_what_it_needs_and_there_is_nothing_else() -> None:
    assert set(RIGHTS) == MUTATIONS
    needed = {
        (right.group, right.resource, verb) for rights in RIGHTS.values() for right in rights for verb in right.verbs
    }
    given = {
        (group, resource, verb)
        for rule in rules()
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }
    assert given == needed


def test_nothing_is_deleted_and_nothing_wide() -> None:
    for rule in [*rules(), *(one.rule() for one in OWN)]:
        assert not {"*", "delete", "deletecollection", "update", "impersonate", "escalate", "bind"} & set(rule["verbs"])
        assert not {"*", "secrets", "nodes/proxy", "pods/exec"} & set(rule["resources"])
        assert rule.get("resourceNames") or not DANGEROUS & set(rule["resources"])


def test_a_claim_cannot_be_changed() -> None:
    (leases,) = (one for one in OWN if one.resource == "leases")
    assert set(leases.verbs) == {"create", "list"}
