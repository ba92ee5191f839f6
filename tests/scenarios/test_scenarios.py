"""Every scenario's dump gives the answer that its `expect.yaml` lists."""

from pathlib import Path

import pytest

from bot.adapters.files.knowledge import load_knowledge
from bot.checks import CHECKS
from bot.diagnose.diagnose import diagnose
from bot.model.diagnosis import Diagnosis
from bot.model.findings import Kind
from bot.model.refs import Ref
from tests.support.scenarios import Case, cases, snapshot_of

CASES = cases()
IDS = [f"{dump.parent.name}: {case.name}" for dump, case in CASES]


@pytest.fixture(params=CASES, ids=IDS)
def asked(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Case, Diagnosis]:
    dump, case = request.param
    snapshot = snapshot_of(dump, case.at, case.without, tmp_path)
    scope = tuple(Ref.parse(one) for one in case.scope)
    return case, diagnose(snapshot, CHECKS, load_knowledge(), scope)


def _codes(diagnosis: Diagnosis, kind: Kind) -> set[str]:
    return {one.code for one in diagnosis.findings if one.kind is kind}


def test_the_verdict_and_the_root(asked: tuple[Case, Diagnosis]) -> None:
    case, found = asked
    assert found.verdict == case.verdict
    if case.root is not None:
        first = found.roots[0]
        assert (first.finding.code, str(first.finding.subject)) == (case.root.code, case.root.subject)
        assert first.cause_seen == case.root.cause_seen
    roots = {one.finding.code for one in found.roots}
    assert not roots & set(case.forbidden_roots)
    assert not case.only_roots or roots <= set(case.only_roots)


def test_the_chain(asked: tuple[Case, Diagnosis]) -> None:
    case, found = asked
    chain = {(one.cause[0], one.effect[0], one.certainty.value) for one in found.links}
    assert set(case.chain) <= chain


def test_what_hangs_on_it_and_what_does_not(asked: tuple[Case, Diagnosis]) -> None:
    case, found = asked
    affected = {str(subject) for _, subject in found.affected}
    assert set(case.affected) <= affected
    assert not affected & set(case.not_affected)
    assert set(case.not_examined) <= {str(subject) for _, subject in found.not_examined}


def test_what_is_said_beside_the_chain(asked: tuple[Case, Diagnosis]) -> None:
    case, found = asked
    assert set(case.ruled_out) <= _codes(found, Kind.RULED_OUT)
    assert set(case.proves_nothing) <= _codes(found, Kind.PROVES_NOTHING)
    assert set(case.facts) <= _codes(found, Kind.FACT)
    assert set(case.acting) <= _codes(found, Kind.ACTING)
    assert set(case.do_not) <= _codes(found, Kind.DO_NOT)
    assert set(case.not_seen) <= {code for one in found.blind for code in one.codes}


def test_every_link_of_the_chain_has_its_evidence(asked: tuple[Case, Diagnosis]) -> None:
    _, found = asked
    inferred = set(found.inferred)
    for one in found.links:
        for key in (one.cause, one.effect):
            assert bool(found.finding(key).evidence) != (key in inferred), key
