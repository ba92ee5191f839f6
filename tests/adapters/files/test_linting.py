"""Everything that is wrong in an operator's folder, at once: each kind of file, broken in form and in meaning."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.adapters.files.linting import problems
from tests.support.books import GOOD, markdown

WORDS = '[codes.mine]\ntitle = "mine"\n[links."mine>kubelet-down"]\ntext = "so"\n'
SIGNATURE = '[[signature]]\ncode = "mine"\nsource = "journal:kubelet"\npattern = "boom"\n'
LINK = '[[link]]\ncause = "mine"\neffect = "kubelet-down"\n'
FOLDER = {
    "signatures.toml": SIGNATURE,
    "links.toml": LINK,
    "words/en.toml": WORDS,
    "words/ko.toml": WORDS,
    "runbooks/small.md": markdown({**GOOD, "roots": ["mine"]}),
}


def folder(root: Path, **changes: str) -> Path:
    for name, text in {**FOLDER, **changes}.items():
        path = root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def test_ours_are_fit() -> None:
    assert problems(None) == ()


def test_a_good_folder_has_no_problem(tmp_path: Path) -> None:
    assert problems(folder(tmp_path)) == ()


@pytest.mark.parametrize(
    ("name", "text", "field", "reason"),
    [
        ("signatures.toml", "no toml", "", "Expected '='"),
        ("signatures.toml", '[[signature]]\ncode = "mine"\n', "signature[0]", "missing required field"),
        ("signatures.toml", SIGNATURE + "typo = 1\n", "signature[0]", "unknown field `typo`"),
        ("signatures.toml", SIGNATURE.replace("boom", "("), "signature[0].pattern", "no regular expression"),
        ("signatures.toml", SIGNATURE.replace("boom", "x*"), "signature[0].pattern", "matches everything"),
        ("signatures.toml", SIGNATURE.replace('"boom"', '""'), "signature[0].pattern", "is empty"),
        ("signatures.toml", SIGNATURE.replace("journal:kubelet", "disk"), "signature[0].source", "no text"),
        ("signatures.toml", SIGNATURE + 'opened_by = ["nope"]\n', "signature[0].opened_by", "'nope' is no known"),
        ("signatures.toml", SIGNATURE + f'command = "{"x" * 60}"\n', "signature[0].command", "60 letters"),
        ("signatures.toml", SIGNATURE.replace("mine", "Mine"), "signature[0].code", "lower-case"),
        ("links.toml", LINK.replace("kubelet-down", "nope"), "link[0].effect", "'nope' is no known code"),
        ("links.toml", LINK + 'join = "somehow"\n', "link[0].join", "is expected"),
        ("links.toml", 'never_root = ["nope"]\n', "never_root", "'nope' is no known code"),
        ("links.toml", LINK + '[[link]]\ncause="kubelet-down"\neffect="mine"\n', "link", "leads back to itself"),
        ("words/ko.toml", "", "codes.mine", "no words"),
        ("words/en.toml", WORDS.replace('"mine"', '""'), "codes.mine.title", "is empty"),
        ("words/en.toml", WORDS.split("[links", maxsplit=1)[0], 'links."mine>kubelet-down"', "no words"),
        ("words/en.toml", "[codes.mine]\ntitel = 1\n", "codes[...]", "unknown field `titel`"),
        ("policies.toml", '[aws]\npolicy = "x"\n', "[...].policy", "Expected `array`"),
        ("runbooks/small.md", markdown({**GOOD, "roots": ["nope"]}), "roots", "'nope' is no known code"),
        ("runbooks/small.md", "# Title\n", "", "no front matter"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, name: str, text: str, field: str, reason: str) -> None:
    found = problems(folder(tmp_path, **{name: text}))
    assert [one for one in found if one.file == str(tmp_path / name) and one.field == field and reason in one.reason]


def test_one_broken_file_hides_no_other(tmp_path: Path) -> None:
    found = problems(folder(tmp_path, **{"signatures.toml": "no toml", "runbooks/small.md": "# Title\n"}))
    assert {Path(one.file).name for one in found} >= {"signatures.toml", "small.md"}


@pytest.mark.parametrize("name", ["links.toml", "words/en.toml"])
def test_a_field_with_a_typo_is_never_passed_over(tmp_path: Path, name: str) -> None:
    text = {"links.toml": LINK + 'jion = "subject"\n', "words/en.toml": '[codes.mine]\ntitle = "x"\nwhi = "y"\n'}[name]
    found = problems(folder(tmp_path, **{name: text}))
    assert [one for one in found if "unknown field" in one.reason]
