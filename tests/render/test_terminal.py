"""Axes: cause seen or not, language, width, colour, hostile text in every field."""

from __future__ import annotations

import io
from datetime import datetime, timedelta

import msgspec
import pytest
from rich.cells import cell_len
from rich.console import Console

from bot.model.diagnosis import Certainty, Diagnosis, Link, Root, Verdict
from bot.model.findings import Code, Kind, Onset
from bot.model.refs import CLUSTER, node
from bot.model.report import MomentSource
from bot.narrate.report import report
from bot.render.terminal import tree
from tests.support.answers import (
    AROUND,
    AT,
    DOWN,
    DOWN_SINCE,
    GAPS,
    JOURNAL,
    KUBELET,
    OMEN2,
    SWAP,
    SWAP_LINE,
    VM,
    finding,
    seen,
    told,
    with_journal,
    without_journal,
    words,
)


def printed(
    diagnosis: Diagnosis, lang: str = "en", *, width: int = 80, colour: bool = False, whole: bool = False
) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=colour, no_color=not colour)
    console.print(tree(told(diagnosis, lang), words(lang), whole=whole))
    return out.getvalue()


def flat(text: str) -> str:
    """Without the tree's lines and the folds of 80 columns."""
    return " ".join(text.replace("│", " ").replace("├─", " ").replace("└─", " ").split())


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
            "The kubelet of omen2 is down, since 2026-07-10 15:40 UTC (111 days)",
            "[observed] The kubelet exits at start while swap is on.",
            "Node omen2 is not ready",
            "VM gpu-fedora cannot be scheduled",
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


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("width", [40, 80, 100])
@pytest.mark.parametrize("lang", ["en", "ko"])
def test_readable_in_narrow_terminals_without_colour_or_spaces_at_the_ends(lang: str, width: int, whole: bool) -> None:
    shown = printed(with_journal(), lang, width=width, whole=whole)
    assert "\x1b" not in shown
    assert all(cell_len(line) <= width for line in shown.splitlines())
    assert not [line for line in shown.splitlines() if line != line.rstrip()]


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
    line = "DO NOT run swapoff or start the kubelet on omen9, omen3 yet"
    assert shown.index("Not examined") < shown.index(line)
    assert shown.count(line) == 1


@pytest.mark.parametrize(
    ("first", "last", "said"),
    [
        (DOWN_SINCE, AT, "(2026-07-10 15:40 UTC to 2026-10-30 15:39 UTC)"),
        (AT, AT, "(2026-10-30 15:39 UTC)"),
        (AT, DOWN_SINCE, "(2026-10-30 15:39 UTC)"),
        (None, DOWN_SINCE, "(2026-07-10 15:40 UTC)"),
        (None, None, "«x»"),
    ],
    ids=["both", "the same", "an older report of a newer state", "last only", "neither"],
)
def test_when_a_quote_was_seen(first: datetime | None, last: datetime | None, said: str) -> None:
    quote = msgspec.structs.replace(seen(VM, "spec", "x"), first_seen=first, last_seen=last)
    one = finding("permitted-devices", OMEN2, Kind.RULED_OUT, evidence=(quote,))
    diagnosis = msgspec.structs.replace(without_journal(), findings=(*without_journal().findings, one))
    assert f"«x» {said}" in flat(printed(diagnosis, whole=True)) or said == "«x»"


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
    assert shown.count("Node omen2 is not ready, since") == 1


def test_a_healthy_answer_is_short() -> None:
    calm = Diagnosis(at=told(without_journal()).at, scope=(OMEN2,), verdict=Verdict.HEALTHY, findings=AROUND[1:2])
    shown = printed(calm)
    assert shown.startswith("HEALTHY · lab · node/omen2\nNothing is wrong in what was looked at.")
    assert "Root" not in shown


