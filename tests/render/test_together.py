"""Axes: what tells statements apart (name, words, code, kind of object), names inside names, how many there are."""

from __future__ import annotations

import pytest

from bot.model.diagnosis import Certainty
from bot.model.findings import Kind, Severity
from bot.model.report import Statement
from bot.render.together import alike, said_of, titled


def statement(subject: str, title: str, why: str = "", code: str = "kubelet-down") -> Statement:
    return Statement(
        code=code,
        kind=Kind.FAULT,
        severity=Severity.CRITICAL,
        certainty=Certainty.OBSERVED,
        subject=subject,
        title=title,
        why=why,
    )


def and_more(text: str, count: int) -> str:
    return f"{text} +{count}"


FIRST = statement("node/omen1", "omen1 is dead", "ssh omen1")


@pytest.mark.parametrize(
    ("other", "together"),
    [
        (statement("node/omen2", "omen2 is dead", "ssh omen2"), True),
        (statement("node/omen2", "omen2 is dead", "ssh omen3"), False),
        (statement("node/omen2", "omen2 is gone", "ssh omen2"), False),
        (statement("node/omen2", "omen2 is dead", "ssh omen2", "other"), False),
        (statement("pod/a/omen2", "omen2 is dead", "ssh omen2"), False),
        (statement("node/omen11", "omen11 is dead", "ssh omen11"), True),
    ],
    ids=["name only", "another name below", "other words", "other code", "other kind of object", "name in name"],
)
def test_only_the_own_name_may_differ(other: Statement, together: bool) -> None:
    assert (len(alike([FIRST, other])) == 1) is together


def test_groups_stand_where_their_first_stood() -> None:
    odd = statement("node/a", "a is odd")
    groups = alike([FIRST, odd, statement("node/omen2", "omen2 is dead", "ssh omen2")])
    assert [[one.subject for one in many] for many in groups] == [["node/omen1", "node/omen2"], ["node/a"]]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("omen1 is dead", "omen1, omen2 is dead"),
        ("omen11 and x-omen1 and omen1.lab", "omen11 and x-omen1 and omen1.lab"),
        ("of omen1.", "of omen1, omen2."),
        ("omen1에서", "omen1, omen2에서"),
        ("no name", "no name"),
    ],
)
def test_a_text_is_said_of_all_where_the_name_stands_as_a_whole(text: str, told: str) -> None:
    many = [statement("node/omen1", ""), statement("node/omen2", "")]
    assert said_of(many, text, and_more) == told


@pytest.mark.parametrize(
    ("subject", "title", "told"),
    [
        ("node/omen1", "omen1 is dead", "omen1 is dead"),
        ("node/omen1", "it is dead", "it is dead (node/omen1)"),
        ("clusterpolicy/cluster-policy", "it is ready", "it is ready"),
        ("cluster", "nothing", "nothing"),
    ],
)
def test_a_title_names_its_object_unless_there_is_only_one(subject: str, title: str, told: str) -> None:
    assert titled([statement(subject, title)], and_more) == told


def test_many_objects_are_counted() -> None:
    many = [statement(f"node/n{number}", f"n{number} is dead") for number in range(9)]
    assert titled(many, and_more) == "n0, n1, n2, n3, n4 +4 is dead"
