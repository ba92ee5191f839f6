"""Axes: which incident; language; how a step ended; what was kept and what not; what people wrote."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest

from bot.adapters.files.knowledge import load_words
from bot.narrate.markdown import code, text
from bot.narrate.postmortem import Story, postmortem
from bot.remedy.audit import Record
from bot.remedy.plan import StepState
from tests.support.rehearsed import ONCALL, OWNER, SECOND, story

WORDS = load_words("en")
SWAP = story("kubelet-swap")


def untitled(_: str, section: str) -> str:
    raise KeyError(section)


def told(one: Story) -> str:
    return postmortem(one, WORDS, untitled)


def section(document: str, title: str) -> str:
    return document.partition(f"## {title}\n")[2].partition("\n## ")[0]


def with_step(name: str, **changes: object) -> Story:
    (plan,) = SWAP.plans
    steps = tuple(msgspec.structs.replace(one, **changes) if one.action.step == name else one for one in plan.steps)
    return msgspec.structs.replace(SWAP, plans=(msgspec.structs.replace(plan, steps=steps),))


def entry(**fields: str) -> Record:
    return {**SWAP.entries[-1], "seq": "99", **fields}


def test_the_evidence_is_that_of_the_time_of_the_offer() -> None:
    evidence = section(told(SWAP), "Evidence as of then")

    assert "Read at 2026-10-30 16:40:00 UTC" in evidence
    assert "running with swap on is not supported" in evidence
    assert "omen1" not in evidence, "what this root does not explain is no evidence of it"


def test_who_decided_what_is_told() -> None:
    decisions = section(told(SWAP), "Who decided what")

    assert f"Requested by `{ONCALL.id}`" in decisions
    assert f"Chosen by `{OWNER.id}`: host-cuda" in decisions
    assert f"| guard-card | `node/omen2` | verified | approved by `{SECOND.id}` |" in decisions


def test_what_was_attested_only_is_never_called_verified() -> None:
    document = told(SWAP)

    assert "| host-off | `node/omen2` | attested |" in document
    assert "`Filename Type Size Used Priority`" in section(document, "Attested only, not seen by the bot")


def test_a_step_told_without_evidence_says_so() -> None:
    document = told(with_step("host-off", evidence=()))
    assert "without evidence" in section(document, "Attested only, not seen by the bot")


def test_what_is_left_broken_by_choice_is_what_hangs_on_this_root() -> None:
    left = section(told(SWAP), "Left broken by choice")
    assert "gpu-fedora" in left
    assert "rhel9-gpu-vm" not in left


def test_what_may_be_left_broken_is_said_in_words_where_no_object_was_seen() -> None:
    assert SWAP.report is not None
    unseen = msgspec.structs.replace(SWAP, report=msgspec.structs.replace(SWAP.report, affected=()))
    assert section(told(unseen), "Left broken by choice").strip() == "- VMs cannot run on this card"


def test_a_refused_press_stands_in_the_timeline_with_its_hazard() -> None:
    rows = [row for row in section(told(SWAP), "Timeline (UTC)").splitlines() if "refused: " in row]
    assert len(rows) == 1
    assert SECOND.id in rows[0]
    assert "kills every CUDA process" in rows[0]


def test_predicted_and_seen_are_compared() -> None:
    for replaced, seen in ((1, "1\n"), (2, r"2, NOT AS PREDICTED (1)")):
        loop = story("node-replacement-loop", replaced=replaced)
        assert f"- replacements that begin after the repair: 1; seen: {seen}" in told(loop)

    unknown = msgspec.structs.replace(loop, entries=loop.entries[:-4])
    assert "- replacements that begin after the repair: 1; seen: not told" in told(unknown)


def test_break_glass_is_marked() -> None:
    one = with_step("guard-card", break_glass="nobody *else* is awake")
    one = msgspec.structs.replace(one, entries=(*one.entries, entry(type="broke-glass", actor=SECOND.id)))
    document = told(one)

    assert rf"{SECOND.id}` alone, with the reason “nobody \*else\* is awake”" in section(document, "Break-glass")
    assert "**Break-glass**" in section(document, "Who decided what")
    assert "**" in section(document, "Timeline (UTC)")


def test_a_temporary_change_says_until_when() -> None:
    until = SWAP.incident.opened_at + timedelta(days=1)
    assert "guard-card: to be taken back by 2026-10-31 16:40:00 UTC" in told(
        with_step("guard-card", temporary_until=until)
    )


@pytest.mark.parametrize("state", StepState)
def test_every_way_a_step_ends_has_words(state: StepState) -> None:
    assert WORDS.label(f"postmortem-state-{state.value}") in told(with_step("guard-card", state=state))


def test_a_freeze_of_that_time_belongs_to_it_and_another_incident_does_not() -> None:
    middle = SWAP.entries[5]["at"]
    freeze = entry(type="freeze", incident="", at=middle, **{"details.reason": "", "details.why": "storm"})
    earlier = {**freeze, "at": "2026-10-30T00:00:00+00:00", "details.why": "long ago"}
    other = entry(incident="other", **{"details.why": "not ours"})
    one = msgspec.structs.replace(SWAP, entries=(*SWAP.entries[:6], freeze, earlier, other, *SWAP.entries[6:]))

    document = told(one)
    assert "storm" in document
    assert "long ago" not in document
    assert "not ours" not in document


def test_a_broken_chain_and_an_edited_report_are_said() -> None:
    one = msgspec.structs.replace(SWAP, chain_holds=False, report_sha256="0" * 64)

    assert "does not hold" in section(told(one), "Audit")
    assert "it was edited" in section(told(one), "Audit")


def test_an_entry_that_nobody_can_read_is_shown() -> None:
    one = msgspec.structs.replace(SWAP, entries=(*SWAP.entries, {"unreadable": "?"}))
    assert "`unreadable`" in section(told(one), "Timeline (UTC)")


def test_without_a_report_it_says_so_and_tells_the_rest() -> None:
    one = msgspec.structs.replace(SWAP, report=None, report_sha256="")
    document = told(one)

    assert "The answer of then was not kept." in document
    assert "kubelet-swap-on node/omen2" in document.splitlines()[0]
    assert section(document, "Evidence as of then") == ""
    assert section(document, "Timeline (UTC)")


def test_in_korean_names_and_quotes_stay() -> None:
    document = postmortem(story("kubelet-swap", "ko"), load_words("ko"), untitled)
    assert document.startswith("# 사후 보고서: ")
    assert "running with swap on is not supported" in document
    assert "confirmed" not in document


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("[link](http://x) <b>", r"\[link\](http://x) \<b\>"),
        ("# a | b\n* c", r"\# a \| b \* c"),
        ("a\u202eb", "a\N{REPLACEMENT CHARACTER}b"),
    ],
)
def test_what_people_wrote_is_text(written: str, shown: str) -> None:
    assert text(written) == shown


@pytest.mark.parametrize(("written", "shown"), [("a`b", "`` a`b ``"), ("a|b", r"`a\|b`"), ("", "")])
def test_code_stays_code(written: str, shown: str) -> None:
    assert code(written) == shown
