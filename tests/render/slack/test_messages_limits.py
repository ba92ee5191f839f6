"""Axes: hostile, endless, or far too much text. Limits hold by construction, and nothing becomes markup."""

from __future__ import annotations

import re

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.model.diagnosis import Certainty, Diagnosis, Link, Root, Verdict
from bot.model.findings import Blind, Code, Kind
from bot.model.refs import CLUSTER, Ref, node
from bot.render.slack.messages import root_message, thread_messages
from bot.render.slack.notices import plain_message
from tests.render.slack.messages import INCIDENT, UNSEEN, every_message
from tests.support.answers import AT, DOWN, OMEN2, VM, finding, seen, told, words
from tests.support.blockkit import problems, written


def test_the_lock_screen_says_them_even_with_endless_names() -> None:
    incident = msgspec.structs.replace(INCIDENT, cluster="lab-" + "c" * 200)
    long = node("gpu-" + "n" * 240 + "-17")
    hazard = finding("do-not-start-kubelet", long, Kind.DO_NOT)
    fault = finding(DOWN, long)
    diagnosis = Diagnosis(
        at=AT, scope=(long,), verdict=Verdict.BROKEN, roots=(Root(finding=fault),), findings=(fault, hazard)
    )
    report = msgspec.structs.replace(told(diagnosis), cluster=incident.cluster)
    first = root_message(report, incident, words()).text.splitlines()[0]
    assert len(first) == 100
    assert re.fullmatch(r"OPEN lab-c+… node/gpu-n+…n+-17: DO NOT run swapoff or start the kub.*…", first)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("*bold*", "∗bold∗"),
        ("_it_ ~no~ `code`", "ˍitˍ ∼no∼ ˋcodeˋ"),
        ("GB202_GEFORCE_RTX", "GB202_GEFORCE_RTX"),
        ("<!channel>", "&lt;!channel&gt;"),
        ("<https://evil.example|ok>", "&lt;https:\u200b//evil.example|ok&gt;"),
        ("@here", "@\u200bhere"),
        (":fire:", ":\u200bfire:"),
        ("a & b", "a &amp; b"),
        ("\u202eevil", "\\u202eevil"),
    ],
)
def test_untrusted_words_are_never_markup(name: str, shown: str) -> None:
    odd = finding("vm-pinned", OMEN2, Kind.FACT, values={"name": "x"}, refs={"node": (node(name),)})
    diagnosis = msgspec.structs.replace(UNSEEN, findings=(*UNSEEN.findings[:4], odd))
    message = thread_messages(told(diagnosis), words())[0]
    assert problems(message) == []
    assert f"is pinned to {shown}" in written(message)


@pytest.mark.parametrize("quote", ["```\n<!channel>\n```", "`" * 9, "x\n" * 900, "&" * 5_000, "<" * 3_000, "\x1b[0m"])
def test_a_quote_cannot_leave_its_code_block(quote: str) -> None:
    hostile = finding("permitted-devices", OMEN2, Kind.RULED_OUT, evidence=(seen(VM, "spec", quote),))
    diagnosis = msgspec.structs.replace(UNSEEN, findings=(*UNSEEN.findings[:4], hostile))
    for message in every_message(diagnosis):
        assert problems(message) == []


def test_cut_text_says_that_it_was_cut_and_where_the_whole_is() -> None:
    long = finding("vm-pinned", VM, Kind.FACT, refs={"node": tuple(node("y" * 200) for _ in range(9))})
    diagnosis = msgspec.structs.replace(UNSEEN, findings=(*UNSEEN.findings[:4], long))
    assert "y … cut, the whole: gpu-autopsy diagnose node/omen2" in written(
        thread_messages(told(diagnosis), words())[0]
    )


def huge(nodes: int) -> Diagnosis:
    """One root with thousands of effects of different words, gaps, hazards and bystanders."""
    root = finding(DOWN, OMEN2, evidence=tuple(seen(OMEN2, f"line {place}", "z" * 400) for place in range(20)))
    effects = tuple(
        finding("vm-unschedulable", node(f"n{place}"), values={"resource": f"r{place}"}) for place in range(nodes)
    )
    around = [
        finding(f"{kind.value.replace('_', '-')}-x", one.subject, kind)
        for one in effects[:1000]
        for kind in (Kind.DO_NOT, Kind.RULED_OUT, Kind.PROVES_NOTHING, Kind.FACT, Kind.ACTING)
    ]
    return Diagnosis(
        at=AT,
        scope=(CLUSTER,),
        verdict=Verdict.BROKEN,
        roots=(Root(finding=root, open_causes=(Code("kubelet-swap-on"),)),),
        links=tuple(Link(root.key, one.key, Certainty.OBSERVED) for one in effects),
        findings=(root, *effects, *around),
        affected=tuple(one.key for one in effects),
        blind=tuple(
            Blind(
                check="x", codes=(Code("kubelet-swap-on"),), subject=one.subject, why="text-missing",
                command=f"ssh {one.subject.name} sudo journalctl -u kubelet --no-pager -n 200 --output short-iso",
            )
            for one in effects
        ),
    )  # fmt: skip


def test_ten_thousand_nodes_fit_and_what_does_not_is_counted() -> None:
    diagnosis = huge(10_000)
    for message in every_message(diagnosis):
        assert problems(message) == []
    chain = written(thread_messages(told(diagnosis), words())[0])
    assert re.search(r"… \d{4,} more do not fit here. The whole: gpu-autopsy diagnose", chain)


def test_command_lines_stay_under_sixty_characters() -> None:
    shown = [written(message) for message in every_message(huge(3))]
    commands = [one for text in shown for one in re.findall(r"```\n(ssh .*?)\n```", text, re.DOTALL)]
    assert commands
    assert [line for one in commands for line in one.splitlines() if len(line) >= 60] == []


HOSTILE = st.text(max_size=400) | st.text(alphabet="*_~`<>&@!|:/#\u202e\u200b\x1b\n UW0A", max_size=4_000)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(name=HOSTILE, quote=HOSTILE, line=HOSTILE, cluster=HOSTILE)
def test_no_text_breaks_a_limit_or_becomes_markup(name: str, quote: str, line: str, cluster: str) -> None:
    about = Ref("node", name)
    root = finding(DOWN, about, values={"resource": quote}, evidence=(seen(about, line, quote),))
    diagnosis = Diagnosis(
        at=AT,
        scope=(about,),
        verdict=Verdict.BROKEN,
        roots=(Root(finding=root),),
        findings=(root, finding("do-not-start-kubelet", about, Kind.DO_NOT)),
        blind=(Blind(check="x", codes=(Code("x"),), subject=about, why=line, command=quote),),
    )
    incident = msgspec.structs.replace(INCIDENT, cluster=cluster, keys=(f"{DOWN} {about}",))
    for message in every_message(diagnosis, incident):
        assert problems(message) == []
    said = plain_message(f"words {line}", words(), name)
    assert problems(said) == []
