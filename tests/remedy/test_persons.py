"""How many people have spoken for certain. Axes: who is told by an address, who by the list, who not at all; one person
with several accounts; who does not count; the order of the words, and what they are for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.remedy.decision import Policy
from bot.remedy.events import Person
from bot.remedy.freezing import unfreeze
from bot.remedy.persons import Persons
from bot.remedy.plan import BOT, Actor, Identity, StepState
from bot.remedy.runbook import Risk, Verb
from tests.support.repairs import (
    AT,
    FROZEN,
    active,
    approve,
    begin,
    choose,
    choosing,
    decided,
    outcome,
    played,
    report,
    resolve,
    step,
)

#: Told by their addresses; listed only; both; neither.
T1, T2, T3, L1, L2, L3, B1, B2, N1, N2 = (
    Actor(one) for one in ("t1", "t2", "t3", "l1", "l2", "l3", "b1", "b2", "n1", "n2")
)
#: A second account of one who is told; of one who is listed, as the list says.
T1_TOO, L1_TOO = Actor("t1-too"), Actor("l1-too")
DOWN, NO_ADDRESS = "approver-not-asked-here", "approver-no-email"
KNOWN = {
    **{one.id: Identity(names=(f"email:{one.id}",)) for one in (T1, T2, T3)},
    T1_TOO.id: Identity(names=("email:t1",)),
    **{one.id: Identity(unknown=DOWN, vouched=True) for one in (L1, L2, L3, L1_TOO)},
    **{one.id: Identity(names=(f"email:{one.id}",), vouched=True) for one in (B1, B2)},
    **{one.id: Identity(unknown=NO_ADDRESS) for one in (N1, N2)},
}
ALIASES = {L1_TOO.id: L1.id}
PERSONS = Persons(KNOWN, ALIASES)


@pytest.mark.parametrize(
    ("spoke", "have", "unsure"),
    [
        ((), 0, ()),
        ((T1,), 1, ()),
        ((N1,), 1, ()),
        ((T1, T2), 2, ()),
        ((L1, L2), 2, ()),
        ((B1, T1), 2, ()),
        ((B1, L1), 2, ()),
        ((T1, T1_TOO), 1, ()),
        ((L1, L1_TOO), 1, ()),
        ((T1, L1), 1, (L1,)),
        ((N1, N2), 1, (N1, N2)),
        ((T1, N1), 1, (N1,)),
        ((L1, N1), 1, (L1, N1)),
        ((T1, N1, T2), 2, (N1,)),
        ((T1, L1, T2), 2, (L1,)),
        ((T1, L1, L2), 2, (L1, L2)),
        ((T1, T1_TOO, L1, L1_TOO), 1, (L1, L1_TOO)),
        ((B1, T1, L1), 2, (L1,)),
        ((B1, B2, T1, L1), 3, (L1,)),
    ],
    ids=str,
)
def test_whose_words_count_however_they_are_ordered(
    spoke: tuple[Actor, ...], have: int, unsure: tuple[Actor, ...]
) -> None:
    for order in permutations(spoke):
        found = PERSONS.count(order)
        assert (found.have, set(found.unsure)) == (have, {one.id for one in unsure})
        assert all(found.unsure.values())


@pytest.mark.parametrize(
    ("spoke", "asked", "have", "unsure"),
    [
        ((T1, T2), BOT, 2, ()),
        ((T1, T2), T3, 2, ()),
        ((T1, T2), T1_TOO, 1, ()),
        ((L1, L2), L1_TOO, 1, ()),
        ((L1, L2), L3, 2, ()),
        ((T1,), N1, 0, (N1,)),
        ((L1,), T1, 0, (L1,)),
        ((L1, L2), T1, 1, (L1, L2)),
        ((L1, L2, L3), T1, 2, (L1, L2, L3)),
        ((T1, T2), N1, 1, (N1,)),
        ((T1, T2, T3), N1, 2, (N1,)),
        ((B1, B2), L1, 2, ()),
        ((B1, T1), L1, 1, (L1,)),
        ((N1,), T1, 0, (N1,)),
    ],
    ids=str,
)
def test_who_does_not_count_may_be_one_of_those_whom_nobody_told_from_them(
    spoke: tuple[Actor, ...], asked: Actor, have: int, unsure: tuple[Actor, ...]
) -> None:
    for order in permutations(spoke):
        found = PERSONS.count(order, beside=asked)
        assert (found.have, set(found.unsure)) == (have, {one.id for one in unsure})


@pytest.mark.parametrize(
    ("actor", "why"), [(T1, ""), (L1, ""), (N1, NO_ADDRESS), (Actor("stranger"), "approver-never-asked")]
)
def test_whose_word_counts_beside_nobodys(actor: Actor, why: str) -> None:
    assert PERSONS.untold(actor) == why


def test_names_that_lead_to_each_other_are_one_persons() -> None:
    known = {"a": Identity(names=("1",)), "b": Identity(names=("2",)), "c": Identity(names=("1", "2"))}
    a, b, c, d = (Actor(one) for one in "abcd")
    assert Persons(known, {}).people((d, a, b, c)) == (d, a)
    assert Persons(known, {}).people((a, b)) == (a,)


def test_one_who_says_nothing_may_tell_who_another_is() -> None:
    silent = {**KNOWN, L1_TOO.id: Identity(names=("email:t2",), vouched=True)}
    assert PERSONS.count((T1, L1)).have == 1
    assert Persons(silent, ALIASES).count((T1, L1)).have == 2
    assert Persons(silent, ALIASES).count((T2, L1)).have == 1


FACTS = st.lists(
    st.tuples(
        st.sampled_from(["", "email:1", "email:2", "email:3"]), st.sampled_from(["", "org:1", "org:2"]), st.booleans()
    ),
    min_size=1,
    max_size=5,
)


def identity(email: str, org: str, is_listed: bool) -> Identity:
    names = tuple(filter(None, (email, org)))
    return Identity(names=names, unknown="" if email else NO_ADDRESS, vouched=is_listed)


def worlds(accounts: Sequence[int]) -> Iterator[list[set[int]]]:
    """Every way to give accounts to people."""
    if not accounts:
        yield []
        return
    first, *rest = accounts
    for world in worlds(rest):
        yield [{first}, *world]
        for place, one in enumerate(world):
            yield [*world[:place], one | {first}, *world[place + 1 :]]


def one_persons(known: Sequence[Identity]) -> set[frozenset[int]]:
    """The pairs of accounts that names join, also by way of others."""
    joined = {frozenset((a, b)) for a, b in combinations(range(len(known)), 2) if {*known[a].names} & {*known[b].names}}
    while more := {one ^ other for one in joined for other in joined if len(one & other) == 1} - joined:
        joined |= more
    return joined


def possible(known: Sequence[Identity]) -> Iterator[list[set[int]]]:
    """The worlds that contradict nothing that is known."""
    joined = one_persons(known)
    for world in worlds(range(len(known))):
        together = {frozenset(pair) for one in world for pair in combinations(sorted(one), 2)}
        apart = (
            (not known[a].unknown and not known[b].unknown) or (known[a].vouched and known[b].vouched)
            for a, b in map(sorted, together - joined)
        )
        if joined <= together and not any(apart):
            yield world


@settings(deadline=None)
@given(FACTS, st.booleans())
def test_so_many_people_there_are_in_every_world_and_in_one_of_them_no_more(
    facts: list[tuple[str, str, bool]], last_counts: bool
) -> None:
    known = [identity(*one) for one in facts]
    actors = [Actor(str(one)) for one in range(len(known))]
    persons = Persons({actor.id: one for actor, one in zip(actors, known, strict=True)}, {})
    spoke, out = (actors, BOT) if last_counts else (actors[:-1], actors[-1])
    found = persons.count(spoke, beside=out)
    seem = [sum(out not in map(actors.__getitem__, one) for one in world) for world in possible(known)]
    assert found.have == min(seem)
    assert bool(found.unsure) == (min(seem) < len([one for one in persons.people(spoke) if not persons.same(one, out)]))


#: Who it is in truth, whether Slack tells an address, whether the account is of the list. Each has one address, and one
#: name on the list beside that in Slack.
TRUTHS = st.lists(
    st.tuples(st.integers(0, 3), st.booleans(), st.sampled_from(["slack", "listed", "k8s"])),
    min_size=2,
    max_size=5,
    unique=True,
)
Words = Sequence[tuple[Actor, Person]]


def spoken(truths: Sequence[tuple[int, bool, str]]) -> Words:
    return [
        (
            Actor(f"{kind}/{who}/{is_told}"),
            Person(may=True, identity=identity(f"email:{who}" if is_told else "", "", kind != "slack")),
        )
        for who, is_told, kind in truths
    ]


def aliases(words: Words) -> Mapping[str, str]:
    return {one.id: f"list/{one.id.split('/')[1]}" for one, person in words if person.identity.vouched}


def lifts(words: Words, policy: Policy) -> bool:
    freeze = FROZEN
    for actor, person in words:
        if freeze.frozen:
            freeze = unfreeze(freeze, actor, person, AT, policy, pressed=AT).freeze
    return not freeze.frozen


def reports(words: Words, policy: Policy) -> bool:
    plan = active(step(verb=Verb.HOST))
    for actor, person in words:
        plan = decided(plan, report("none", by=actor, person=person), policy=policy).plan
    return plan.step("guard").state is StepState.ATTESTED


def settles(words: Words, policy: Policy) -> bool:
    plan = active(step())
    plan = played(plan, approve(plan, Actor("first")), begin(), outcome("unclear"))
    for actor, person in words:
        plan = decided(plan, resolve("happened", by=actor, person=person), policy=policy).plan
    return plan.step("guard").state is StepState.ATTESTED


def approves(words: Words, policy: Policy) -> bool:
    """The first one asks for the plan."""
    (asked, known), *others = words
    made = choose(step(risk=Risk.DESTRUCTIVE), by=asked, person=known)
    plan = decided(choosing(requester=asked), made, policy=policy).plan
    for actor, person in others:
        plan = decided(plan, approve(plan, actor, person=person), policy=policy).plan
    return plan.step("guard").state is StepState.APPROVED


@pytest.mark.parametrize("passes", [lifts, reports, settles, approves])
def test_no_order_of_words_makes_two_people_of_one(passes: Callable[[Words, Policy], bool]) -> None:
    @settings(deadline=None)
    @given(TRUTHS.flatmap(st.permutations))
    def holds(truths: list[tuple[int, bool, str]]) -> None:
        words = spoken(truths)
        policy = Policy(mutations=True, also_known_as=aliases(words))
        people = {who for who, _, _ in truths[passes is approves :]}
        if passes is approves:
            people -= {truths[0][0]}
        assert len(people) > 1 or not passes(words, policy)

    holds()


@pytest.mark.parametrize("passes", [lifts, reports, settles, approves])
def test_no_order_of_words_locks_out_those_who_suffice(passes: Callable[[Words, Policy], bool]) -> None:
    """With one account each: what a second account would tell of somebody is asked for with the next word, not kept."""

    @settings(deadline=None, max_examples=40)
    @given(st.lists(TRUTHS.map(lambda one: one[0]), min_size=2, max_size=5, unique_by=lambda one: one[0]))
    def holds(truths: list[tuple[int, bool, str]]) -> None:
        words = spoken(truths)
        policy = Policy(mutations=True, also_known_as=aliases(words))
        known = {actor.id: person.identity for actor, person in words}
        asked = words[0][0] if passes is approves else BOT
        actors = [actor for actor, _ in words if actor != asked]
        is_enough = policy.persons(known).count(actors, beside=asked).have > 1
        assert {passes([*words[:1], *order], policy) for order in permutations(words[1:])} == {is_enough}

    holds()
