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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_are_named_exist(page: Path) -> None:
    named = set(re.findall(r"`((?:\.?\w[\w.-]*/)+[\w.-]*)`", page.read_text()))
    ours = {name for name in named if name.split("/")[0] in FOLDERS}
    assert [name for name in sorted(ours) if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if target.startswith("http"):
            continue
        path, _, anchor = target.partition("#")
        to = page.parent / path if path else page
        assert to.exists(), target
        assert not anchor or anchor in anchors(to), target


def test_targets_of_make_that_are_named_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    named = {one for page in PAGES for one in re.findall(r"`make ([a-z-]+)", page.read_text())}
    assert named <= targets


def test_commands_of_the_installation_are_shell() -> None:
    page = (ROOT / "docs" / "install.md").read_text()
    for block in re.findall(r"```sh\n(.*?)```", page, re.S):
        subprocess.run(["bash", "-n"], input=block, text=True, check=True)
