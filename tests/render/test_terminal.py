"""Axes: cause seen or not, language, width, colour, hostile text in every field."""

from __future__ import annotations

import io
from datetime import datetime

import msgspec
import pytest
from rich.cells import cell_len
from rich.console import Console

from bot.model.diagnosis import Certainty, Diagnosis, Verdict
from bot.model.findings import Code, Kind
from bot.model.refs import node
from bot.render.terminal import tree
from tests.support.answers import (
    AROUND,
    AT,
    DOWN_SINCE,
    JOURNAL,
    OMEN2,
    SWAP_LINE,
    VM,
    finding,
    seen,
    told,
    with_journal,
    without_journal,
    words,
)


def printed(diagnosis: Diagnosis, lang: str = "en", *, width: int = 80, colour: bool = False) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=colour, no_color=not colour)
    console.print(tree(told(diagnosis, lang), words(lang)))
    return out.getvalue()


def flat(text: str) -> str:
    """Without the tree's lines and the folds of 80 columns."""
    return " ".join(text.replace("│", " ").replace("├──", " ").replace("└──", " ").split())


def test_what_not_to_touch_stands_above_everything() -> None:
    assert printed(with_journal()).splitlines()[0] == "DO NOT run swapoff or start the kubelet on omen2 yet"


def test_the_root_comes_first_then_each_effect_below_its_cause() -> None:
    shown = flat(printed(with_journal()))
    shown = shown[shown.index("Root: Swap is on at omen2 [observed]") :]  # the headline above says it in short
    places = [
        shown.index(text)
        for text in (
            "Root: Swap is on at omen2 [observed]",
            "running with swap on is not supported",
            "[observed] The kubelet exits at start while swap is on.",
            "The kubelet of omen2 is down [observed]",
            "Node omen2 is not ready [observed]",
            "[observed] Only omen2 has ever offered",
            "ErrorUnschedulable",
            "Affected",
            "Circumstances",
            "Ruled out",
            "Proves nothing here",
            "Not seen",
            "Not examined",
        )
    ]
    assert places == sorted(places)
    assert "pasted by U0ONCALL, not read by the bot" in shown


def test_an_unseen_cause_is_said_with_the_command_that_settles_it() -> None:
    shown = printed(without_journal())
    assert "cause not seen" in shown
    assert "As far as it was seen: The kubelet of omen2 is down" in shown
    assert shown.rstrip().endswith(JOURNAL)
    assert shown.count(JOURNAL) == 2


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_readable_in_80_columns_without_colour(lang: str) -> None:
    shown = printed(with_journal(), lang)
    assert "\x1b" not in shown
    assert all(cell_len(line) <= 80 for line in shown.splitlines())


def test_korean_says_the_same_with_the_same_quotes() -> None:
    shown = flat(printed(with_journal(), "ko"))
    assert "근본 원인: omen2의 스왑이 켜져 있음 [관측]" in shown
    assert SWAP_LINE in shown


def test_a_link_that_only_follows_is_marked_in_words() -> None:
    links = tuple(msgspec.structs.replace(one, certainty=Certainty.INFERRED) for one in without_journal().links)
    assert "[inferred] Only omen2" in flat(printed(msgspec.structs.replace(without_journal(), links=links)))


@pytest.mark.parametrize("colour", [False, True])
@pytest.mark.parametrize(
    ("quote", "shown"),
    [
        ("[bold red]markup[/]", "«[bold red]markup[/]»"),
        ("[link=https://evil.example]x[/link]", "«[link=https://evil.example]x[/link]»"),
        ("\x1b]0;title\x07\x1b[2J", "«\\x1b]0;title\\x07\\x1b[2J»"),
        ("good\u202edoog", "«good\\u202edoog»"),
        ("first\nsecond", "«first ⏎ second»"),
        (":warning: emoji", "«:warning: emoji»"),
    ],
)
def test_a_hostile_quote_is_shown_and_does_nothing(quote: str, shown: str, colour: bool) -> None:
    hostile = finding("permitted-devices", OMEN2, Kind.RULED_OUT, evidence=(seen(VM, "x", quote),))
    out = printed(
        msgspec.structs.replace(without_journal(), findings=(*without_journal().findings, hostile)), width=200
    )
    assert shown in out
    assert not colour or shown in printed(
        msgspec.structs.replace(without_journal(), findings=(*without_journal().findings, hostile)),
        width=200,
        colour=True,
    )


def test_a_hostile_cluster_name_and_code_are_only_text() -> None:
    odd = finding("vm-pinned", msgspec.structs.replace(OMEN2, name="[red]omen\x1b[0m"), Kind.FACT)
    shown = printed(msgspec.structs.replace(without_journal(), findings=(*without_journal().findings, odd)))
    assert "[red]omen\\x1b[0m" in shown


def test_what_not_to_touch_on_other_broken_objects_stands_beside_them() -> None:
    other = finding("do-not-start-kubelet", node("omen3"), Kind.DO_NOT)
    shown = printed(msgspec.structs.replace(without_journal(), findings=(*without_journal().findings, other)))
    line = "DO NOT run swapoff or start the kubelet on omen3 yet"
    assert shown.index("Not examined") < shown.index(line)
    assert shown.count(line) == 1


@pytest.mark.parametrize(
    ("first", "last", "said"),
    [
        (DOWN_SINCE, AT, "(seen 2026-07-10 15:40 UTC to 2026-10-30 15:39 UTC)"),
        (AT, AT, "(seen 2026-10-30 15:39 UTC)"),
        (AT, DOWN_SINCE, "(seen 2026-10-30 15:39 UTC)"),
        (None, DOWN_SINCE, "(seen 2026-07-10 15:40 UTC)"),
        (None, None, "«x»"),
    ],
    ids=["both", "the same", "an older report of a newer state", "last only", "neither"],
)
def test_when_a_quote_was_seen(first: datetime | None, last: datetime | None, said: str) -> None:
    quote = msgspec.structs.replace(seen(VM, "spec", "x"), first_seen=first, last_seen=last)
    one = finding("permitted-devices", OMEN2, Kind.RULED_OUT, evidence=(quote,))
    assert said in flat(
        printed(msgspec.structs.replace(without_journal(), findings=(*without_journal().findings, one)))
    )


def test_a_shared_effect_is_told_once() -> None:
    second = finding("kubelet-certificate-expired", OMEN2)
    links = without_journal().links
    diagnosis = msgspec.structs.replace(
        without_journal(),
        findings=(second, *without_journal().findings),
        roots=(*without_journal().roots, msgspec.structs.replace(without_journal().roots[0], finding=second)),
        links=(*links, msgspec.structs.replace(links[1], cause=(Code(second.code), OMEN2))),
    )
    shown = flat(printed(diagnosis))
    assert "Node omen2 is not ready (shown above)" in shown
    assert shown.count("says status.conditions[Ready].lastTransitionTime") == 1


def test_a_healthy_answer_is_short() -> None:
    calm = Diagnosis(at=told(without_journal()).at, scope=(OMEN2,), verdict=Verdict.HEALTHY, findings=AROUND[1:2])
    shown = printed(calm)
    assert shown.startswith("HEALTHY · lab · node/omen2\nNothing is wrong in what was looked at.")
    assert "Root" not in shown
