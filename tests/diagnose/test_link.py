"""The link engine on small made-up rows: joins, time, inference, the reduction to one story."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.diagnose.link import SKEW, Chains, link
from bot.knowledge.links import LinkRow, Links
from bot.model.diagnosis import Certainty
from bot.model.findings import Blind, Code, Finding, Kind, Onset
from bot.model.refs import CLUSTER, Ref, node

T = datetime(2026, 7, 10, 15, 40, tzinfo=UTC)
A, B = node("a"), node("b")
VM = Ref("vm", "v", "ns")


def found(code: str, subject: Ref = A, at: datetime | None = None, kind: Kind = Kind.FAULT, **refs: Ref) -> Finding:
    onset = Onset(at, "somewhere") if at else None
    return Finding(
        code=Code(code), subject=subject, kind=kind, onset=onset, refs={role: (ref,) for role, ref in refs.items()}
    )


def blind(*codes: str, subject: Ref = A) -> Blind:
    return Blind(check="x", codes=tuple(Code(code) for code in codes), subject=subject, why="text-missing")


def rows(*arrows: str) -> Links:
    """`a>b` joins by subject, `a>b effect.node` by role."""
    parts = (arrow.partition(" ") for arrow in arrows)
    return Links(
        link=tuple(
            LinkRow(cause=pair.split(">")[0], effect=pair.split(">")[1], join=join or "subject")
            for pair, _, join in parts
        )
    )


def drawn(chains: Chains) -> set[str]:
    return {f"{one.cause[0]}>{one.effect[0]} {one.certainty.value}" for one in chains.links}


def test_what_does_not_follow_is_never_put_in_unseen() -> None:
    way = (LinkRow(cause="a", effect="b"), LinkRow(cause="b", effect="c", only_seen=True))
    ends = (found("a"), found("c"))
    assert not drawn(link(ends, [blind("b")], Links(link=way)))
    assert drawn(link((*ends, found("b")), [], Links(link=way))) == {"a>b observed", "b>c observed"}


@pytest.mark.parametrize(
    ("join", "gap", "unlooked"),
    [
        ("subject", blind("x", subject=VM), ("x",)),
        ("subject", blind("x", subject=CLUSTER), ("x",)),
        ("subject", blind("x"), ()),
        ("effect.node", blind("x"), ("x",)),
        ("effect.node", blind("x", subject=B), ()),
        ("effect.node", blind("z"), ()),
    ],
)
def test_a_cause_is_unlooked_where_it_would_have_to_be(join: str, gap: Blind, unlooked: tuple[str, ...]) -> None:
    effect = found("y", VM, node=A)
    assert link([effect], [gap], rows(f"x>y {join}")).unlooked[effect.key] == unlooked


@pytest.mark.parametrize(
    ("join", "cause", "effect", "linked"),
    [
        ("subject", found("x"), found("y"), True),
        ("subject", found("x"), found("y", B), False),
        ("effect.node", found("x"), found("y", VM, node=A), True),
        ("effect.node", found("x"), found("y", VM, node=B), False),
        ("effect.node", found("x"), found("y", VM), False),
        ("cause.node", found("x", VM, node=A), found("y"), True),
        ("cause.node", found("x", VM, node=B), found("y"), False),
        ("subject", found("x", kind=Kind.FACT), found("y"), False),
    ],
)
def test_subjects_must_join(join: str, cause: Finding, effect: Finding, linked: bool) -> None:
    assert drawn(link((cause, effect), (), rows(f"x>y {join}"))) == ({"x>y observed"} if linked else set())


@pytest.mark.parametrize(
    ("cause", "effect", "linked"),
    [
        (T, T, True),
        (T, T + timedelta(days=1), True),
        (T + SKEW, T, True),
        (T + SKEW + timedelta(seconds=1), T, False),
        (None, T, True),
        (T, None, True),
    ],
)
def test_time_refutes_only_where_both_beginnings_are_known(
    cause: datetime | None, effect: datetime | None, linked: bool
) -> None:
    chains = link((found("x", at=cause), found("y", at=effect)), (), rows("x>y"))
    assert bool(chains.links) is linked


CHAIN = rows("a>b", "b>c", "c>d", "d>e", "e>f", "f>g")


@pytest.mark.parametrize(
    ("seen", "unseen", "links"),
    [
        ("a b c", "", {"a>b observed", "b>c observed"}),
        ("a c", "b", {"a>b inferred", "b>c inferred"}),
        ("a d", "b c", {"a>b inferred", "b>c inferred", "c>d inferred"}),
        ("a c", "", set()),
        ("c d", "b", {"c>d observed"}),
        ("a d", "b", set()),
        ("d", "a b c", set()),
        ("a f", "b c d e", {"a>b inferred", "b>c inferred", "c>d inferred", "d>e inferred", "e>f inferred"}),
        ("a g", "b c d e f", set()),
    ],
    ids=[
        "all seen",
        "one unseen in the middle",
        "two unseen in the middle",
        "looked at and clean breaks the chain",
        "an unseen cause is not made up",
        "half clean",
        "nothing stands before",
        "as long as a gap may be",
        "a gap too long",
    ],
)
def test_what_is_unseen_in_the_middle_is_inferred(seen: str, unseen: str, links: set[str]) -> None:
    gaps = (blind(*unseen.split()),) if unseen else ()
    chains = link(tuple(found(code) for code in seen.split()), gaps, CHAIN)
    assert drawn(chains) == links
    assert {code for code, _ in chains.inferred} == {arrow[2] for arrow in links} & set(unseen.split())


@pytest.mark.parametrize(("where", "linked"), [(A, True), (CLUSTER, True), (B, False)])
def test_a_gap_counts_for_its_object_or_for_all(where: Ref, linked: bool) -> None:
    chains = link((found("a"), found("c")), (blind("b", subject=where),), CHAIN)
    assert bool(chains.links) is linked


def test_a_shortcut_is_left_out_and_a_second_cause_is_not() -> None:
    findings = tuple(found(code) for code in "abcx")
    chains = link(findings, (), rows("a>b", "b>c", "a>c", "x>c"))
    assert drawn(chains) == {"a>b observed", "b>c observed", "x>c observed"}


def test_a_shortcut_stays_where_the_way_round_is_clean() -> None:
    assert drawn(link((found("a"), found("c")), (), rows("a>b", "b>c", "a>c"))) == {"a>c observed"}


def test_an_inferred_finding_has_no_evidence_and_the_severity_of_its_effect() -> None:
    chains = link((found("a"), found("c")), (blind("b"),), CHAIN)
    [middle] = [one for one in chains.faults if one.key in chains.inferred]
    assert middle.evidence == ()
    assert Certainty.OBSERVED not in {one.certainty for one in chains.links}
