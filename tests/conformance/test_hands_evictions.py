"""Evictions under a disruption budget that is spent: before the dry run, before the act, between the two."""

from __future__ import annotations

from typing import Any

import pytest

from bot.app.repair.ports import CannotPrepare
from bot.remedy.plan import Note
from bot.remedy.runbook import Verb
from tests.conformance.evictable import JOB, guarded, running
from tests.conformance.scenes import EXEC
from tests.support.servers import ApiServer
from tests.support.steps import action, draft
from tests.support.things import budget, node


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


@pytest.mark.parametrize(
    ("budgets", "note"),
    [
        ([], Note("repair-evict-no-budget", {"subject": "pod/default/job"})),
        ([{"matchLabels": {"app": "other"}}], Note("repair-evict-no-budget", {"subject": "pod/default/job"})),
        ([{}], Note("repair-evict-budget", {"subject": "pod/default/job", "budgets": "b0"})),
        (
            [{"matchExpressions": [{"key": "app", "operator": "In", "values": ["job"]}]}],
            Note("repair-evict-budget", {"subject": "pod/default/job", "budgets": "b0"}),
        ),
        (
            [{"matchExpressions": [{"key": "app", "operator": "DoesNotExist"}]}],
            Note("repair-evict-no-budget", {"subject": "pod/default/job"}),
        ),
    ],
    ids=["none", "another's", "of everything", "by an expression", "by what it has not"],
)
def test_the_card_says_which_budget_covers_the_pod(
    server: ApiServer, budgets: list[dict[str, Any]], note: Note
) -> None:
    api = server.api()
    api.create(node("n1"))
    # Nobody asks the budget of a pod that does not run yet.
    api.create(JOB)
    for number, selector in enumerate(budgets):
        api.create({**budget(f"b{number}"), "spec": {"minAvailable": 0, "selector": selector}})
    assert server.hands().prepare(draft(Verb.EVICT_POD, "pod/default/job")).notes == (note,)


def test_budgets_that_cannot_be_read_are_no_absent_budgets(server: ApiServer) -> None:
    running(server.api())
    with server.proxied() as proxy:
        hands = server.hands(proxy=proxy)
        proxy.hides = "poddisruptionbudgets"
        (note,) = hands.prepare(draft(Verb.EVICT_POD, "pod/default/job")).notes
    assert note.reason == "repair-evict-budgets-unread"
