"""Whoever an event tells of stays known to the plan. Axis: the kind of event."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

import msgspec
import pytest

from bot.remedy.events import Event, Person, Ticked
from bot.remedy.plan import Identity
from tests.support.repairs import BEN, abort, begin, dispatch, report

OF_BEN = Identity(names=("ben@example.com",))


@pytest.mark.parametrize("kind", get_args(Event), ids=lambda one: one.__name__)
def test_an_event_that_has_people_in_it_says_who_they_are(kind: type[Event]) -> None:
    held = {one.type for one in msgspec.structs.fields(kind)}
    assert (kind.identities is not Ticked.identities) is bool(held & {Person, Mapping[str, Identity]})


def test_a_person_is_known_by_their_actor() -> None:
    person, told = Person(may=True, identity=OF_BEN), {BEN.id: OF_BEN}
    assert abort(BEN, person=person).identities == told
    assert report("good", BEN, person=person).identities == told


def test_those_who_are_asked_again_are_known() -> None:
    told = {BEN.id: OF_BEN}
    assert begin(known=told).identities == dispatch(known=told).identities == told
