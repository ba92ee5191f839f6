"""Runbooks: their front matter is read, translations agree, a broken one names file and field."""

from importlib import resources
from pathlib import Path

import pytest

from bot.adapters.files.runbooks import BrokenRunbook, runbook_names

FOLDER = Path(str(resources.files("bot").joinpath("runbooks")))


def test_every_shipped_root_has_its_runbook() -> None:
    assert runbook_names()["kubelet-swap-on"] == "kubelet-swap"
    assert runbook_names()["dcgm-library-missing"] == "node-replacement-loop"


def test_translations_carry_the_same_front_matter() -> None:
    for path in FOLDER.glob("*.ko.md"):
        original = path.with_name(path.name.replace(".ko.md", ".md"))
        assert path.read_text().split("---")[1] == original.read_text().split("---")[1]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("# no front matter\n", "no front matter"),
        ("---\nname: a\nroots: x\n---\n", r"\$\.roots"),
        ("---\nname: other\nroots: [x]\n---\n", "'other' is not the file's"),
        ("---\nname: [\n---\n", "a.md"),
    ],
)
def test_a_broken_runbook_names_file_and_reason(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "a.md").write_text(text)
    with pytest.raises(BrokenRunbook, match=reason) as caught:
        runbook_names(tmp_path)
    assert "a.md" in str(caught.value)
