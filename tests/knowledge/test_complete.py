"""What is stated twice agrees: every code, link and reason has words in every language, and nothing hangs loose."""

import ast
from inspect import getmodule, getsource
from pathlib import Path
from typing import TypeGuard

import pytest

import bot
from bot.adapters.files.knowledge import LANGUAGES, load_knowledge, load_words
from bot.checks import CHECKS
from bot.checks.check import Check
from bot.diagnose.gone import GONE
from bot.knowledge.blanks import blanks
from bot.model.findings import Code
from bot.model.sections import UnknownReason

KNOWLEDGE = load_knowledge()
ROOT = Path(bot.__file__).parent
TOLD = {code for row in KNOWLEDGE.signatures for code in (row.code, row.suspect) if code}
CODES = sorted({*(c for check in CHECKS for c in check.codes), GONE, *(Code(code) for code in TOLD)})


def _reasons() -> set[str]:
    """Every reason for not telling that stands in the source of checks and diagnosis, or is made from a section's."""
    found = {f"section-{one.value}" for one in UnknownReason}
    for path in [*(ROOT / "checks").rglob("*.py"), *(ROOT / "diagnose").glob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if _names_why(node):
                found |= _texts(node.value)
            elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "_open":
                found |= _texts(node.args[2])
    return found


def _names_why(node: ast.AST) -> TypeGuard[ast.keyword | ast.Assign]:
    if isinstance(node, ast.keyword):
        return node.arg == "why"
    return isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "why"


def _texts(node: ast.expr) -> set[str]:
    branches = [node.body, node.orelse] if isinstance(node, ast.IfExp) else [node]
    return {one.value for one in branches if isinstance(one, ast.Constant) and isinstance(one.value, str)}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_code_has_words(lang: str) -> None:
    assert not [code for code in CODES if code not in load_words(lang).codes]


def _can_be_open() -> set[str]:
    """Codes that a gap may name: of checks that need something to be read, or say themselves that they cannot tell;
    and of texts that a finding asks for.
    """
    checks = [one for one in CHECKS if one.reads or one.also_reads or "Blind(" in getsource(getmodule(one.run) or one)]
    return (
        {c for one in checks for c in one.codes} | {GONE} | {row.code for row in KNOWLEDGE.signatures if row.opened_by}
    )


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_code_that_can_stay_open_asks_a_question_that_names_no_object(lang: str) -> None:
    words = load_words(lang).codes
    assert not [code for code in _can_be_open() if not words[code].open]
    assert not [code for code, one in words.items() if blanks(one.open)]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_link_has_words(lang: str) -> None:
    words = load_words(lang)
    assert not [row for row in KNOWLEDGE.links.link if f"{row.cause}>{row.effect}" not in words.links]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_reason_has_words(lang: str) -> None:
    assert not _reasons() - set(load_words(lang).reasons)


def test_the_languages_say_the_same_things() -> None:
    first, *others = (load_words(lang) for lang in LANGUAGES)
    assert others
    for other in others:
        assert set(first.codes) == set(other.codes)
        assert set(first.links) == set(other.links)
        assert set(first.reasons) == set(other.reasons)


def test_links_refer_to_codes_that_exist() -> None:
    named = {code for row in KNOWLEDGE.links.link for code in (row.cause, row.effect)} | KNOWLEDGE.links.never_root
    assert not named - set(CODES)


def test_signatures_refer_to_codes_that_exist() -> None:
    named = {code for row in KNOWLEDGE.signatures for code in (*row.opened_by, row.explains) if code}
    assert not named - set(CODES)


def test_links_have_no_circle() -> None:
    below: dict[str, set[str]] = {}
    for row in KNOWLEDGE.links.link:
        below.setdefault(row.cause, set()).add(row.effect)

    def reaches(code: str, wanted: str, seen: frozenset[str] = frozenset()) -> bool:
        later = below.get(code, set()) - seen
        return wanted in later or any(reaches(one, wanted, seen | {code}) for one in later)

    assert not [code for code in below if reaches(code, code)]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_a_check_is_named_after_its_file(check: Check) -> None:
    assert (ROOT / "checks" / f"{check.name.replace('-', '_')}.py").is_file()


@pytest.mark.parametrize("command", sorted({row.command for row in KNOWLEDGE.signatures if row.command[:3] == "ssh"}))
def test_a_host_command_fits_a_phone(command: str) -> None:
    assert len(command.format(node="omen2")) < 60
