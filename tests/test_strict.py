"""Where nothing may be missing, a skipped test is a failed one, wherever it was skipped."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SKIPS = """
import pytest

@pytest.fixture
def server():
    pytest.skip("no such server on this machine")

def test_skipped_by_its_fixture(server): ...

def test_skipped_by_itself():
    pytest.skip("no such server on this machine")

@pytest.mark.skipif(True, reason="no such server on this machine")
def test_skipped_by_its_mark(): ...

@pytest.mark.xfail
def test_expected_to_fail():
    raise AssertionError

def test_not_skipped(): ...
"""
PLUGINS = ("-p", "tests.support.strict", "-p", "no:cacheprovider", "-p", "no:valkey")


@pytest.mark.parametrize(
    ("strict", "status", "summary"), [("1", 1, "1 passed, 1 xfailed"), ("", 0, "1 passed, 3 skipped, 1 xfailed")]
)
def test_skips(tmp_path: Path, strict: str, status: int, summary: str) -> None:
    (tmp_path / "pytest.ini").touch()
    (tmp_path / "test_skips.py").write_text(SKIPS)
    ran = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "--rootdir",
            tmp_path,
            "-rN",
            "-c",
            tmp_path / "pytest.ini",
            *PLUGINS,
            tmp_path,
        ],
        env={**os.environ, "AUTOPSY_TEST_STRICT": strict},
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, summary in ran.stdout) == (status, True), ran.stdout
    assert ran.stdout.count("no such server on this machine") == (3 if strict else 0)
