"""Axes: message, cause seen or not, language, state, count, hostile or endless text. Limits hold by construction."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.model.diagnosis import Certainty, Diagnosis, Link, Root, Verdict
from bot.model.findings import Blind, Code, Kind
from bot.model.incident import Incident, Place, State
from bot.model.message import Message
from bot.model.refs import CLUSTER, Ref, node
from bot.render.slack.messages import answer_message, changed_message, root_message, thread_messages
from bot.render.slack.notices import folded_message, plain_message, resolved_message
from tests.support.answers import (
    AT,
    DOWN,
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
from tests.support.blockkit import problems, written

INCIDENT = Incident(
    id="i1", cluster="lab", keys=("kubelet-down node/omen2",), opened_by="r1", opened_at=AT, place=Place("C1"), count=3
)
SEEN, UNSEEN = with_journal((OMEN2,)), without_journal((OMEN2,))


def every_message(diagnosis: Diagnosis, incident: Incident = INCIDENT, lang: str = "en") -> Iterator[Message]:
    said, catalogue = told(diagnosis, lang), words(lang)
    yield root_message(said, incident, catalogue)
    yield from thread_messages(said, catalogue)
    yield answer_message(said, catalogue)
    yield changed_message(None, said, (), catalogue)
    yield changed_message(told(without_journal()), said, ("what is this",), catalogue)
    yield folded_message(incident, catalogue)
    yield resolved_message(incident, catalogue)


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("diagnosis", [SEEN, UNSEEN], ids=["cause seen", "cause not seen"])
def test_every_message_is_one_that_slack_takes(diagnosis: Diagnosis, lang: str) -> None:
    for message in every_message(diagnosis, lang=lang):
        assert problems(message) == []


@pytest.mark.parametrize("diagnosis", [SEEN, UNSEEN], ids=["cause seen", "cause not seen"])
def test_the_lock_screen_says_state_cluster_object_and_hazard(diagnosis: Diagnosis) -> None:
    first = root_message(told(diagnosis), INCIDENT, words()).text[:100]
    assert first.startswith("OPEN lab node/omen2: DO NOT run swapoff or start the kubelet on omen2 yet")


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


def test_the_root_message_says_what_is_down_since_when_why_and_what_next() -> None:
    message = written(root_message(told(UNSEEN), INCIDENT, words()))
    unix = int(DOWN_SINCE.timestamp())
    for part in (
        "*OPEN* · lab · node/omen2",
        "*DO NOT run swapoff or start the kubelet on omen2 yet*\nvfio-manager would take the card.",
        "*As far as it was seen: The kubelet of omen2 is down* [observed]",
        f"since <!date^{unix}^{{date_short_pretty}} {{time}}|2026-07-10 15:40 UTC> (111 days)\n",
        "*cause not seen*",
        "• VM gpu-fedora cannot be scheduled",
        "• VM gpu-fedora is pinned to omen2",
        f"```\n{JOURNAL}\n```",
        "Alerts: 3",
    ):
        assert part in message
    assert message.index("DO NOT") < message.index(JOURNAL)


def test_the_root_message_quotes_what_the_root_rests_on_and_who_pasted_it() -> None:
    shown = written(root_message(told(SEEN), INCIDENT, words()))
    assert f"pasted by U0ONCALL, not read by the bot\n```\n{SWAP_LINE}\n```" in shown
    assert "2026-07-10T15:40:00Z" not in written(root_message(told(UNSEEN), INCIDENT, words())), "a time is no quote"


def test_the_root_message_of_a_loop_counts_and_announces() -> None:
    pool = Ref("nodepool", "gpu")
    named = ("repair-policy", "repair-gate", "replacements", "next-deletion")
    facts = tuple(finding(one, pool, Kind.FACT, values={"at": AT, "count": 7}) for one in named)
    loop = finding("node-replacement-loop", pool)
    diagnosis = Diagnosis(
        at=AT, scope=(pool,), verdict=Verdict.BROKEN, roots=(Root(finding=loop),), findings=(loop, *facts)
    )
    shown = written(root_message(told(diagnosis), INCIDENT, words()))
    assert "7 replacements" in shown
    assert "Next deletion: <!date^" in shown


def test_the_thread_tells_the_chain_then_what_is_ruled_out_then_what_was_not_seen() -> None:
    chain, around, gaps = (written(one) for one in thread_messages(told(SEEN), words()))
    assert f"```\n{SWAP_LINE}\n```" in chain
    assert "pasted by U0ONCALL, not read by the bot" in chain
    assert "↓ [observed] *The kubelet of omen2 is down, since <!date^" in chain
    assert chain.index("Root: Swap") < chain.index("*The kubelet of omen2 is down") < chain.index("*VM gpu-fedora")
    assert "*Ruled out*" in around
    assert "*Proves nothing here*" in around
    assert "kubectl get nodepools -A -o yaml" in gaps
    assert "The kubelet of omen3 is down" in gaps


def test_a_reply_without_content_is_not_posted() -> None:
    calm = Diagnosis(at=AT, scope=(OMEN2,), verdict=Verdict.HEALTHY)
    assert thread_messages(told(calm), words()) == ()
    assert problems(root_message(told(calm), INCIDENT, words())) == []


def test_a_paste_says_what_changed_on_top_and_what_was_not_understood() -> None:
    message = changed_message(told(UNSEEN), told(SEEN), ("a <!channel> line", "b"), words())
    shown = written(message)
    assert shown.index("Now: Root: Swap is on at omen2") < shown.index("Before: Cause not seen: The kubelet of omen2")
    assert shown.index("Before: ") < shown.index("DO NOT") < shown.index("Lines of the pasted text")
    assert "new: Swap" not in shown  # the headline says it
    assert "was pasted by U0ONCALL; the bot did not read it itself" in shown
    assert "a &lt;!channel&gt; line" in shown


def test_a_paste_that_changes_nothing_says_so() -> None:
    assert "changes nothing" in written(changed_message(told(UNSEEN), told(UNSEEN), (), words()))


def test_a_paste_that_adds_something_below_the_same_root_says_what() -> None:
    fewer = msgspec.structs.replace(UNSEEN, findings=UNSEEN.findings[:4])
    shown = written(changed_message(told(fewer), told(UNSEEN), (), words()))
    assert "The root stays the same" in shown
    assert "new: VM gpu-fedora is pinned to omen2" in shown
    assert "gone: VM gpu-fedora is pinned" in written(changed_message(told(UNSEEN), told(fewer), (), words()))


@pytest.mark.parametrize("state", State)
def test_short_notices_name_state_cluster_and_object(state: State) -> None:
    incident = msgspec.structs.replace(INCIDENT, state=state, waiting="choice", count=5)
    folded, resolved = folded_message(incident, words()), resolved_message(incident, words())
    told = {State.WAITING: "WAITING FOR a choice"}.get(state, state.value.upper())
    assert folded.text.startswith(f"{told} lab node/omen2: ")
    assert "alert number 5" in folded.text
    assert "why it stopped was not examined" in resolved.text


@pytest.mark.parametrize(
    ("mention", "called"), [("U0ONCALL", True), ("", False), ("!channel", False), ("U1> <!here", False)]
)
def test_a_refusal_calls_one_person_or_nobody(mention: str, called: bool) -> None:
    message = plain_message("No guests.\nAsk <!channel> or @here", words(), mention)
    assert problems(message) == []
    assert message.text.startswith("<@U0ONCALL> ") is called
    assert message.text.count("<") == called


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


@pytest.mark.parametrize("diagnosis", [SEEN, UNSEEN], ids=["cause seen", "cause not seen"])
def test_the_root_message_is_short(diagnosis: Diagnosis) -> None:
    shown = written(root_message(told(diagnosis), INCIDENT, words())).replace("```\n", "").replace("\n```", "")
    assert len(shown.splitlines()) <= 12


def test_the_root_message_has_one_hazard_and_the_thread_the_others_in_a_line_each() -> None:
    second = finding("do-not-force-delete", OMEN2, Kind.DO_NOT)
    diagnosis = msgspec.structs.replace(UNSEEN, findings=(*UNSEEN.findings, second))
    said = told(diagnosis)
    root, chain = written(root_message(said, INCIDENT, words())), written(thread_messages(said, words())[0])
    assert (root.count("DO NOT"), "force-delete" in root) == (1, False)
    assert chain.splitlines()[0] == "*DO NOT force-delete pods or VMs of omen2*"
    assert "same disk" not in chain


def test_who_pasted_is_mentioned_only_where_it_is_a_member() -> None:
    for name, shown in (("<@U0ONCALL>", "<@U0ONCALL>"), ("<!channel>", "&lt;!channel&gt;"), ("somebody", "somebody")):
        chain = thread_messages(told(with_journal((OMEN2,), name)), words())[0]
        assert problems(chain) == []
        assert f"was pasted by {shown}; the bot did not read it itself" in written(chain)
        assert f"pasted by {shown}, not read by the bot" in written(chain)


def test_an_effect_that_does_not_follow_from_the_line_above_has_another_arrow() -> None:
    aside = finding("operands-stuck", OMEN2)
    links = (*UNSEEN.links, Link((Code("node-not-ready"), OMEN2), aside.key, Certainty.OBSERVED))
    diagnosis = msgspec.structs.replace(UNSEEN, findings=(*UNSEEN.findings, aside), links=links)
    chain = written(thread_messages(told(diagnosis), words())[0])
    assert "↓ [observed] *VM gpu-fedora" in chain
    assert "↳ [observed] *GPU Operator" in chain


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
    for message in every_message(huge(3)):
        for block in re.findall(r"```\n(ssh .*?)\n```", written(message), re.DOTALL):
            assert all(len(line) < 60 for line in block.splitlines())


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


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_an_answer_says_how_its_incident_stands_once_people_are_at_a_plan(lang: str) -> None:
    asked = msgspec.structs.replace(INCIDENT, state=State.WAITING, waiting="guard-card", scope=(OMEN2,), keys=())
    plain = answer_message(told(SEEN, lang), words(lang), INCIDENT)
    waiting = answer_message(told(SEEN, lang), words(lang), asked)
    catalogue = words(lang)

    assert written(plain) == written(answer_message(told(SEEN, lang), catalogue)), "of a question without a plan"
    assert waiting.text.startswith(catalogue.label("waiting"))
    assert catalogue.label("owner_none") in written(waiting)
    assert "guard-card" in written(waiting)
    (button,) = [one for block in waiting.blocks if block["type"] == "actions" for one in block["elements"]]
    assert button["action_id"] == "repair:take"
    assert "omen2" in button["text"]["text"]
    assert SWAP_LINE in written(waiting), "the whole answer still stands there"
    assert problems(waiting) == []
