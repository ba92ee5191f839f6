"""Quotes of times read as the API writes them, whichever zone they were decoded into."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from bot.checks.evidence import stamp

AT = datetime(2026, 7, 10, 15, 39, 41, 218364, UTC)


@pytest.mark.parametrize("when", [AT, AT.astimezone(timezone(timedelta(hours=9)))])
@pytest.mark.parametrize(
    ("micro", "expected"), [(False, "2026-07-10T15:39:41Z"), (True, "2026-07-10T15:39:41.218364Z")]
)
def test_a_time_as_the_api_writes_it(when: datetime, micro: bool, expected: str) -> None:
    assert stamp(when, micro=micro) == expected
