"""What the person in front of the terminal answers: a name, nothing, not now, something else, the end of the input."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from bot.adapters.files.knowledge import load_words
from bot.entry.demo.asking import AtTerminal, Nobody, Stopped
from tests.entry.dumps import python

PEOPLE = {"1": "requester", "2": "approver 1", "3": "approver 2"}


def asked(typed: str, lang: str = "en") -> tuple[str, str]:
    shown = StringIO()
    found = AtTerminal(Console(file=shown), load_words(lang), StringIO(typed)).pick("guard waits.", PEOPLE, "2")
    return found, shown.getvalue()


@pytest.mark.parametrize(
    ("typed", "who"),
    [("1\n", "1"), ("3\n", "3"), ("\n", "2"), ("no\n3\n", "3"), ("n\nn\n1\n", "1"), ("n\n\n\n", "2")],
)
def test_only_a_named_person_approves(typed: str, who: str) -> None:
    assert asked(typed)[0] == who


def test_every_person_is_offered() -> None:
    shown = asked("\n")[1]
    assert "1 requester, 2 approver 1, 3 approver 2, n not now" in " ".join(shown.split())


def test_what_is_asked_beside_the_question_is_asked_in_its_language() -> None:
    shown = asked("n\nn\n1\n", "ko")[1]
    assert "3 approver 2, n 나중에" in " ".join(shown.split())
    assert "여기서 데모를 끝내시겠습니까?" in shown


@pytest.mark.parametrize("typed", ["", "no\n", "n\n", "n\ny\n"])
def test_the_end_of_the_input_and_a_stop_end_the_demo_and_approve_nothing(typed: str) -> None:
    with pytest.raises(Stopped, match="the demo"):
        asked(typed)


def test_the_end_of_the_input_is_no_enter() -> None:
    with pytest.raises(Stopped, match="input ended"):
        AtTerminal(Console(file=StringIO()), load_words("en"), StringIO("")).go_on("Press Enter")


def test_where_nobody_is_asked_the_suggested_one_approves() -> None:
    assert Nobody().pick("guard waits.", PEOPLE, "3") == "3"


def test_a_demo_whose_input_ends_says_so() -> None:
    done = python(
        "import sys\nfrom bot.entry import cli\nsys.argv[1:] = ['demo']\nsys.stdin = open('/dev/null')\ncli.main()"
    )
    assert (done.returncode, done.stderr.strip()) == (
        1,
        "gpu-autopsy: the input ended before the repair was through, and so did the demo",
    )
