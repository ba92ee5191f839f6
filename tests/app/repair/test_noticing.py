"""What concerns everybody who may approve. Axes: an incident is open or none; once or twice."""

from __future__ import annotations

import msgspec

from bot.app.repair.standing import closed
from bot.app.requests import Notice
from bot.model.incident import Place
from tests.app.repair.small import Small

SAID = "approvers-changed: approvers-changed calls slack:T0TEAM/U0GONE"


def notice(small: Small, **fields: object) -> Notice:
    made = Notice(
        id="group:Ev1",
        entry="approvers-changed",
        reason="approvers-changed",
        values={"group": "S0GPU", "added": "U0EVIL", "removed": "U0GONE"},
        at=small.clock.now(),
        call=("slack:T0TEAM/U0GONE",),
        place=Place("C0FIRST"),
    )
    return msgspec.structs.replace(made, **fields)


def told(small: Small) -> list[Place]:
    return [one.place for one in small.board.posts if one.text == SAID]


def types(small: Small) -> list[str]:
    return [one["type"] for one in small.journal.entries()]


def test_it_stands_in_the_thread_of_each_open_incident_once(redis_url: str) -> None:
    small = Small(redis_url)
    for _ in range(2):
        small.repairs.desk.notice(notice(small))
    assert told(small) == [small.incident.place]
    assert types(small).count("approvers-changed") == 1


def test_with_no_incident_open_it_is_told_where_it_says(redis_url: str) -> None:
    small = Small(redis_url)
    before = small.incidents.by_id(small.incident.id)
    assert before is not None
    assert small.incidents.save(before, closed(before, small.clock.now()))
    for _ in range(2):
        small.repairs.desk.notice(notice(small))
    assert told(small) == [Place("C0FIRST")]
    small.repairs.desk.notice(notice(small, id="group:Ev2", place=Place("")))
    assert (len(told(small)), types(small).count("approvers-changed")) == (1, 2)


def test_where_strangers_read_it_is_not_told_but_where_it_says(redis_url: str) -> None:
    small = Small(redis_url)
    small.board.shared = {small.incident.place.channel}
    for _ in range(2):
        small.repairs.desk.notice(notice(small))
    assert told(small) == [Place("C0FIRST")]
    assert types(small).count("approvers-changed") == 1
