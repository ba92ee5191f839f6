"""The house stands as it is drawn: files stay small, the wheel carries what it needs."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = sorted(path for path in (ROOT / "bot").rglob("*.py"))


@pytest.mark.parametrize("folder", ["bot", "tests"])
def test_a_file_can_be_held_in_the_head(folder: str) -> None:
    sizes = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in (ROOT / folder).rglob("*.py")}
    assert sizes
    assert {name: size for name, size in sizes.items() if size > 300} == {}


CHECK_FILES = sorted(path for path in (ROOT / "bot" / "checks").glob("*.py") if "\nCHECK = " in path.read_text())


@pytest.mark.parametrize("path", CHECK_FILES, ids=lambda path: path.stem)
def test_a_check_stands_alone(path: Path) -> None:
    imported = set(re.findall(r"^from bot\.checks\.(\w+) import", path.read_text(), re.M))
    assert imported.isdisjoint(one.stem for one in CHECK_FILES), "what checks share stands in bot/checks/views"


def _logged(path: Path) -> Iterator[str]:
    """What each line of the log begins with, as the source says it."""
    for call in ast.walk(ast.parse(path.read_text())):
        if isinstance(call, ast.Call) and re.fullmatch(
            r"_log\.(debug|info|warning|error|exception)", ast.unparse(call.func)
        ):
            yield ast.unparse(call.args[0])


def test_events_of_the_log_are_names() -> None:
    logged = [(path.name, one) for path in SOURCES for one in _logged(path)]
    assert logged
    assert [one for one in logged if not re.fullmatch(r"'[a-z]+(_[a-z]+)*'", one[1])] == []


@pytest.mark.parametrize("folder", ["prompts", "runbooks"])
def test_the_package_carries_the_top_level_folders(folder: str) -> None:
    assert (ROOT / "bot" / folder).resolve() == ROOT / folder
