"""The scenarios' dumps served by an API server: the answer is the one that the files give."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.adapters.files.dump import DumpCluster
from bot.app.ports import Cluster, HostTexts
from bot.entry.wiring.diagnosis import Source, investigator
from bot.model.diagnosis import Diagnosis
from bot.model.moment import Moment
from bot.model.refs import Ref
from bot.model.report import MomentSource
from tests.support import worldtime
from tests.support.scenarios import Case, cases, newest
from tests.support.servers import Real, Simulated

WHOLE = [(dump, case) for dump, case in cases() if not case.without]
IDS = [f"{dump.parent.name}: {case.name}" for dump, case in WHOLE]


def answer(cluster: Cluster, hosts: HostTexts, dump: Path, case: Case) -> Diagnosis:
    moment = Moment(case.at or newest(dump), MomentSource.ASKED)
    asked = investigator(Source(cluster=cluster, hosts=hosts))
    return asked.investigate([Ref.parse(text) for text in case.scope], moment).diagnosis


def shape(diagnosis: Diagnosis) -> dict[str, object]:
    """What a server that sets uids itself cannot change."""
    return {
        "verdict": diagnosis.verdict,
        "roots": {(one.finding.code, one.finding.subject, one.certainty, one.open_causes) for one in diagnosis.roots},
        "links": set(diagnosis.links),
        "affected": set(diagnosis.affected),
        "not examined": set(diagnosis.not_examined),
    }


@pytest.mark.parametrize(("dump", "case"), WHOLE, ids=IDS)
def test_the_simulated_cluster_gives_the_answer_of_the_files(simulated: Simulated, dump: Path, case: Case) -> None:
    files = DumpCluster(dump, "lab")
    simulated.server.load(worldtime.objects(dump))
    assert shape(answer(simulated.cluster(), files, dump, case)) == shape(answer(files, files, dump, case))


@pytest.mark.parametrize(("dump", "case"), WHOLE, ids=IDS)
def test_a_real_api_server_gives_the_answer_of_the_files(real: Real, dump: Path, case: Case) -> None:
    files = DumpCluster(dump, "lab")
    real.load(worldtime.objects(dump))
    assert shape(answer(real.cluster(), files, dump, case)) == shape(answer(files, files, dump, case))
