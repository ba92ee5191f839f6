"""The command as a process. Axes: what crashes, who stops reading, what the terminal can show, what is loaded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.entry.dumps import ROOT, broken, command, healthy, python


@pytest.mark.parametrize(
    ("args", "error"),
    [
        (("--from", "/nowhere"), "/nowhere: no such folder"),
        (("--from", ""), "Invalid value for '--from': the name is empty"),
        (("--bogus",), "No such option: --bogus"),
        (("--at", "9999-12-31T00:00:00Z"), "Invalid value for '--at': '9999-12-31T00:00:00Z' lies outside"),
    ],
)
def test_without_an_answer_json_says_why(args: tuple[str, ...], error: str) -> None:
    done = command("diagnose", "--json", *args)
    told = json.loads(done.stdout)
    assert (done.returncode, told["schema"], told["verdict"]) == (2, "gpu-autopsy.report/1", "unknown")
    assert told["error"].startswith(error)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("lang", [("--lang", "ko"), ("--lang=ko",), ("--lang", "en", "--lang", "ko")])
@pytest.mark.parametrize(
    ("args", "error"),
    [
        (("--from", "/nowhere"), "/nowhere: 이런 폴더가 없습니다"),
        (("--kubeconfig", "/nowhere"), "쓸 수 있는 Kubernetes 설정이 없습니다: "),
    ],
)
def test_without_an_answer_it_is_said_in_the_language_that_was_asked_for(
    lang: tuple[str, ...], args: tuple[str, ...], error: str
) -> None:
    done = command("diagnose", "--json", *args, *lang)
    assert json.loads(done.stdout)["error"].startswith(error)
    assert (done.returncode, done.stderr.startswith(f"gpu-autopsy: {error}")) == (2, True), done.stderr


def test_a_crash_says_so_in_json_too() -> None:
    done = python(
        "import sys\nfrom bot.entry import cli\n"
        "@cli.app.command()\ndef boom(json: bool = False):\n    raise KeyError(1)\n"
        "sys.argv[1:] = ['boom', '--json']\ncli.main()"
    )
    assert (done.returncode, json.loads(done.stdout)["error"]) == (2, "unexpected KeyError: 1 (<string>:5)")


def test_a_closed_output_is_no_verdict(tmp_path: Path) -> None:
    args = [sys.executable, "-m", "bot", "diagnose", "--from", str(healthy(tmp_path))]
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *args], cwd=ROOT, stderr=subprocess.PIPE, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (
        2,
        "gpu-autopsy: the standard output is closed, so there is nowhere to answer\n",
    )


@pytest.mark.parametrize("form", [(), ("--json",)], ids=["tree", "json"])
def test_a_terminal_that_knows_only_ascii_gets_its_answer(tmp_path: Path, form: tuple[str, ...]) -> None:
    args = [sys.executable, "-m", "bot", "diagnose", "--from", str(broken(tmp_path)), "--lang", "ko", *form]
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(args, cwd=ROOT, env=env, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (1, b"")
    assert not form or json.loads(done.stdout)["lang"] == "ko"


@pytest.mark.parametrize(
    ("raised", "status", "told"),
    [
        ("KeyError('x')", 2, "gpu-autopsy: unexpected KeyError: 'x' (<string>:5)\n"),
        ("ValueError('x')", 2, "gpu-autopsy: unexpected ValueError: x (<string>:5)\n"),
        ("MemoryError()", 2, "gpu-autopsy: unexpected MemoryError:  (<string>:5)\n"),
        ("KeyboardInterrupt()", 130, ""),
    ],
)
def test_a_crash_is_no_fault_of_the_cluster(raised: str, status: int, told: str) -> None:
    done = python(
        "import sys\nfrom bot.entry import cli\n"
        f"@cli.app.command()\ndef boom():\n    raise {raised}\n"
        "sys.argv[1:] = ['boom']\ncli.main()"
    )
    assert (done.returncode, done.stderr) == (status, told)


def test_who_stops_reading_gets_no_verdict(tmp_path: Path) -> None:
    args = [sys.executable, "-m", "bot", "diagnose", "--from", str(healthy(tmp_path))]
    with subprocess.Popen(args, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        told = process.stderr.read()
    assert (process.returncode, told) == (2, b"")


def test_diagnose_loads_nothing_that_it_does_not_need(tmp_path: Path) -> None:
    script = (
        "import sys\nfrom bot.entry import cli\n"
        f"sys.argv[1:] = ['diagnose', '--from', {str(healthy(tmp_path))!r}]\n"
        "try:\n    cli.main()\nexcept SystemExit as end:\n    assert end.code == 0, end.code\n"
        "heavy = {'slack_bolt', 'slack_sdk', 'redis', 'openai', 'uvicorn', 'starlette', 'kubernetes'}\n"
        "print('loaded:', sorted(heavy & set(sys.modules)))"
    )
    done = python(script)
    assert done.stdout.endswith("loaded: []\n"), done.stderr
