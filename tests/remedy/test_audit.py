"""Axes: what is done to which line; with which key; what the head says."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta, timezone
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.remedy.audit import AuditKey, Broken, Flaw, Head, WeakKey, chain, details, record, sealed, unsealed, verify
from bot.remedy.export import export, missing_anchor, verify_export
from tests.support.meddling import MEDDLING
from tests.support.plans import AT, entry

KEY = AuditKey(b"an audit key for tests, 32 bytes")
OTHER = AuditKey(b"another audit key for the tests!")
ENTRIES = [entry(f"type-{at}", f"inc{at % 3}", why=f"because é {at}", k='"\n\\') for at in range(12)]
CHAIN = chain(ENTRIES, Head(), KEY)
LINES = [one.line for one in CHAIN]
HEAD = sealed(CHAIN[-1].head, KEY)


def test_the_control_what_nobody_touched_holds() -> None:
    assert verify(LINES, [KEY], HEAD) is None
    assert verify_export(export(LINES, KEY, HEAD, at=AT), [KEY]) is None


@pytest.mark.parametrize("since", [1, 2, 12])
def test_a_part_of_the_chain_holds_by_itself_up_to_its_head(since: int) -> None:
    part = LINES[since - 1 :]
    assert verify(part, [KEY], HEAD, since=since) is None
    for broken in (
        part[1:],
        [*part, part[-1]],
        [part[0].replace(b"because", b"be cause"), *part[1:]],
        [*LINES[:1], *part],
    ):
        assert verify(broken, [KEY], HEAD, since=since) is not None
    assert since == 1 or verify(part, [KEY], HEAD) is not None, "it does not pass for the whole"
    assert verify(part[:-1], [KEY], HEAD, since=since) is not None, "its end is cut"


def test_an_entry_says_what_it_was_made_of() -> None:
    found = record(LINES[4])

    assert found["seq"] == "5"
    assert found["prev"] == record(LINES[3])["mac"]
    assert (found["type"], found["at"], found["actor"]) == ("type-4", "2026-07-10T15:00:00+00:00", ENTRIES[4].actor.id)
    assert details(found) == {"why": "because é 4", "k": '"\n\\'}


def test_times_are_in_utc() -> None:
    there = msgspec.structs.replace(ENTRIES[0], at=AT.astimezone(timezone(timedelta(hours=9))))
    assert chain([there], Head(), KEY)[0].line == chain(ENTRIES[:1], Head(), KEY)[0].line


@given(st.dictionaries(st.text(), st.text(st.characters(exclude_categories=())), max_size=4))
def test_whatever_an_entry_says_it_can_be_chained(said: dict[str, str]) -> None:
    made = chain([msgspec.structs.replace(entry(), details=said)], Head(), KEY)
    assert verify([made[0].line], [KEY], sealed(made[0].head, KEY)) is None


@pytest.mark.parametrize("seed", range(10))
def test_a_thousand_random_edits_of_an_export_are_all_found(seed: int) -> None:
    chance, done = Random(seed), Counter[str]()
    whole = export(LINES, KEY, HEAD, at=AT)
    part = export([one for one in LINES if record(one)["incident"] == "inc1"], KEY, HEAD, at=AT, incident="inc1")
    while done.total() < 100:
        meddle, data = chance.choice(MEDDLING), chance.choice([whole, part])
        changed = b"".join(line + b"\n" for line in meddle(data.splitlines(), chance))
        if changed == data:
            continue
        done[meddle.__name__] += 1
        assert verify_export(changed, [KEY]) is not None, (meddle.__name__, changed)
    assert len(done) == len(MEDDLING)


def test_every_single_byte_of_an_export_counts() -> None:
    data = export(LINES[:3], KEY, sealed(CHAIN[2].head, KEY), at=AT)
    flipped = (data[:at] + bytes([data[at] ^ 0x20]) + data[at + 1 :] for at in range(len(data)))
    assert not [at for at, one in enumerate(flipped) if verify_export(one, [KEY]) is None]


def test_every_cut_of_an_export_is_found() -> None:
    data = export(LINES[:3], KEY, sealed(CHAIN[2].head, KEY), at=AT)
    assert not [at for at in range(len(data)) if verify_export(data[:at], [KEY]) is None]


WRONG = {
    "edited": (lambda: [*LINES[:3], LINES[3].replace(b"type-3", b"type-9"), *LINES[4:]], 4, Flaw.EDITED, "4"),
    "its prev is no number": (
        lambda: [LINES[0], LINES[1].replace(record(LINES[0])["mac"].encode(), b"x" * 64), *LINES[2:]],
        2,
        Flaw.EDITED,
        "2",
    ),
    "deleted": (lambda: [*LINES[:3], *LINES[4:]], 4, Flaw.OUT_OF_ORDER, "5"),
    "the first deleted": (lambda: LINES[1:], 1, Flaw.OUT_OF_ORDER, "2"),
    "inserted again": (lambda: [*LINES[:3], LINES[1], *LINES[3:]], 4, Flaw.OUT_OF_ORDER, "2"),
    "swapped": (lambda: [*LINES[:3], LINES[4], LINES[3], *LINES[5:]], 4, Flaw.OUT_OF_ORDER, "5"),
    "a space more": (lambda: [*LINES[:3], LINES[3].replace(b",", b", ", 1), *LINES[4:]], 4, Flaw.UNREADABLE, ""),
    "no JSON": (lambda: [*LINES[:3], b"\xff", *LINES[4:]], 4, Flaw.UNREADABLE, ""),
    "no entry": (lambda: [*LINES[:3], b"{}", *LINES[4:]], 4, Flaw.UNREADABLE, ""),
    "another key's": (
        lambda: [*LINES[:3], chain(ENTRIES[3:4], CHAIN[2].head, OTHER)[0].line],
        4,
        Flaw.UNKNOWN_KEY,
        "4",
    ),
    "truncated": (lambda: LINES[:-1], 12, Flaw.TRUNCATED, ""),
    "longer than its head": (
        lambda: [*LINES, chain(ENTRIES[:1], CHAIN[-1].head, KEY)[0].line],
        14,
        Flaw.BEYOND_HEAD,
        "",
    ),
    "a branch": (lambda: [*LINES[:-1], chain(ENTRIES[:1], CHAIN[-2].head, KEY)[0].line], 13, Flaw.HEAD_EDITED, ""),
}


@pytest.mark.parametrize("case", WRONG)
def test_the_first_entry_that_does_not_fit_is_named(case: str) -> None:
    lines, position, flaw, seq = WRONG[case]
    found = verify(lines(), [KEY], HEAD)
    assert found is not None
    assert (found.position, found.flaw) == (position, flaw)
    assert not seq or found.seq == seq


@pytest.mark.parametrize(
    ("head", "flaw"),
    [
        (None, Flaw.NO_HEAD),
        (HEAD.replace(b'"seq":"12"', b'"seq":"13"'), Flaw.HEAD_EDITED),
        (sealed(CHAIN[-1].head, OTHER), Flaw.HEAD_EDITED),
        (sealed(CHAIN[-2].head, KEY), Flaw.BEYOND_HEAD),
    ],
)
def test_the_head_is_looked_at_too(head: bytes | None, flaw: Flaw) -> None:
    assert verify(LINES, [KEY], head) == Broken(position=13, flaw=flaw)


def test_an_entry_cannot_pose_as_a_head() -> None:
    assert unsealed(LINES[0], [KEY]) is None


def test_a_chain_goes_on_with_a_new_key_and_needs_both_to_verify() -> None:
    more = chain(ENTRIES[:2], CHAIN[-1].head, OTHER)
    lines, head = [*LINES, *(one.line for one in more)], sealed(more[-1].head, OTHER)

    assert verify(lines, [OTHER, KEY], head) is None
    assert verify(lines, [OTHER], head) == Broken(position=1, flaw=Flaw.UNKNOWN_KEY, seq="1")


def test_an_export_of_one_incident_is_not_passed_off_as_the_whole() -> None:
    part = export([LINES[1]], KEY, HEAD, at=AT, incident="inc1")
    assert verify_export(part.replace(b'"incident":"inc1","numbers"', b'"incident":"","numbers"'), [KEY]) is not None


def test_nothing_can_be_exported_and_verified() -> None:
    assert verify_export(export([], KEY, None, at=AT), [KEY]) is None
    assert verify_export(b"", [KEY]) is not None


def test_what_cannot_be_found_whoever_has_the_key_can_forge_everything() -> None:
    forged = chain([entry("what never was")], Head(), KEY)
    assert verify([forged[0].line], [KEY], sealed(forged[0].head, KEY)) is None


def test_an_older_genuine_state_of_the_whole_is_found_by_an_anchor_from_elsewhere_only() -> None:
    older = LINES[:-1]
    assert verify(older, [KEY], sealed(CHAIN[-2].head, KEY)) is None, "the last entry is gone, and its head with it"
    assert verify_export(export(older, KEY, sealed(CHAIN[-2].head, KEY), at=AT), [KEY]) is None
    last = record(LINES[-1])
    anchor = f"{last['seq']}:{last['mac'][:12]}"
    assert (missing_anchor(older, [anchor]), missing_anchor(LINES, [anchor])) == (anchor, "")


@pytest.mark.parametrize("size", [0, 31])
def test_a_short_key_is_refused(size: int) -> None:
    with pytest.raises(WeakKey):
        AuditKey(b"k" * size)
