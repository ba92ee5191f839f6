"""Axes: source, reference, moment, language, exit status, what of the files is not whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.entry.dumps import AT, answer, broken, command, gpu_node, healthy, lease, run
from tests.support.objects import event, listed, thing, write


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


REMOVED = event("Node", "gone", "", "Node gone event: Removing Node gone", reason="RemovingNode", lastTimestamp=AT)
KILLED = event("Pod", "job-abc", "ml", "Stopping container train", reason="Killing", lastTimestamp=AT)
MADE = event("Job", "job", "ml", "Created pod: job-abc", reason="SuccessfulCreate", lastTimestamp=AT)
OLD_LEASE = {**lease("gone"), "spec": {"renewTime": "2026-11-30T05:00:00Z"}}


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize(
    ("ref", "trace", "seen", "command"),
    [
        ("node/gone", REMOVED, "Removing Node gone", "get events -A --field-selector involvedObject.name=gone"),
        ("node/gone", OLD_LEASE, "2026-11-30T05:00:00Z", "get node gone -o yaml"),
        ("pod/ml/job-abc", KILLED, "Killing", "get events -A --field-selector involvedObject.name=job-abc"),
        ("pod/ml/job-abc", MADE, "Created pod", "get events -A --field-selector involvedObject.name=job-abc"),
        ("nodepool/old", gpu_node("b", "True"), "nodepool/old", "get nodepool old -o yaml"),
        ("job/ml/job", MADE, "Created pod", "get job job -n ml -o yaml"),
    ],
)
def test_what_is_gone_is_never_healthy(
    tmp_path: Path, ref: str, trace: dict[str, Any], seen: str, command: str, lang: str
) -> None:
    trace["metadata"].get("labels", {}).update({"karpenter.sh/nodepool": "old"})
    write(healthy(tmp_path), "trace.json", trace)
    result = run(ref, "--from", tmp_path, "--json", "--lang", lang)
    said = json.loads(result.stdout)
    assert (result.exit_code, said["verdict"], said["next_step"]) == (2, "unknown", f"kubectl {command}")
    assert [(one["subject"], one["codes"], seen in one["why"]) for one in said["not_seen"]] == [
        (ref, ["object-gone"], True)
    ]


def test_what_is_gone_and_belonged_to_something_broken_is_broken(tmp_path: Path) -> None:
    write(broken(tmp_path), "trace.json", REMOVED)
    said = answer("node/gone", "--from", tmp_path)
    assert (said["verdict"], "object-gone" in str(said["not_seen"])) == ("broken", False)


def test_a_vm_that_runs_without_a_virtualmachine_is_not_gone(tmp_path: Path) -> None:
    write(healthy(tmp_path), "vmi.json", thing("VirtualMachineInstance", "v", "vms", api="kubevirt.io/v1"))
    assert "object-gone" not in str(answer("vm/vms/v", "--from", tmp_path)["not_seen"])
