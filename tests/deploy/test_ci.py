"""The script of CI sets what the tests ask for, and is the only one that knows where the real parts lie."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / ".ci" / "run"
ASKED = re.compile(r"\b(AUTOPSY_TEST_[A-Z]+|KUBEBUILDER_ASSETS)\b")


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [path for name in listed.split("\0") if name and (path := ROOT / name).is_file()]


def test_it_is_a_script_that_stops_at_the_first_failure() -> None:
    subprocess.run(["bash", "-n", SCRIPT], check=True)
    assert "set -euo pipefail" in SCRIPT.read_text()


def test_it_sets_every_variable_that_tests_ask_for() -> None:
    asked = {name for path in (ROOT / "tests").rglob("*.py") for name in ASKED.findall(path.read_text())}
    exported = set(re.findall(r"^export ([A-Z_]+)", SCRIPT.read_text(), re.M))
    assert "AUTOPSY_TEST_STRICT" in asked
    assert asked <= exported


def test_it_runs_every_kind_of_test() -> None:
    runs = re.findall(r"^make ([a-z-]+)$", SCRIPT.read_text(), re.M)
    assert runs == ["lint", "test", "test-real"]


def test_nothing_else_reaches_outside_the_repository() -> None:
    needle = "../" + "shared"
    naming = {
        str(path.relative_to(ROOT))
        for path in tracked()
        if needle in path.read_text(encoding="utf-8", errors="replace")
    }
    assert naming <= {".ci/run"}
