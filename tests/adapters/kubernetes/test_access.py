"""The bot's rights in the cluster are what it reads, and nothing else."""

from __future__ import annotations

from pathlib import Path

from bot.adapters.kubernetes.access import manifest, rules
from bot.model.sections import RESOURCES

FILE = Path(__file__).parents[3] / "deploy" / "kubernetes" / "clusterrole.yaml"


def test_the_file_is_what_is_generated() -> None:
    assert FILE.read_text() == manifest(), "write it anew: python -m bot.adapters.kubernetes.access"


def test_every_section_may_be_listed_and_read() -> None:
    allowed = {
        (group, name)
        for rule in rules()
        for group in rule["apiGroups"]
        for name in rule["resources"]
        if set(rule["verbs"]) >= {"get", "list"}
    }
    assert allowed == {(one.group, one.section.value) for one in RESOURCES.values()}


def test_nothing_can_be_changed_and_no_secret_read() -> None:
    assert {verb for rule in rules() for verb in rule["verbs"]} == {"get", "list"}
    resources = {name for rule in rules() for name in rule["resources"]}
    assert not {"*", "secrets", "configmaps", "nodes/proxy"} & resources
    assert not [rule for rule in rules() if "*" in rule["apiGroups"]]
