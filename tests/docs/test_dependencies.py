"""`docs/dependencies.md` gives a reason for every dependency, and for nothing else."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PAGE = (ROOT / "docs" / "dependencies.md").read_text()
GROUPS = {
    "In the image": PROJECT["dependencies"],
    "For the demo and the tests": PROJECT["optional-dependencies"]["demo"],
    "For developers": PROJECT["optional-dependencies"]["dev"],
}


@pytest.mark.parametrize("group", GROUPS)
def test_each_has_one_line_of_reason(group: str) -> None:
    names = [re.split(r"[<>=!\[; ]", one)[0] for one in GROUPS[group]]
    section = PAGE.partition(f"## {group}\n")[2].partition("\n## ")[0]
    rows = dict(re.findall(r"^\| ([\w-]+) \| (.+\.) \|$", section, re.M))
    assert list(rows) == names


def test_no_group_is_left_out() -> None:
    assert re.findall(r"^## (.+)$", PAGE, re.M) == list(GROUPS)
