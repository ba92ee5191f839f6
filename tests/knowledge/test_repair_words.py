"""Every reason of a repair that the code or a runbook can give has words, and names people by their short ids only."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import bot
from bot.adapters.files.knowledge import LANGUAGES, load_words
from bot.adapters.files.runbooks import load_runbooks
from bot.remedy.events import Resolution
from bot.remedy.plan import PlanState

ROOT = Path(bot.__file__).parent
#: What the names of reasons begin with: of the rules, and of what the adapters find in the cluster.
_RULES = ("repair", "hazard", "approver", "form", "cli", "lint", "prepare", "demo")
_READS = ("reply", "log-without", "list-without", "list-expired", "file-without")
_CLUSTER = ("hands", "diff", "silence", "freeze-configmap", *_READS)
_REASON = re.compile(rf"\"((?:{'|'.join((*_RULES, *_CLUSTER))})(?:-[a-z-]+[a-z])?)[\" ]")
#: Names of findings that begin in the same way.
_CODES = frozenset({"repair-policy", "repair-gate", "repair-breaker"})


def _said() -> set[str]:
    """Reasons in the source of the rules, the use cases and the entries, and those that are made of parts."""
    found = {f"repair-plan-{one.value}" for one in PlanState if one is not PlanState.CHOOSING}
    found |= {f"approver-{one.removeprefix('refused-')}" for one in ("refused-guest", "refused-bot")}
    found |= {"approver-deactivated", "approver-other-team"}
    found |= {f"resolved-{one.value}" for one in Resolution}
    for folder in ("remedy", "app", "entry", "adapters", "narrate"):
        for path in (ROOT / folder).rglob("*.py"):
            found |= set(_REASON.findall(path.read_text(encoding="utf-8")))
    return {one for one in found - _CODES if "-" in one}


def _of_runbooks() -> set[str]:
    books = load_runbooks().books
    hazards = {step.hazard for book in books for step in book.steps if step.hazard}
    return hazards | {f"left-{code}" for book in books for option in book.options for code in option.leaves}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_reason_has_words(lang: str) -> None:
    words = load_words(lang)
    assert [key for key in sorted(_said() | _of_runbooks()) if not words.reasons.get(key)] == []


def test_the_source_names_reasons() -> None:
    assert len(_said()) > 100


def test_what_the_demo_says_is_named_by_the_source() -> None:
    parts = {f"demo-state-{one.value}" for one in PlanState}
    parts |= {f"demo-machine-{one}" for one in ("running", "stopped", "killed", "crash-loop", "missing")}
    known = {key for key in load_words("en").reasons if key.startswith("demo-")}
    assert parts <= known
    assert known - parts - _said() == set()


def test_what_the_executor_finds_is_named_by_the_source() -> None:
    known = {key for key in load_words("en").reasons if key.startswith(_CLUSTER)}
    assert len(known) > 30
    assert known - _said() == set()
