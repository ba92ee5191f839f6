"""Documents name files of this repository only if they are there, and link to headings only if they exist."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
FOLDERS = {path.name for path in ROOT.iterdir() if path.is_dir()}


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.M)
    return {re.sub(r"[^\w -]", "", one).strip().lower().replace(" ", "-") for one in headings}


def not_there(page: Path) -> list[str]:
    """Files of ours that the page names and that do not exist."""
    named = set(re.findall(r"`((?:\.?\w[\w.-]*/)+[\w.-]*)`", page.read_text()))
    return [one for one in sorted(named) if one.split("/")[0] in FOLDERS and not (ROOT / one).exists()]


def astray(page: Path) -> list[str]:
    """Links of the page to a file or a heading that does not exist."""
    found = []
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        path, _, anchor = target.partition("#")
        to = page.parent / path if path else page
        if not target.startswith("http") and (not to.exists() or (anchor and anchor not in anchors(to))):
            found.append(target)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_are_named_exist(page: Path) -> None:
    assert not_there(page) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    assert astray(page) == []


def test_the_control_what_is_not_there_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# A head\n`docs/gone.md` `docs/install.md` `other/x` [a](#a-head) [b](#b) [c](c.md) [d](page.md#a-head)"
    )
    assert not_there(page) == ["docs/gone.md"]
    assert astray(page) == ["#b", "c.md"]


def test_targets_of_make_that_are_named_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    named = {one for page in PAGES for one in re.findall(r"`make ([a-z-]+)", page.read_text())}
    assert named
    assert named <= targets


def test_commands_of_the_installation_are_shell() -> None:
    page = (ROOT / "docs" / "install.md").read_text()
    blocks = re.findall(r"```sh\n(.*?)```", page, re.S)
    assert blocks
    for block in blocks:
        subprocess.run(["bash", "-n"], input=block, text=True, check=True)
