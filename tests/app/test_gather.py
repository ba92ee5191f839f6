"""Axes: which wave a part is of, whether it was read, what two parts share."""

from __future__ import annotations

import pytest

from bot.app.gather import Readings, merged
from bot.app.ports import Pages, Read
from bot.model.objects import Node, ObjectMeta
from bot.model.sections import NotInstalled, Section, UnreadableObject
from bot.model.snapshot import NOT_COLLECTED
from tests.support.clusters import FAILED, NOW


def node(name: str, uid: str = "") -> Node:
    return Node(metadata=ObjectMeta(name=name, uid=uid))


def pages(*names: str) -> Pages:
    return Pages(objects=tuple(node(name) for name in names))


BROKEN = Pages(objects=FAILED)
ABSENT = Pages(objects=NotInstalled("nodes"))


@pytest.mark.parametrize(
    ("first", "later", "expected"),
    [
        ([pages("a")], [pages("b")], "a b"),
        ([pages("a", "b")], [pages("b")], "a b"),
        ([pages("a"), BROKEN], [pages("b")], FAILED),
        ([pages("a")], [BROKEN], "a"),
        ([pages()], [BROKEN], ""),
        ([ABSENT], [], ABSENT.objects),
        ([], [pages("b")], "b"),
        ([], [BROKEN], FAILED),
        ([], [], NOT_COLLECTED),
    ],
)
def test_a_section_of_several_parts(first: list[Pages], later: list[Pages], expected: object) -> None:
    whole = merged(first, later)
    assert (" ".join(one.name for one in whole) if isinstance(whole, tuple) else whole) == expected


def test_the_part_read_last_wins() -> None:
    whole = merged([Pages(objects=(node("a", "1"),))], [Pages(objects=(node("a", "2"),))])
    assert isinstance(whole, tuple)
    assert [one.metadata.uid for one in whole] == ["2"]


def readings(first: Pages, later: Pages) -> Readings:
    found = Readings()
    found.first[Read(section=Section.NODES)] = first
    found.later[Read(section=Section.NODES, name="b")] = later
    return found


def test_a_later_part_that_failed_leaves_a_gap() -> None:
    snapshot = readings(pages("a"), BROKEN).snapshot(NOW, (), ())
    assert (snapshot.nodes, snapshot.gaps) == ((node("a"),), {Section.NODES: FAILED})


def test_an_unreadable_object_of_two_parts_is_told_once() -> None:
    broken = UnreadableObject(Section.NODES, "b", detail="no")
    page = Pages(objects=(node("a"),), unreadable=(broken,))
    snapshot = readings(page, page).snapshot(NOW, (), ())
    assert snapshot.unreadable == (broken,)


def test_whole_parts_leave_no_gap() -> None:
    assert readings(pages("a"), pages("b")).snapshot(NOW, (), ()).gaps == {}


def test_a_part_that_says_itself_that_it_is_not_whole_leaves_a_gap() -> None:
    page = Pages(objects=(node("a"),), gap=FAILED)
    assert readings(page, pages("b")).snapshot(NOW, (), ()).gaps == {Section.NODES: FAILED}


def test_no_node_at_all_is_a_gap() -> None:
    snapshot = readings(pages(), pages()).snapshot(NOW, (), ())
    assert snapshot.nodes == ()
    assert snapshot.gaps[Section.NODES].detail == "list-without-nodes"
