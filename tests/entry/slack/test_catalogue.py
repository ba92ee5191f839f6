"""Every reason that the ear can say stands in both languages, with blanks that it fills."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bot.adapters.files.knowledge import load_words
from bot.entry.slack.guard import Reason

EAR = Path(__file__).parents[3] / "bot/entry/slack"
SAID = sorted({*re.findall(r'"(slack-[a-z-]+)"', "".join(path.read_text() for path in EAR.glob("*.py"))), *Reason})
#: What the callers hand over, by key; all others hand over nothing.
VALUES = {
    "slack-help": {"command", "cluster"},
    "slack-looking-at": {"subject", "cluster"},
    "slack-looking-at-cluster": {"subject", "cluster"},
    "slack-looking-for": {"words", "cluster"},
    "slack-name-missing": {"kind", "shape"},
    "slack-reference-malformed": {"words", "shape"},
    "slack-name-invalid": {"name"},
    "slack-not-taken": {"error"},
    "slack-file-too-big": {"name", "limit"},
    "slack-file-not-text": {"name"},
    "slack-file-unreadable": {"name", "why"},
    "slack-files-too-many": {"name", "most"},
    "refused-lookup-failed": {"error"},
    "refused-button-other-cluster": {"cluster"},
    "slack-ordered": {"order", "cluster"},
    "slack-press-not-taken": {"error"},
}


def test_the_source_names_reasons() -> None:
    assert len(SAID) > len(Reason)


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("key", SAID)
def test_every_reason_has_words_with_blanks_that_are_filled(lang: str, key: str) -> None:
    text = load_words(lang).reason(key)
    assert set(re.findall(r"\{([a-z]+)\}", text)) <= VALUES.get(key, set())
