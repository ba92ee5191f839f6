"""Axes: what is broken (file, list, object, encoding, name), what its name says; what it hides and what not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.adapters.files.dump import DumpCluster
from bot.adapters.files.text import UnreadableDump
from bot.app.ports import Read
from bot.model.sections import Section, Unknown, UnknownReason
from tests.adapters.files.dumps import names, section
from tests.support.objects import listed, node, thing, write

BROKEN = ['{"kind":', "a: [1", "not: json: at all", "[" * 100_000]


@pytest.mark.parametrize("text", BROKEN, ids=["json", "yaml", "neither", "deep"])
@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_a_broken_file_hides_only_what_its_name_says(tmp_path: Path, suffix: str, text: str) -> None:
    path = write(tmp_path, f"pods.{suffix}", text)
    write(tmp_path, "nodes.json", listed(node("a")))
    cluster = DumpCluster(tmp_path, "lab")
    nodes, pods, events = cluster.read([Read(section=one) for one in (Section.NODES, Section.PODS, Section.EVENTS)])
    assert [one.path for one in cluster.unread] == [str(path)]
    assert isinstance(pods.objects, Unknown)
    assert (pods.objects.reason, pods.objects.detail.startswith(f"{path}: ")) == (UnknownReason.FAILED, True)
    assert isinstance(nodes.objects, tuple)
    assert (nodes.gap, events.objects) == (None, Unknown(UnknownReason.NOT_COLLECTED))


def test_a_broken_file_whose_name_tells_nothing_may_have_held_anything(tmp_path: Path) -> None:
    path = write(tmp_path, "objects.yaml", "a: [1")
    write(tmp_path, "nodes.json", listed(node("a")))
    nodes, pods = DumpCluster(tmp_path, "lab").read([Read(section=Section.NODES), Read(section=Section.PODS)])
    assert isinstance(nodes.objects, tuple)
    assert nodes.gap is not None
    assert isinstance(pods.objects, Unknown)
    assert all(one.detail.startswith(f"{path}: ") for one in (nodes.gap, pods.objects))


WHOLE = "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata:\n    name: a\nkind: List\nmetadata:\n"
TURNED = "apiVersion: v1\nkind: NodeList\nitems:\n- metadata:\n    name: a\nmetadata: {}\n"


@pytest.mark.parametrize("file", ["nodes.yaml", "x.yml"])
@pytest.mark.parametrize("text", [WHOLE, WHOLE.replace("\n", "\r\n"), TURNED, f"{WHOLE}---\n{WHOLE}"])
def test_a_yaml_list_that_is_cut_at_the_end_of_a_line_is_not_whole(tmp_path: Path, file: str, text: str) -> None:
    lines = text.splitlines(keepends=True)
    starts = [number for number, line in enumerate(lines, 1) if line.startswith(("items:", "kind: NodeList"))]
    closes = [number for number, line in enumerate(lines, 1) if line.startswith(("kind: List", "metadata:"))]
    for end in range(starts[0], len(lines) + 1):
        path = write(tmp_path, file, "".join(lines[:end]))
        (page,) = DumpCluster(tmp_path, "lab").read([Read(section=Section.NODES)])
        missing = page.objects if isinstance(page.objects, Unknown) else page.gap
        begun, closed = (max(one for one in (0, *places) if one <= end) for places in (starts, closes))
        assert (missing is not None and str(path) in missing.detail) is (begun > closed), lines[:end]


@pytest.mark.parametrize("text", [json.dumps(listed(node("a"))), "apiVersion: v1\nkind: List\nitems: []\nmetadata: {}"])
def test_a_yaml_list_that_is_closed_is_whole(tmp_path: Path, text: str) -> None:
    write(tmp_path, "nodes.yaml", text)
    (page,) = DumpCluster(tmp_path, "lab").read([Read(section=Section.NODES)])
    assert (isinstance(page.objects, tuple), page.gap) == (True, None)


PAGE = {"metadata": {"continue": "x"}}


@pytest.mark.parametrize("file", ["nodes.json", "x.json"])
@pytest.mark.parametrize("kind", ["List", "NodeList"])
@pytest.mark.parametrize(
    "change",
    [
        {"items": "foo"},
        {"items": {"a": "b"}},
        {"items": 5},
        {"items": [node("a"), 1]},
        PAGE,
        {"metadata": {"remainingItemCount": 3}},
    ],
)
def test_a_list_that_is_not_whole_says_so(tmp_path: Path, file: str, kind: str, change: dict[str, object]) -> None:
    path = write(tmp_path, file, {**listed(node("a"), kind=kind), **change})
    (page,) = DumpCluster(tmp_path, "lab").read([Read(section=Section.NODES)])
    missing = page.objects if isinstance(page.objects, Unknown) else page.gap
    assert missing is not None
    assert missing.detail.endswith(f" {path}"), "behind a reason of the catalogue"


def test_a_page_of_what_nothing_reads_takes_nothing_away(tmp_path: Path) -> None:
    write(tmp_path, "nodes.json", listed(node("a")))
    write(tmp_path, "x.json", {**listed(thing("Service", "s"), kind="ServiceList"), **PAGE})
    assert DumpCluster(tmp_path, "lab").read([Read(section=Section.NODES)])[0].gap is None


def test_objects_without_a_name_are_unreadable(tmp_path: Path) -> None:
    bare = {"apiVersion": "v1", "kind": "Node", "status": {}}
    write(tmp_path, "nodes.json", listed(bare, bare, node("a")))
    page = DumpCluster(tmp_path, "lab").read([Read(section=Section.NODES)])[0]
    assert isinstance(page.objects, tuple)
    assert ([one.name for one in page.objects], len(page.unreadable)) == (["a"], 2)


@pytest.mark.parametrize(
    ("status", "section_read"),
    [
        ({"code": 403, "details": {"kind": "pods"}, "message": "no"}, Unknown(UnknownReason.FORBIDDEN, "x.json: no")),
        ({"code": 403, "message": "no"}, Unknown(UnknownReason.FORBIDDEN, "x.json: no")),
        ({"code": 404, "message": "no"}, Unknown(UnknownReason.FAILED, "x.json: no")),
        ({"code": {}}, Unknown(UnknownReason.FAILED, "x.json: a Status in place of objects")),
        ({"code": []}, Unknown(UnknownReason.FAILED, "x.json: a Status in place of objects")),
    ],
)
def test_a_status_in_a_file_of_any_name(tmp_path: Path, status: dict[str, object], section_read: Unknown) -> None:
    write(tmp_path, "x.json", {"kind": "Status", "apiVersion": "v1", **status})
    found = section(tmp_path, Section.PODS)
    assert isinstance(found, Unknown)
    assert (found.reason, found.detail) == (section_read.reason, f"{tmp_path}/{section_read.detail}")


def test_a_text_that_no_encoding_can_write_is_mended(tmp_path: Path) -> None:
    write(tmp_path, "nodes.json", '{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a\\ud800"}}')
    assert names(tmp_path) == ["a?"]


def test_an_object_that_holds_itself_is_unreadable(tmp_path: Path) -> None:
    write(tmp_path, "nodes.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nstatus: &x\n  conditions: [*x]\n")
    page = DumpCluster(tmp_path, "lab").read([Read(section=Section.NODES)])[0]
    assert [(one.name, one.detail) for one in page.unreadable] == [("a", "nested too deeply")]


def test_files_whose_names_say_nothing_are_named(tmp_path: Path) -> None:
    for name in ("notes.md", ".hidden/x", "journal/a_kubelet.gz", "nodes.json"):
        write(tmp_path, name, listed(node("a")))
    cluster = DumpCluster(tmp_path, "lab")
    assert cluster.ignored == (str(tmp_path / "journal/a_kubelet.gz"), str(tmp_path / "notes.md"))


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableDump, match="nowhere file-no-folder"):
        DumpCluster(tmp_path / "nowhere", "lab")


def test_one_unreadable_object_does_not_hide_the_others(tmp_path: Path) -> None:
    write(tmp_path, "nodes.json", listed(node("a"), thing("Node", "b", status={"conditions": 3})))
    page = DumpCluster(tmp_path, "lab").read([Read(section=Section.NODES)])[0]
    assert isinstance(page.objects, tuple)
    assert [one.name for one in page.objects] == ["a"]
    assert [one.name for one in page.unreadable] == ["b"]
