"""The audit from where an incident begins. Axes: how much is before and after it, what was done to it and its mark."""

from __future__ import annotations

import pytest
import redis

from bot.adapters.redis.client import Keys
from bot.adapters.redis.journal import RedisJournal
from bot.remedy.audit import AuditKey, record, verify
from tests.support.journals import KEY
from tests.support.plans import entry


def numbers(lines: tuple[bytes, ...]) -> list[int]:
    return [int(record(line)["seq"]) for line in lines]


def written(store: RedisJournal, before: int, own: int, after: int) -> None:
    """Entries of others, of `inc`, and of others again, behind the one with which the journal began."""
    for name, incident, count in (("a", "other", before), ("b", "inc", own), ("c", "other", after)):
        store.note(name, *(entry(f"{name}-{number}", incident) for number in range(count)))


@pytest.mark.parametrize(("before", "own", "after"), [(1, 2, 1), (3, 1, 700), (700, 900, 2), (0, 1, 0)])
def test_what_was_before_is_not_read(store: RedisJournal, before: int, own: int, after: int) -> None:
    written(store, before, own, after)
    since = store.since("inc")
    lines, head = store.audit(since=since)
    assert since == before + 2
    assert numbers(lines) == list(range(since, before + own + after + 2))
    assert verify(lines, [AuditKey(KEY)], head, since=since) is None
    assert len(store.entries(incident="inc")) == own
    assert numbers(store.audit()[0]) == list(range(1, before + own + after + 2)), "the whole is read from its start"


def test_of_what_is_not_known_everything_is_read(store: RedisJournal) -> None:
    written(store, 1, 1, 1)
    assert (store.since("another"), store.since("")) == (1, 1)


def test_a_mark_that_is_not_ours_hides_nothing(store: RedisJournal, client: redis.Redis, keys: Keys) -> None:
    written(store, 1, 3, 0)
    mark = keys("audit", "since", "inc")
    client.copy(keys("audit", "since", "other"), mark, replace=True)
    assert store.since("inc") == 1
    client.set(mark, "5")
    assert store.since("inc") == 1


def test_a_first_entry_that_is_gone_shows(store: RedisJournal, client: redis.Redis, keys: Keys) -> None:
    written(store, 2, 3, 1)
    rows = client.xrange(keys("audit"))
    client.xdel(keys("audit"), rows[3][0])
    lines, head = store.audit(since=store.since("inc"))
    assert numbers(lines)[0] == 5
    assert verify(lines, [AuditKey(KEY)], head, since=4) is not None
