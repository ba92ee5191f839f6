"""Axes: what is done to the audit directly in Redis, its head left alone."""

from __future__ import annotations

from random import Random
from typing import Any, cast

import redis

from bot.adapters.redis.client import Keys
from bot.remedy.audit import verify
from tests.support.journals import AUDIT, journal
from tests.support.meddling import MEDDLING
from tests.support.plans import entry


def test_random_edits_of_the_stream_are_all_found(client: redis.Redis, keys: Keys) -> None:
    store, chance, stream = journal(client, keys), Random(7), keys("audit")
    store.begin("begin", entry("journal-begun", ""))
    store.note("one", *(entry(f"type-{at}") for at in range(9)))
    lines = [fields[b"line"] for _, fields in cast("list[Any]", client.xrange(stream))]
    done = 0
    while done < 250:
        changed = chance.choice(MEDDLING)(lines, chance)
        if changed == lines:
            continue
        done += 1
        with client.pipeline(transaction=True) as all_at_once:
            all_at_once.delete(stream)
            for line in changed:
                all_at_once.xadd(stream, {b"line": line})
            all_at_once.execute()
        found, head = store.audit()
        assert verify(found, AUDIT, head) is not None, changed


def test_a_field_more_or_another_one_is_found(client: redis.Redis, keys: Keys) -> None:
    store, stream = journal(client, keys), keys("audit")
    store.begin("begin", entry("journal-begun", ""))
    ((number, fields),) = cast("list[Any]", client.xrange(stream))
    for other in ({**fields, b"more": b"1"}, {b"text": fields[b"line"]}):
        client.delete(stream)
        client.xadd(stream, other)
        lines, head = store.audit()
        assert verify(lines, AUDIT, head) is not None
        assert "unreadable" in store.entries()[0]
    client.delete(stream)
    client.xadd(stream, fields, id=number)
    lines, head = store.audit()
    assert verify(lines, AUDIT, head) is None, "the control"
