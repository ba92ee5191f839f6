"""Runbooks as files: ours are read and fit, the operator's come beside them, a broken one names file and reason."""

from __future__ import annotations

import hashlib
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from bot.adapters.files.knowledge import LANGUAGES
from bot.adapters.files.runbooks import BrokenRunbook, load_runbooks, read_runbooks, runbook_names
from bot.remedy.lint import INTRO
from tests.support.books import GOOD, changed, markdown

OURS = load_runbooks()


def operator(folder: Path, text: str, name: str = "small.md") -> Path:
    (folder / "runbooks").mkdir(exist_ok=True)
    (folder / "runbooks" / name).write_text(text, encoding="utf-8")
    return folder


def own(**fields: Any) -> dict[str, Any]:
    return {**GOOD, "roots": ["of-the-operator"], **fields}


@pytest.mark.parametrize(
    ("root", "name"),
    [
        ("kubelet-swap-on", "kubelet-swap"),
        ("dcgm-library-missing", "node-replacement-loop"),
        ("dcgm-unreachable", "node-replacement-loop"),
    ],
)
def test_every_shipped_root_has_its_runbook(root: str, name: str) -> None:
    assert runbook_names()[root] == name
    book = OURS.for_root(root)
    assert book is not None
    assert book.name == name


def test_a_root_without_a_runbook() -> None:
    assert OURS.for_root("cni-not-ready") is None


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("book", OURS.books, ids=lambda one: one.name)
def test_every_section_is_there_in_every_language(book: Any, lang: str) -> None:
    ids = [book.choice, *(one.id for one in book.options), *(one.id for one in book.steps), INTRO]
    for section in ids:
        title, empty, text = OURS.text(book.name, section, lang).split("\n", 2)
        assert title
        assert not empty
        assert text.strip()
    assert lang == "en" or OURS.text(book.name, INTRO, lang) != OURS.text(book.name, INTRO, "en")


def test_the_digest_is_the_files() -> None:
    files, _ = read_runbooks()
    assert files
    for one in files:
        assert one.runbook.sha256 == hashlib.sha256(Path(one.file).read_bytes()).hexdigest()


def test_the_operators_own_come_beside_ours(tmp_path: Path) -> None:
    found = load_runbooks(operator(tmp_path, markdown(own())))
    assert found.names["of-the-operator"] == "small"
    assert found.names["kubelet-swap-on"] == "kubelet-swap"
    assert found.text("small", "mark", "ko") == "Title of mark\n\nWhat mark is for."


def test_one_of_the_same_name_replaces_ours(tmp_path: Path) -> None:
    text = markdown({**GOOD, "name": "kubelet-swap"})
    found = load_runbooks(operator(tmp_path, text, "kubelet-swap.md"))
    assert found.text("kubelet-swap", INTRO, "ko").startswith("Small\n")
    assert [one.name for one in found.books] == ["node-replacement-loop", "kubelet-swap"]


def test_a_folder_without_runbooks_adds_none(tmp_path: Path) -> None:
    assert load_runbooks(tmp_path).names == OURS.names


@pytest.mark.parametrize(
    ("text", "field", "reason"),
    [
        ("# no front matter\n", "", "no front matter"),
        ("text\n---\nname: a\n---\n", "", "no front matter"),
        ("---\nname: [\n---\n", "", "did not find"),
        (markdown({**GOOD, "roots": "x"}), "roots", "Expected `array`"),
        (markdown({**GOOD, "shell": "x"}), "", "unknown field `shell`"),
        (markdown(changed("steps", 0, "shell", to="rm")), "steps[0]", "unknown field `shell`"),
        (markdown(changed("steps", 0, "verify", "shell", to="rm")), "steps[0].verify", "unknown field `shell`"),
        (markdown(changed("options", 0, "if", to="x")), "options[0]", "unknown field `if`"),
        (markdown(changed("steps", 0, "verb", to="run")), "steps[0].verb", "Invalid enum value 'run'"),
        (markdown(changed("steps", 0, "params", "value", to=False)), "steps[0].params[...]", "Expected `str`"),
        (markdown(changed("steps", 0, "verify", to=None)), "steps[0]", "missing required field `verify`"),
        (markdown({**GOOD, "sha256": "0" * 64}), "sha256", "whoever reads"),
        (markdown({**own(), "name": "other"}), "name", "'other' is not the file's"),
        (markdown(own(choice="mark")), "steps", "names 2 things"),
        (markdown(own()) + "\n## stray: Stray\n\nText.\n", "## stray", "no step, option or choice"),
        (markdown(own()) + "\n## mark: Again\n\nText.\n", "## mark", "stands there 2 times"),
        (markdown(own()) + "\n## Without an id\n\nText.\n", "## Without an id", "no step, option or choice"),
    ],
)
def test_a_broken_runbook_names_file_field_and_reason(tmp_path: Path, text: str, field: str, reason: str) -> None:
    with pytest.raises(BrokenRunbook) as caught:
        load_runbooks(operator(tmp_path, text))
    said = str(caught.value)
    assert str(tmp_path / "runbooks" / "small.md") in said
    assert f": {field}: " in said or not field
    assert reason in said


@pytest.mark.parametrize("name", ["Small.md", "small.korean.md", "my runbook.md"])
def test_a_name_that_is_none(tmp_path: Path, name: str) -> None:
    with pytest.raises(BrokenRunbook, match=r"NAME\.md or NAME\.LANG\.md is expected"):
        load_runbooks(operator(tmp_path, markdown(own()), name))


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    operator(tmp_path, "")
    (tmp_path / "runbooks" / "small.md").write_bytes(b"---\n\xff\n---\n")
    with pytest.raises(BrokenRunbook, match="utf-8"):
        load_runbooks(tmp_path)


@pytest.mark.parametrize(
    ("twice", "key", "line"),
    [
        ("name: kubelet-swap\n", "name", 3),
        ("    risk: disruptive\n", "steps[0].risk", None),
        ("      probe: operator-reacted\n", "steps[0].verify.probe", None),
    ],
    ids=["of the book", "of a step", "of a probe"],
)
def test_a_key_that_stands_twice_is_refused_since_the_later_would_win(
    tmp_path: Path, twice: str, key: str, line: int | None
) -> None:
    text = resources.files("bot").joinpath("runbooks/kubelet-swap.md").read_text(encoding="utf-8")
    doubled = text.replace(twice, twice * 2, 1)
    line = line or doubled[: doubled.index(twice * 2)].count("\n") + 2
    (tmp_path / "runbooks").mkdir()
    (tmp_path / "runbooks/kubelet-swap.md").write_text(doubled, encoding="utf-8")
    _, (problem,) = read_runbooks(tmp_path)
    assert (problem.field, problem.reason) == (key, f"line {line}: stands twice, and the later one would win")


@pytest.mark.parametrize("matter", ["&a [*a]", "&a {x: *a}", "a: &a [1]\nb: &b [*a, *a]\nc: [*b, *b]"])
def test_what_names_itself_is_refused_and_looked_through_once(tmp_path: Path, matter: str) -> None:
    (tmp_path / "runbooks").mkdir()
    (tmp_path / "runbooks/mine.md").write_text(f"---\n{matter}\n---\n", encoding="utf-8")
    _, (problem,) = read_runbooks(tmp_path)
    assert problem.file.endswith("mine.md")