def test_one_hazard_of_several_objects_is_one_line_and_what_is_alike_is_said_once() -> None:
    others = [node(f"omen{number}") for number in (3, 4, 5, 6, 7, 8)]
    found = [finding(DOWN, one, onset=Onset(DOWN_SINCE, "lease")) for one in others]
    blind = tuple(
        msgspec.structs.replace(gap, subject=one, command=f"ssh {one.name} journalctl")
        for one in others
        for gap in GAPS[1:]
    )
    shown = printed(
        msgspec.structs.replace(
            without_journal(),
            findings=(*without_journal().findings[:3], *found),
            not_examined=tuple(one.key for one in found),
            blind=blind,
        ),
        width=120,
    )
    several = "omen3, omen4, omen5, omen6, omen7 (and 1 more)"
    assert f"• The kubelet of {several} is down, since 2026-07-10 15:40 UTC (111 days)" in shown
    assert f"• {several}: whether swap is on; whether the certificate has expired: journal:kubelet was not" in flat(
        shown
    )
    assert shown.count("ssh omen3 journalctl  # the same for omen4, omen5, omen6, omen7, omen8") == 1
    assert "ssh omen4" not in shown


def test_times_of_what_is_alike_are_a_range() -> None:
    found = [finding(DOWN, node(f"omen{n}"), onset=Onset(DOWN_SINCE + timedelta(minutes=n), "lease")) for n in (3, 4)]
    diagnosis = msgspec.structs.replace(
        without_journal(),
        findings=(*without_journal().findings[:3], *found),
        not_examined=tuple(one.key for one in found),
    )
    assert "is down, since 2026-07-10 15:43 UTC to 2026-07-10 15:44 UTC (111 days)" in printed(diagnosis, width=120)


def test_a_finding_shows_two_quotes_and_counts_the_rest_and_all_shows_everything() -> None:
    quotes = tuple(seen(OMEN2, f"field{number}", f"quote {number} {'x' * 200}") for number in range(5))
    root = finding(DOWN, OMEN2, evidence=quotes)
    diagnosis = msgspec.structs.replace(
        without_journal(), roots=(Root(finding=root),), findings=(root, *without_journal().findings[1:])
    )
    shown, whole = flat(printed(diagnosis, width=300)), flat(printed(diagnosis, width=300, whole=True))
    assert ("«quote 0" in shown, "«quote 1" in shown, "«quote 2" in shown) == (True, True, False)
    assert "…»" in shown
    assert "+ 3 more (--all)" in shown
    assert all(f"«{one.quote}»" in whole for one in quotes)
    assert "more (--all)" not in whole


def test_a_quote_that_is_a_time_has_no_fractions_and_is_not_dated_again() -> None:
    quote = seen(OMEN2, "spec.renewTime", "2026-07-10T15:39:41.218364+00:00")
    root = finding(DOWN, OMEN2, evidence=(quote,))
    diagnosis = Diagnosis(at=AT, scope=(OMEN2,), verdict=Verdict.BROKEN, roots=(Root(finding=root),), findings=(root,))
    assert printed(diagnosis).rstrip().endswith("node/omen2 spec.renewTime: «2026-07-10T15:39:41Z»")


def test_leaves_of_one_cause_that_say_the_same_are_one_branch() -> None:
    pods = [finding("node-repair-blocked", node(f"n{number}")) for number in range(3)]
    diagnosis = Diagnosis(
        at=AT,
        scope=(CLUSTER,),
        verdict=Verdict.BROKEN,
        roots=(Root(finding=KUBELET),),
        findings=(KUBELET, *pods),
        links=tuple(Link(KUBELET.key, one.key, Certainty.OBSERVED) for one in pods),
    )
    assert printed(diagnosis).count("└─ ") == 1
    assert "node repair was blocked in node/n0, n1, n2" in printed(diagnosis, width=120)


def test_the_moment_says_where_it_was_read() -> None:
    said = msgspec.structs.replace(told(without_journal()), at_where="lease/kube-node-lease/w1 spec.renewTime")
    out = io.StringIO()
    Console(file=out, width=200).print(tree(said, words()))
    assert "Answer for 2026-10-30 15:39 UTC, now (lease/kube-node-lease/w1 spec.renewTime)" in out.getvalue()


def test_a_runbook_is_named_in_the_last_line() -> None:
    said = report(with_journal(), words(), cluster="lab", at_source=MomentSource.NOW, runbooks={SWAP: "kubelet-swap"})
    out = io.StringIO()
    Console(file=out, width=80).print(tree(said, words()))
    assert out.getvalue().endswith("Next: follow the runbook kubelet-swap\n")
