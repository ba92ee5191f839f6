"""Logs taken apart: continuations, order, and times that lack a year, a zone, or everything."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from bot.diagnose.lines import joined_lines, records, time_of

AT = datetime(2026, 10, 30, 15, 40, tzinfo=UTC)


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[misc, arg-type]


@pytest.mark.parametrize(
    ("line", "when"),
    [
        ('E0710 15:39:51 run.go:72] "command failed"', utc(2026, 7, 10, 15, 39, 51)),
        ("E0710 15:39:51.123456    1234 run.go:72] x", utc(2026, 7, 10, 15, 39, 51)),
        ("E1203 10:01:21.970450 11127 bootstrap.go:265] later in the year is last year's", utc(2025, 12, 3, 10, 1, 21)),
        ("E1031 02:00:00 x.go:1] a zone ahead of UTC is no other year", utc(2026, 10, 31, 2, 0, 0)),
        ("E1101 15:40:01 x.go:1] more than a day ahead is", utc(2025, 11, 1, 15, 40, 1)),
        ("E0229 01:02:03 x.go:1] x", utc(2024, 2, 29, 1, 2, 3)),
        ("Jul 10 15:39:51 omen2 kubelet[99]: E0710 15:39:50 x", utc(2026, 7, 10, 15, 39, 50)),
        ("Jan  1 00:01:51 omen2 kubelet[1786]: x", utc(2026, 1, 1, 0, 1, 51)),
        ("2026-07-10T15:39:51.970450+0000 omen2 kubelet[1]: x", utc(2026, 7, 10, 15, 39, 51, 970450)),
        ("2026-07-10T15:39:51Z x", utc(2026, 7, 10, 15, 39, 51)),
        ("2026-07-10 15:39:51,250 x", utc(2026, 7, 10, 15, 39, 51, 250000)),
        ("2024-10-01T11:34:07.899178+02:00 debian-node1 kubelet[1914]: x", utc(2024, 10, 1, 9, 34, 7, 899178)),
    ],
)
def test_times(line: str, when: datetime) -> None:
    assert time_of(line, AT) == when


@pytest.mark.parametrize(
    "line", ["", "systemd[1]: Started kubelet", "Foo 10 15:39:51 x", "E1399 15:39:51 x", "2026-13-01T00:00:00Z x"]
)
def test_no_time(line: str) -> None:
    assert time_of(line, AT) is None


def test_a_year_is_looked_for_from_the_moment_asked_about() -> None:
    assert time_of("E0710 15:39:51 x", AT.replace(year=2021)) == utc(2021, 7, 10, 15, 39, 51)
    kst = timezone(timedelta(hours=9))
    assert time_of("E0710 15:39:51 x", AT.astimezone(kst)) == utc(2026, 7, 10, 15, 39, 51)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a\nb\n", ["a", "b"]),
        ("a\n   b\n\tc\nd", ["a b c", "d"]),
        ("    a\n    b\n", ["a", "b"]),
        (
            'E0710 15:39:51 run.go:72] err="failed to run Kubelet:\nwith swap on\nto false"\nsystemd[1]: x',
            [
                'E0710 15:39:51 run.go:72] err="failed to run Kubelet: with swap on to false"',
                "systemd[1]: x",
            ],
        ),
        ('a "open\nE0710 15:39:52 b', ['a "open', "E0710 15:39:52 b"]),
        (r'a "x \"y\" z"' + "\nb", [r'a "x \"y\" z"', "b"]),
        ("", []),
        ("\n\n", []),
    ],
    ids=["plain", "indented", "all indented", "lost indentation", "a new record", "escaped quotes", "empty", "blank"],
)
def test_continuations_are_joined(text: str, lines: list[str]) -> None:
    assert list(joined_lines(text)) == lines


def test_a_reversed_journal_is_turned_round() -> None:
    text = "Jul 10 15:39:52 omen2 systemd[1]: b\nJul 10 15:39:51 omen2 systemd[1]: a\n"
    assert [line[-1] for line in records(text, AT)] == ["a", "b"]
    assert [line[-1] for line in records("x a\nx b", AT)] == ["a", "b"]
