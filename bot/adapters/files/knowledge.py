"""Reads the knowledge that ships with the bot, and the operator's own beside it, from TOML files."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from datetime import timedelta
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from bot.knowledge.base import PROVIDER, Knowledge
from bot.knowledge.links import Links
from bot.knowledge.signatures import Signature
from bot.knowledge.words import CodeWords, Words
from bot.model.problem import Problem, undecoded
from bot.model.snapshot import RepairPolicy

LANGUAGES = ("en", "ko")
T = TypeVar("T")


class BrokenKnowledge(ValueError):
    """A knowledge file that cannot be read; the text names file, field and reason."""

    def __init__(self, problem: Problem | str) -> None:
        super().__init__(str(problem))
        self.problem = problem if isinstance(problem, Problem) else Problem("", "", problem)


class _SignatureFile(msgspec.Struct, forbid_unknown_fields=True):
    signature: tuple[Signature, ...] = ()


class _Text(msgspec.Struct, forbid_unknown_fields=True):
    text: str


class _WordsFile(msgspec.Struct, forbid_unknown_fields=True):
    codes: dict[str, CodeWords] = {}
    links: dict[str, _Text] = {}
    reasons: dict[str, _Text] = {}
    labels: dict[str, str] = {}


def load_knowledge(folder: Path | None = None) -> Knowledge:
    """Signatures and links of the bot, then those of the operator's folder.

    Raises:
        BrokenKnowledge: a file is no TOML, or a row has a wrong or unknown field.
    """
    signatures: list[Signature] = []
    links: list[Links] = []
    for root in _roots(folder):
        signatures += _read(root / "signatures.toml", _SignatureFile).signature
        links.append(_read(root / "links.toml", Links))
    return Knowledge(
        signatures=tuple(signatures),
        links=Links(
            link=tuple(row for one in links for row in one.link),
            never_root=frozenset(code for one in links for code in one.never_root),
        ),
    )


def load_words(lang: str, folder: Path | None = None) -> Words:
    """The catalogue of one language, with the operator's words on top.

    Raises:
        BrokenKnowledge: the language is not there, or a file is broken.
    """
    if lang not in LANGUAGES:
        raise BrokenKnowledge(f"language {lang!r} is none of {', '.join(LANGUAGES)}")
    files = [_read(root / "words" / f"{lang}.toml", _WordsFile) for root in _roots(folder)]
    return Words(
        lang=lang,
        codes={key: value for one in files for key, value in one.codes.items()},
        links={key: value.text for one in files for key, value in one.links.items()},
        reasons={key: value.text for one in files for key, value in one.reasons.items()},
        labels={key: value for one in files for key, value in one.labels.items()},
    )


class _PolicyRow(msgspec.Struct, forbid_unknown_fields=True):
    condition: str
    status: str
    minutes: float


class _Provider(msgspec.Struct, forbid_unknown_fields=True):
    policy: tuple[_PolicyRow, ...] = ()


def load_policies(provider: str = PROVIDER, folder: Path | None = None) -> tuple[RepairPolicy, ...]:
    """The rows of a Karpenter provider's repair policy; a provider in the operator's folder replaces ours.

    Raises:
        BrokenKnowledge: no such provider, or a file is broken.
    """
    providers: dict[str, _Provider] = {}
    for root in _roots(folder):
        providers |= _read(root / "policies.toml", dict[str, _Provider])
    if provider not in providers:
        raise BrokenKnowledge(f"repair_policy: {provider!r} is none of {', '.join(sorted(providers))}")
    return tuple(
        RepairPolicy(row.condition, row.status, timedelta(minutes=row.minutes)) for row in providers[provider].policy
    )


def _roots(folder: Path | None) -> Iterable[Traversable]:
    return (resources.files("bot.knowledge"), *([folder] if folder else []))


def _read(path: Traversable, kind: type[T]) -> T:
    if not path.is_file():
        return kind()
    try:
        data: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        return msgspec.convert(data, kind)
    except (tomllib.TOMLDecodeError, OSError, UnicodeDecodeError, msgspec.ValidationError) as why:
        raise BrokenKnowledge(undecoded(str(path), why)) from None
