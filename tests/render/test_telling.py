"""Axes: what two quotes share (words, field, event), what was shown before, what the title says, times."""

from __future__ import annotations

import pytest

from bot.model.report import Quoted
from bot.render.telling import brief, is_time, telling


def quoted(quote: str, about: str = "node/a", field: str = "spec", source: str = "kubernetes") -> Quoted:
    return Quoted(source=source, object=about, field=field, quote=quote)


FIRST = quoted("x")


@pytest.mark.parametrize(
    ("other", "is_new"),
    [
        (quoted("x", "node/b", "status"), False),
        (quoted("y"), False),
        (quoted("y", field="status"), True),
        (quoted("y", "node/b"), True),
    ],
    ids=["the same words", "the same field", "another field", "another object"],
)
def test_what_says_the_same_again_is_left_for_last(other: Quoted, is_new: bool) -> None:
    fresh, rest = telling([FIRST, other])
    assert (fresh, rest) == (([FIRST, other], []) if is_new else ([FIRST], [other]))


@pytest.mark.parametrize(("reason", "count"), [("Disrupted", 1), ("Drained", 2)])
def test_the_same_event_of_like_objects_is_told_once(reason: str, count: int) -> None:
    one = quoted("gone at 08:11", "pod/ns/a", "Disrupted", "event")
    assert len(telling([one, quoted("gone at 08:23", "pod/ns/b", reason, "event")])[0]) == count


def test_what_was_shown_before_tells_nothing_new() -> None:
    assert telling([FIRST, quoted("z", field="status")], {FIRST})[0] == [quoted("z", field="status")]
    assert telling([FIRST], {FIRST}) == ([], [FIRST])


def test_what_the_title_says_already_comes_last() -> None:
    words = quoted("0/8 nodes are available", field="status")
    assert telling([FIRST, words], title="x is broken")[0] == [words, FIRST]


@pytest.mark.parametrize(
    ("quote", "shown", "time"),
    [
        ("2026-07-10T15:39:41.218364+00:00", "2026-07-10T15:39:41Z", True),
        ("2026-07-10T15:39:41Z", "2026-07-10T15:39:41Z", True),
        ("at 2026-07-10T15:39:41.218364Z it died", "at 2026-07-10T15:39:41.218364Z it died", False),
        ("E0710 15:39:51.123456 run.go:72]", "E0710 15:39:51.123456 run.go:72]", False),
        ("x" * 60, "x" * 49 + "…", False),
    ],
)
def test_only_a_quote_that_is_a_time_is_rewritten(quote: str, shown: str, time: bool) -> None:
    assert (brief(quoted(quote), 50), is_time(quoted(quote))) == (shown, time)
