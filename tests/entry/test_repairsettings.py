"""Settings of repair. The axes: absent, given, wrong."""

from __future__ import annotations

import pytest

from bot.entry.settings import BrokenSettings, PlanSettings, load_part, load_settings
from bot.remedy.decision import QUORUM, Policy
from bot.remedy.runbook import Risk
from tests.entry.environ import LEAST

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
    given = {"AUTOPSY_KUBERNETES_APPROVERS": '{"alice": "U0ALICE", "root": ""}', "AUTOPSY_TEAM": TEAM}
    settings = load_settings(LEAST | given)
    assert settings.policy(TEAM).also_known_as == {"k8s:alice": "slack:T0TEAM/U0ALICE"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("AUTOPSY_QUORUM", '{"destructive": 0}'),
        ("AUTOPSY_QUORUM", '{"read": 1}'),
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


@pytest.mark.parametrize("whole", [True, False], ids=["serve and execute", "the terminal"])
def test_a_second_name_needs_the_workspace_or_one_person_would_be_two(whole: bool) -> None:
    def load(given: dict[str, str]) -> PlanSettings:
        return load_settings(LEAST | given) if whole else load_part(PlanSettings, LEAST | given)

    with pytest.raises(BrokenSettings, match=r"AUTOPSY_KUBERNETES_APPROVERS: .*AUTOPSY_TEAM"):
        load({"AUTOPSY_KUBERNETES_APPROVERS": '{"alice": "U0ALICE"}'})
    # Who has no Slack account has no second name.
    assert load({"AUTOPSY_KUBERNETES_APPROVERS": '{"alice": ""}'}).kubernetes_approvers == {"alice": ""}


ON = {"AUTOPSY_MUTATIONS": "true"}
ONLY = {"AUTOPSY_APPROVERS": '["U0ANN"]'}
TWO = {"AUTOPSY_APPROVERS": '["U0ANN", "U0BEN", "U0BEN"]'}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (
            ON | ONLY,
            "AUTOPSY_QUORUM: destructive takes 2 people beside whoever asked, and 1 is listed: .*AUTOPSY_SOLO",
        ),
        (ON | ONLY | {"AUTOPSY_TEAM": TEAM, "AUTOPSY_KUBERNETES_APPROVERS": '{"ann": "U0ANN"}'}, "destructive takes 2"),
        (ON | ONLY | {"AUTOPSY_QUORUM": '{"destructive": 1}'}, "unfreeze takes 2 people, and 1 is listed"),
        (ON, "AUTOPSY_MUTATIONS: .*AUTOPSY_APPROVERS"),
        (TWO | {"AUTOPSY_QUORUM": '{"destructive": 3}'}, "AUTOPSY_QUORUM: destructive takes 3 .* 2 are listed"),
        (
            TWO
            | {"AUTOPSY_QUORUM": '{"destructive": 3}', "AUTOPSY_TEAM": TEAM}
            | {"AUTOPSY_KUBERNETES_APPROVERS": '{"ann": "U0ANN", "ben": "U0BEN"}'},
            "AUTOPSY_QUORUM",
        ),
        (TWO | {"AUTOPSY_SOLO": "true", "AUTOPSY_QUORUM": '{"destructive": 2}'}, "AUTOPSY_SOLO: .*AUTOPSY_QUORUM"),
        (TWO | {"AUTOPSY_SECOND_CHANNEL": "true"}, "AUTOPSY_SECOND_CHANNEL: .*AUTOPSY_KUBERNETES_APPROVERS"),
    ],
    ids=[
        "one alone",
        "one by two names",
        "one alone for an unfreeze",
        "nobody may",
        "more than there are",
        "a second name is nobody more",
        "solo has one",
        "a second channel that nobody has",
    ],
)
def test_settings_that_make_no_sense_together(given: dict[str, str], told: str) -> None:
    with pytest.raises(BrokenSettings, match=told):
        load_settings(LEAST | given)


@pytest.mark.parametrize(
    "given",
    [
        ON | TWO,
        ON | {"AUTOPSY_KUBERNETES_APPROVERS": '{"root": "", "ann": ""}'},
        ON | ONLY | {"AUTOPSY_KUBERNETES_APPROVERS": '{"root": ""}'},
        ON | ONLY | {"AUTOPSY_APPROVER_GROUPS": '["S0SRE"]'},
        ON | ONLY | {"AUTOPSY_SOLO": "true"},
        ONLY,
        TWO | {"AUTOPSY_QUORUM": '{"destructive": 3}', "AUTOPSY_APPROVER_GROUPS": '["S0SRE"]'},
        TWO | {"AUTOPSY_QUORUM": '{"destructive": 3}', "AUTOPSY_KUBERNETES_APPROVERS": '{"root": ""}'},
        ON | TWO | {"AUTOPSY_SOLO": "true"},
    ],
    ids=[
        "two",
        "the terminal's",
        "one of each",
        "one and a group",
        "a team of one",
        "only looks",
        "a group has who knows how many",
        "three",
        "solo",
    ],
)
def test_settings_that_do(given: dict[str, str]) -> None:
    assert load_settings(LEAST | given)
