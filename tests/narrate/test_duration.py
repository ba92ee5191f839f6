from __future__ import annotations

from datetime import timedelta

import humanize
import pytest

from bot.narrate.duration import lasted
from tests.support.answers import AT


@pytest.mark.parametrize(
    ("ago", "english", "korean"),
    [
        (timedelta(seconds=42), "42 seconds", "42초"),
        (timedelta(minutes=11), "11 minutes", "11분"),
        (timedelta(hours=3, minutes=5), "3 hours", "3시간"),
        (timedelta(days=112), "112 days", "112일"),
        (timedelta(seconds=-1), "", ""),
    ],
)
def test_durations_in_both_languages(ago: timedelta, english: str, korean: str) -> None:
    assert (lasted(AT - ago, AT, "en"), lasted(AT - ago, AT, "ko")) == (english, korean)


def test_a_language_does_not_stay_behind() -> None:
    lasted(AT - timedelta(days=2), AT, "ko")
    assert humanize.naturaldelta(timedelta(days=2)) == "2 days"
