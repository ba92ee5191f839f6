"""Axes: where a time stands, whether it may lie ahead, none at all."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.adapters.files.dump import DumpCluster
from bot.model.report import MomentSource
from tests.support.objects import listed, node, thing, write

NEW = "2026-11-30T06:30:00Z"


@pytest.mark.parametrize(
    ("one", "where"),
    [
        (
            thing("Lease", "a", "kube-node-lease", api="coordination.k8s.io/v1", spec={"renewTime": NEW}),
            "lease/kube-node-lease/a spec.renewTime",
        ),
        (thing("Event", "e", "x", lastTimestamp=NEW), "event/x/e lastTimestamp"),
        (thing("Event", "e", "x", series={"lastObservedTime": NEW}), "event/x/e series.lastObservedTime"),
        (node("b", creationTimestamp=NEW), "node/b metadata.creationTimestamp"),
        (
            node("b", annotations={"kubevirt.io/heartbeat": NEW}),
            "node/b metadata.annotations[kubevirt.io/heartbeat]",
        ),
    ],
)
def test_the_newest_time_and_where_it_stands(tmp_path: Path, one: dict[str, Any], where: str) -> None:
    write(tmp_path, "x.json", listed(node("a"), one))
    newest = DumpCluster(tmp_path, "lab").newest()
    assert newest is not None
    assert (newest.at, newest.source, newest.where) == (
        datetime(2026, 11, 30, 6, 30, tzinfo=UTC),
        MomentSource.NEWEST,
        where,
    )


def test_the_end_of_a_grace_period_may_lie_ahead_and_does_not_count(tmp_path: Path) -> None:
    write(tmp_path, "x.json", listed(node("a", deletionTimestamp="2027-01-01T00:00:00Z")))
    newest = DumpCluster(tmp_path, "lab").newest()
    assert newest is not None
    assert newest.at == datetime(2026, 11, 30, 6, 0, tzinfo=UTC)


@pytest.mark.parametrize("heartbeat", ["", "soon"])
def test_objects_without_a_time_give_none(tmp_path: Path, heartbeat: str) -> None:
    write(tmp_path, "x.json", thing("Node", "a", meta={"annotations": {"kubevirt.io/heartbeat": heartbeat}}))
    assert DumpCluster(tmp_path, "lab").newest() is None


@pytest.mark.parametrize(
    ("ahead", "others", "expected"),
    [
        ("2031-01-01T00:00:00Z", 3, datetime(2026, 11, 30, 6, 0, tzinfo=UTC)),
        ("2026-12-01T05:00:00Z", 3, datetime(2026, 12, 1, 5, 0, tzinfo=UTC)),
        ("2031-01-01T00:00:00Z", 2, datetime(2031, 1, 1, tzinfo=UTC)),
    ],
    ids=["a clock that is wrong", "within a day", "too few to say who is right"],
)
def test_one_object_that_is_far_ahead_of_all_others_does_not_count(
    tmp_path: Path, ahead: str, others: int, expected: datetime
) -> None:
    write(tmp_path, "x.json", listed(*(node(f"n{one}") for one in range(others)), node("b", creationTimestamp=ahead)))
    newest = DumpCluster(tmp_path, "lab").newest()
    assert newest is not None
    assert newest.at == expected
