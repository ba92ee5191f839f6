"""Evictions under a disruption budget that is spent: before the dry run, before the act, between the two."""

from __future__ import annotations

import pytest

from bot.app.repair.ports import CannotPrepare
from bot.remedy.runbook import Verb
from tests.conformance.evictable import JOB, guarded, running
from tests.conformance.scenes import EXEC
from tests.support.servers import ApiServer
from tests.support.steps import action, draft


def test_it_cannot_be_prepared(server: ApiServer) -> None:
    running(server.api())
    guarded(server.api())
    with pytest.raises(CannotPrepare, match="needs 1 healthy pods and has 1 currently"):
        server.hands().prepare(draft(Verb.EVICT_POD, "pod/default/job"))


@pytest.mark.parametrize("is_late", [False, True], ids=["before the act", "between dry run and eviction"])
def test_it_is_refused_in_the_budgets_words_and_never_forced(server: ApiServer, is_late: bool) -> None:
    api = server.api()
    running(api)
    drafted = draft(Verb.EVICT_POD, "pod/default/job")
    with server.proxied() as proxy:
        hands = server.hands(proxy=proxy)
        step = action(drafted, hands.prepare(drafted))
        if is_late:
            proxy.plans.append(lambda: guarded(api))
        else:
            guarded(api)
        found = hands.act(EXEC, step)
        assert len(proxy.writes) == is_late, "no write after a dry run that was refused"
    assert found.result == "refused"
    assert "The disruption budget one needs 1 healthy pods and has 1 currently" in found.why
    assert "deletionTimestamp" not in api.get(JOB)["metadata"]
