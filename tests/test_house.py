"""The house stands as it is drawn: files stay small, the wheel carries what it needs."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = sorted(path for path in (ROOT / "bot").rglob("*.py"))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_can_be_held_in_the_head(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 300


def test_so_can_a_file_of_tests() -> None:
    sizes = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in (ROOT / "tests").rglob("*.py")}
    assert sizes
    assert {name: size for name, size in sizes.items() if size > 300} == {}


@pytest.mark.parametrize("folder", ["prompts", "runbooks"])
def test_the_package_carries_the_top_level_folders(folder: str) -> None:
    assert (ROOT / "bot" / folder).resolve() == ROOT / folder
