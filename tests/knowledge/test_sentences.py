"""Words live in the catalogue: no sentence stands in what decides, carries out, narrates or shows a repair."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import bot
from bot.adapters.files.knowledge import load_words
from tests.support.sentences import english

ROOT = Path(bot.__file__).parent
#: Where nothing may be said. The lint, the generated roles and the readers of a terminal's own user speak elsewhere.
ROOMS = ("remedy", "app/repair", "narrate", "render", "adapters/kubernetes", "adapters/terminal", "entry/demo")
_ELSEWHERE = {
    ROOT / one
    for one in (
        "remedy/lint.py",
        "remedy/steplint.py",
        "adapters/kubernetes/access.py",
        "adapters/kubernetes/executor_access.py",
        "adapters/kubernetes/identity.py",
    )
}
#: What a person types.
_COMMAND = re.compile(r"\s*(?:kubectl|aws|helm|argocd|flux|gpu-autopsy)\b")
#: Of a probe's question: said to whoever writes a runbook, in the generated docs.
_FOR_AUTHORS = frozenset({"holds_when"})
#: Errors that a programmer sees, or only the log: nobody on call reads them on a card.
_FOR_PROGRAMMERS = frozenset({"ValueError", "WeakKey", "NotInChannel"})
#: A word in a text; `HTTP` and the like are the server's.
_WORD = re.compile(r"\b[a-z]{2,}")
#: Korean sentence ends of another register than the bot's.
_OTHER_MANNER = re.compile(r"십시오|십시요|(?<!니)다\.|[어아해]요[.\s]|하라\.|하자\.")
#: Patterns of what others say.
_PATTERNS = frozenset({"compile"})


def _said(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Every text of a file, with its blanks as `¶`, but for what is written for its authors."""
    hidden = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg in _FOR_AUTHORS:
            hidden |= set(ast.walk(node.value))
        if isinstance(node, ast.Call) and _called(node) in _FOR_PROGRAMMERS | _PATTERNS:
            hidden |= set(ast.walk(node))
        if isinstance(node, ast.Call) and _called(node) == "get":
            # The name of a field.
            hidden |= set(node.args[:1])
        if isinstance(node, ast.JoinedStr):
            hidden |= set(ast.walk(node)) - {node}
    for node in ast.walk(tree):
        if node in hidden:
            continue
        if isinstance(node, ast.JoinedStr):
            parts = (str(one.value) if isinstance(one, ast.Constant) else "¶" for one in node.values)
            yield node.lineno, "".join(parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def _called(call: ast.Call) -> str:
    return str(getattr(call.func, "id", getattr(call.func, "attr", "")))


def sentences(source: str) -> list[tuple[int, str]]:
    return [(line, text) for line, text in _said(ast.parse(source)) if english(text) and not _COMMAND.match(text)]


@pytest.mark.parametrize("room", ROOMS)
def test_nothing_is_said_outside_of_the_catalogue(room: str) -> None:
    paths = set((ROOT / room).rglob("*.py")) - _ELSEWHERE
    assert paths
    found = {str(path.relative_to(ROOT)): sentences(path.read_text(encoding="utf-8")) for path in sorted(paths)}
    assert {path: said for path, said in found.items() if said} == {}


def _reasons(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Every text that is given as `why`, with its blanks as `¶`: a few words are no sentence, and no reason either."""
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "why":
            yield from _said(ast.Module(body=[ast.Assign(targets=[], value=node.value)], type_ignores=[]))


def unknown_reasons(source: str) -> list[tuple[int, str]]:
    """Those that are no key of the catalogue, with or without a detail behind it, and hold words all the same."""
    keys = load_words("en").reasons
    return [
        (line, text)
        for line, text in _reasons(ast.parse(source))
        if text.partition(" ")[0] not in keys and _WORD.search(text)
    ]


@pytest.mark.parametrize("room", ROOMS)
def test_a_reason_is_one_of_the_catalogue(room: str) -> None:
    paths = set((ROOT / room).rglob("*.py")) - _ELSEWHERE
    found = {str(path.relative_to(ROOT)): unknown_reasons(path.read_text(encoding="utf-8")) for path in sorted(paths)}
    assert {path: said for path, said in found.items() if said} == {}


@pytest.mark.parametrize(
    "source",
    ['f(why="nobody counted")', 'f(why=a or "repair-no-such-reason")', 'f(why="" if a else f"too slow: {b}")'],
)
def test_a_reason_without_words_is_found(source: str) -> None:
    assert unknown_reasons(source)


@pytest.mark.parametrize(
    "source", ['f(why="hands-not-done")', 'f(why=f"approver-lookup-failed {a}")', 'f(why=f"HTTP {a}")', "f(why=a.why)"]
)
def test_a_reason_of_the_catalogue_is_none(source: str) -> None:
    assert not unknown_reasons(source)


@pytest.mark.parametrize(
    "source",
    [
        'x = "nothing was sent to it"',
        'x = f"nothing was sent: {why}"',
        'f(why=f"{a} of {b} objects are done, then: {c}")',
    ],
)
def test_a_sentence_is_found(source: str) -> None:
    assert sentences(source)


def test_everybody_is_asked_in_the_same_manner_in_korean() -> None:
    """Statements end in 합니다, requests in 하세요 or 해 주세요: no 하십시오, and none of the plain 한다."""
    words, books = load_words("ko"), sorted((ROOT.parent / "runbooks").glob("*.ko.md"))
    texts = {**words.reasons, **words.labels, **words.links}
    texts |= {code: f"{one.title} {one.why} {one.open}" for code, one in words.codes.items()}
    texts |= {path.name: path.read_text(encoding="utf-8") for path in books}
    assert books
    assert {key: _OTHER_MANNER.findall(text) for key, text in texts.items() if _OTHER_MANNER.search(text)} == {}


def test_no_korean_text_is_an_english_one() -> None:
    words = load_words("ko")
    texts = {**words.reasons, **words.labels, **words.links}
    assert {key: text for key, text in texts.items() if english(text)} == {}
