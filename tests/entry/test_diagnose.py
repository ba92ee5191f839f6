"""Axes: source, reference, moment, language, form of the answer, exit status, what goes wrong on the way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from bot.entry.cli import app
from bot.model.sections import RESOURCES
from tests.support.objects import listed, thing, write

ROOT = Path(__file__).parent.parent.parent
AT = "2026-11-30T06:30:00Z"


def gpu_node(name: str, status: str) -> dict[str, Any]:
    """A Ready GPU node of a pool whose monitor says this of its GPUs."""
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": "2026-11-30T06:00:00Z", "lastHeartbeatTime": AT}
    gpus = {
        "type": "AcceleratedHardwareReady",
        "status": status,
        "reason": "DCGMError" if status == "False" else "AcceleratedHardwareIsReady",
        "message": "failed to initialize DCGM: libdcgm.so not Found" if status == "False" else "",
        "lastTransitionTime": "2026-11-30T06:20:00Z",
    }
    labels = {"karpenter.sh/nodepool": "gpu"}
    meta = {"labels": labels, "creationTimestamp": "2026-11-30T05:00:00Z"}
    return thing("Node", name, meta=meta, status={"conditions": [ready, gpus]})


def lease(name: str) -> dict[str, Any]:
    return thing("Lease", name, "kube-node-lease", api="coordination.k8s.io/v1", spec={"renewTime": AT})


def dump(folder: Path, *nodes: dict[str, Any]) -> Path:
    """Every section collected and empty, and these nodes with fresh leases."""
    for section in RESOURCES:
        write(folder, f"{section.value}.json", listed())
    write(folder, "nodes.json", listed(*nodes))
    write(folder, "leases.json", listed(*(lease(one["metadata"]["name"]) for one in nodes)))
    write(folder, "pool.json", thing("NodePool", "gpu", api="karpenter.sh/v1"))
    return folder


def healthy(folder: Path) -> Path:
    return dump(folder, gpu_node("a", "True"))


def broken(folder: Path) -> Path:
    return dump(folder, gpu_node("a", "False"), gpu_node("b", "False"))


def run(*args: str | Path) -> Result:
    return CliRunner().invoke(app, ["diagnose", *map(str, args)])


def answer(*args: str | Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*args, "--json").stdout)
    return found


def test_nothing_wrong_is_status_0(tmp_path: Path) -> None:
    result = run("--from", healthy(tmp_path), "--json")
    assert (result.exit_code, json.loads(result.stdout)["verdict"]) == (0, "healthy")


def test_something_wrong_is_status_1(tmp_path: Path) -> None:
    result = run("--from", broken(tmp_path), "--json")
    assert (result.exit_code, json.loads(result.stdout)["verdict"]) == (1, "broken")


@pytest.mark.parametrize("missing", ["nodes", "pods", "events"])
def test_a_section_that_was_not_collected_is_status_2(tmp_path: Path, missing: str) -> None:
    (healthy(tmp_path) / f"{missing}.json").unlink()
    result = run("--from", tmp_path, "--json")
    assert (result.exit_code, json.loads(result.stdout)["verdict"]) == (2, "unknown")


def test_a_section_that_was_refused_is_status_2(tmp_path: Path) -> None:
    write(healthy(tmp_path), "nodes.json", {"kind": "Status", "apiVersion": "v1", "code": 403, "message": "no"})
    assert run("--from", tmp_path).exit_code == 2


def test_the_tree_says_from_when_it_counts(tmp_path: Path) -> None:
    assert "newest time in the files" in run("--from", broken(tmp_path)).stdout


def test_the_moment_is_the_newest_in_the_files_or_the_one_asked_for(tmp_path: Path) -> None:
    folder = broken(tmp_path)
    assert [answer("--from", folder)[key] for key in ("at", "at_source")] == [AT, "newest-in-files"]
    asked = answer("--from", folder, "--at", "2026-11-30T15:40:00+09:00")
    assert [asked[key] for key in ("at", "at_source")] == ["2026-11-30T15:40:00+09:00", "asked"]


@pytest.mark.parametrize("time", ["yesterday", "2026-11-30", "2026-11-30T06:30:00", "2026-13-30T06:30:00Z"])
def test_a_time_that_is_none_names_the_option(tmp_path: Path, time: str) -> None:
    result = run("--from", healthy(tmp_path), "--at", time)
    assert (result.exit_code, "--at" in result.stderr) == (2, True)


@pytest.mark.parametrize(
    ("refs", "scope"),
    [
        (["node/a"], ["node/a"]),
        (["a"], ["node/a"]),
        (["node", "a"], ["node/a"]),
        (["gpu", "b"], ["node/b", "nodepool/gpu"]),
        ([], ["cluster"]),
    ],
)
def test_what_is_asked_about(tmp_path: Path, refs: list[str], scope: list[str]) -> None:
    assert sorted(answer(*refs, "--from", broken(tmp_path))["scope"]) == scope


@pytest.mark.parametrize(
    ("refs", "reason"),
    [
        (["node/omen9"], "node/omen9: no such object"),
        (["omen9"], "'omen9' names no object"),
        (["vm/a/b/c"], "expected vm/NAMESPACE/NAME"),
    ],
)
def test_a_name_that_nobody_bears_is_said(tmp_path: Path, refs: list[str], reason: str) -> None:
    done = command("diagnose", *refs, "--from", str(healthy(tmp_path)))
    assert (done.returncode, done.stdout) == (2, "")
    assert reason in " ".join(done.stderr.split())


def test_a_name_that_several_bear_asks_back(tmp_path: Path) -> None:
    write(healthy(tmp_path), "x.json", thing("NodePool", "a", api="karpenter.sh/v1"))
    result = run("a", "--from", tmp_path)
    assert result.exit_code == 2
    assert "node/a, nodepool/a" in " ".join(result.stderr.split())


def test_an_answer_in_korean(tmp_path: Path) -> None:
    folder = broken(tmp_path)
    assert answer("--from", folder, "--lang", "ko")["lang"] == "ko"
    assert run("--from", folder, "--lang", "fr").exit_code == 2


@pytest.mark.parametrize("option", [("--context", "x"), ("--kubeconfig", "x")])
def test_files_and_a_live_cluster_exclude_each_other(tmp_path: Path, option: tuple[str, str]) -> None:
    result = run("--from", tmp_path, *option)
    assert (result.exit_code, "--from" in result.stderr) == (2, True)


def test_lines_of_a_journal_that_were_not_understood_are_counted(tmp_path: Path) -> None:
    journal = write(tmp_path, "other/x.log", "Nov 30 06:22:36 a kubelet[1]: words", "hello")
    result = run("--from", healthy(tmp_path / "dump"), "--journal", journal)
    assert result.exit_code == 0
    assert "1 lines were not understood" in result.stderr


def test_a_journal_of_nobody_is_refused(tmp_path: Path) -> None:
    journal = write(tmp_path, "other/x.log", "E0710 15:39:51 run.go:72] words")
    done = command("diagnose", "--from", str(healthy(tmp_path / "dump")), "--journal", str(journal))
    assert (done.returncode, done.stdout) == (2, "")
    assert "does not say which node it is of" in done.stderr


def command(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "bot", *args], cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("nodes.json", '{"kind":', "Expecting value"),
        ("objects.yaml", "a: [1", "expected ',' or ']'"),
        ("journal/a.log", "x", "expected a name like NODE_UNIT.log"),
    ],
)
def test_a_file_that_cannot_be_read_leaves_the_rest_and_is_never_healthy(
    tmp_path: Path, name: str, text: str, reason: str
) -> None:
    path = write(healthy(tmp_path), name, text)
    done = command("diagnose", "--from", str(tmp_path), "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["verdict"], done.stderr) == (2, "unknown", "")
    (gap,) = [one for one in told["not_seen"] if one["codes"] == ["unread-file"]]
    assert str(path) in gap["why"]
    assert reason in gap["why"]


def test_a_fault_is_found_beside_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    write(broken(tmp_path), "objects.yaml", "a: [1")
    assert run("--from", tmp_path).exit_code == 1


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("nodes.json", {"items": []}),
        ("nodes.json", {"items": "foo"}),
        ("nodes.json", {"items": 5}),
        ("nodes.json", {"metadata": {"remainingItemCount": 3}}),
        ("pods.json", {"metadata": {"continue": "x"}}),
        ("other.json", {"kind": "Status", "code": 403, "details": {"kind": "pods"}}),
    ],
)
def test_a_list_that_is_not_whole_is_never_healthy(tmp_path: Path, file: str, change: dict[str, Any]) -> None:
    nodes = listed(gpu_node("a", "True")) if file == "nodes.json" else listed()
    write(healthy(tmp_path), file, {**nodes, **change})
    assert run("--from", tmp_path).exit_code == 2


def test_files_that_say_nothing_of_themselves_are_named(tmp_path: Path) -> None:
    path = write(healthy(tmp_path), "notes.md", "x")
    result = run("--from", tmp_path)
    assert (result.exit_code, result.stderr) == (0, f"not read, place and name do not say what it is: {path}\n")


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


def test_a_file_that_was_handed_over_is_named_as_such(tmp_path: Path) -> None:
    line = "gpu: NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus."
    path = write(tmp_path, "a.log", f"Nov 30 06:25:00 a kernel: {line}")
    told = answer("--from", broken(tmp_path / "dump"), "--journal", path)
    assert {one["reported_by"] for root in told["roots"] for one in root["evidence"]} >= {str(path)}
    assert any(str(path) in one and "handed over" in one for one in told["reported_by"])


def test_a_cluster_that_does_not_answer_is_status_2(tmp_path: Path) -> None:
    cluster = {"name": "c", "cluster": {"server": "http://127.0.0.1:1"}}
    context = {"name": "c", "context": {"cluster": "c", "user": "u"}}
    config = {
        "clusters": [cluster],
        "contexts": [context],
        "current-context": "c",
        "users": [{"name": "u", "user": {}}],
    }
    path = write(tmp_path, "config", config)
    done = command("diagnose", "--kubeconfig", str(path), "--json")
    assert (done.returncode, json.loads(done.stdout)["verdict"]) == (2, "unknown")


def python(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)


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
