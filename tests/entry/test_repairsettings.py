"""Settings of repair. The axes: absent, given, wrong."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from bot.entry.repairsettings import NoTeam
from bot.entry.settings import BrokenSettings, load_settings
from bot.remedy.decision import QUORUM, Policy
from bot.remedy.runbook import Risk
from tests.entry.test_settings import LEAST

TEAM = "T0TEAM"


def test_it_is_off_by_default() -> None:
    settings = load_settings(LEAST)
    assert not settings.mutations
    assert settings.policy(TEAM) == Policy()


def test_what_is_not_named_keeps_its_quorum() -> None:
    settings = load_settings(LEAST | {"AUTOPSY_QUORUM": '{"disruptive": 3}'})
    assert settings.policy(TEAM).quorum == QUORUM | {Risk.DISRUPTIVE: 3}


def test_windows_are_settings_in_minutes() -> None:
    given = {"AUTOPSY_APPROVAL_MINUTES": "30", "AUTOPSY_EXECUTION_MINUTES": "2", "AUTOPSY_PERSON_MINUTES": "240"}
    policy = load_settings(LEAST | given).policy(TEAM)
    assert (policy.approval_window, policy.execution_window, policy.person_window) == (1800, 120, 14_400)


def test_a_person_with_two_names_is_one() -> None:
    settings = load_settings(LEAST | {"AUTOPSY_KUBERNETES_APPROVERS": '{"alice": "U0ALICE", "root": ""}'})
    assert settings.policy(TEAM).also_known_as == {"k8s:alice": "slack:T0TEAM/U0ALICE"}


@pytest.mark.parametrize(("alias", "is_told"), [("U0ALICE", False), ("", True)])
def test_without_the_workspace_two_names_of_one_person_are_not_taken_for_two_people(alias: str, is_told: bool) -> None:
    settings = load_settings(LEAST | {"AUTOPSY_KUBERNETES_APPROVERS": f'{{"alice": "{alias}"}}'})
    with nullcontext() if is_told else pytest.raises(NoTeam, match="AUTOPSY_TEAM"):
        settings.policy("")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("AUTOPSY_QUORUM", '{"destructive": 0}'),
        ("AUTOPSY_QUORUM", '{"terrible": 2}'),
        ("AUTOPSY_APPROVAL_MINUTES", "0"),
        ("AUTOPSY_EXECUTION_MINUTES", "1441"),
        ("AUTOPSY_PERSON_MINUTES", "soon"),
        ("AUTOPSY_APPROVERS", '["alice"]'),
        ("AUTOPSY_APPROVER_GROUPS", '["U0ONCALL"]'),
        ("AUTOPSY_KUBERNETES_APPROVERS", '{"alice@example.com": "alice"}'),
        ("AUTOPSY_NAMESPACE", "Not A Name"),
        ("AUTOPSY_ALERTMANAGER_URL", "alertmanager:9093"),
    ],
)
def test_what_cannot_be(name: str, value: str) -> None:
    with pytest.raises(BrokenSettings, match=name):
        load_settings(LEAST | {name: value})
