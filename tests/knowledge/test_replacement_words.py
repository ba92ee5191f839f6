"""Every code, link and reason of the replacement checks has words in both languages."""

import pytest

from bot.adapters.files.knowledge import LANGUAGES, load_knowledge, load_words
from bot.checks import REPLACEMENT

CODES = sorted({code for check in REPLACEMENT for code in check.codes} | {"monitor-dcgm-failed"})
ROWS = [row for row in load_knowledge().links.link if row.effect in CODES]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("code", CODES)
def test_a_code_has_words(lang: str, code: str) -> None:
    words = load_words(lang).code(code)
    assert words.title
    assert words.why


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.cause}>{row.effect}")
def test_a_link_has_words(lang: str, row: object) -> None:
    assert load_words(lang).link(row.cause, row.effect)  # type: ignore[attr-defined]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("key", ["gpu-cause-unclear", "repair-gate-not-seen", "nodes-too-young"])
def test_a_reason_has_words(lang: str, key: str) -> None:
    assert load_words(lang).reason(key)
