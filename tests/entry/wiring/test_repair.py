"""What settings make of the cards. Axes: with an Alertmanager or without."""

from __future__ import annotations

import msgspec
import pytest

from bot.entry.settings import PlanSettings, load_part
from bot.entry.wiring.repair import open_setup
from bot.entry.wiring.store import open_store
from bot.remedy.plan import PlanState, StepState
from tests.support.cards import GUARD, INCIDENT, changed, plan
from tests.support.redis import redis_server, redis_url

__all__ = ["redis_server", "redis_url"]


@pytest.mark.parametrize(("url", "offered"), [("http://alertmanager:9093", True), ("", False)])
@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_silence_is_offered_where_an_alertmanager_is_configured(
    redis_url: str, url: str, offered: bool, lang: str
) -> None:
    told = {"AUTOPSY_CLUSTER": "lab", "REDIS_URL": redis_url, "AUTOPSY_AUDIT_KEY": "k" * 32}
    settings = load_part(PlanSettings, {**told, "AUTOPSY_ALERTMANAGER_URL": url})
    setup = open_setup(settings, open_store(settings), lambda: "T0TEAM")
    assert setup is not None
    left = plan(changed(GUARD, state=StepState.VERIFIED), state=PlanState.DONE, leaves=("vm-unschedulable",))
    finished = msgspec.json.encode(setup.cards[lang].finished(left, INCIDENT)).decode()
    assert ("repair:silence" in finished) == offered
    assert "repair:postmortem" in finished
