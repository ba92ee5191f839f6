"""Whatever the audit finds and whatever makes the bot read only has words."""

from pathlib import Path

import pytest

import bot
from bot.adapters.files.knowledge import LANGUAGES, load_words
from bot.adapters.redis import trust
from bot.entry.wiring.journal import NO_KEY
from bot.remedy.audit import Flaw
from bot.remedy.decision import NOT_BEGUN

_DURABILITY = (Path(bot.__file__).parent / "adapters" / "redis" / "durability.py").read_text().split('"')
READ_ONLY = [one for one in _DURABILITY if one.startswith("read-only-")]
ALARMS = (NOT_BEGUN, trust.MISSING, trust.BAD_HEAD, trust.ROLLED_BACK, trust.UNREADABLE, trust.GONE)
SAID = ("audit-anchor", "audit-empty", "audit-holds", "audit-cannot-show")


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("reason", [*(f"audit-{one}" for one in Flaw), *SAID, *ALARMS, *READ_ONLY, NO_KEY])
def test_it_has_words(lang: str, reason: str) -> None:
    assert load_words(lang).reason(reason)


def test_the_reasons_were_found() -> None:
    assert len(READ_ONLY) == 7
