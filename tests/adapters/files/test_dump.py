"""Axes: form of a file, list or single, same object twice, what a name says, what was not collected, broken input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.adapters.files.dump import DumpCluster
from bot.adapters.files.text import UnreadableDump
from bot.app.ports import Read
from bot.model.objects import KubeObject
from bot.model.refs import Ref
from bot.model.sections import NotInstalled, Section, Unknown, UnknownReason
from tests.support.objects import listed, node, thing, write


def section(folder: Path, which: Section) -> tuple[KubeObject, ...] | Unknown | NotInstalled:
    return DumpCluster(folder, "lab").read([Read(section=which)])[0].objects


def names(folder: Path, which: Section = Section.NODES) -> list[str]:
    found = section(folder, which)
    assert isinstance(found, tuple)
    return [one.name for one in found]


@pytest.mark.parametrize(
    ("file", "documents"),
    [
        ("anything.json", [listed(node("a"), node("b"))]),
        ("anything.json", [node("a"), node("b")]),
        ("anything.json", [[node("a"), node("b")]]),
        ("nodes.json", [listed(node("a"), node("b"), kind="NodeList")]),
        ("two.yaml", [node("a"), "---", node("b"), "---"]),
        ("deep/er/x.yml", [listed(node("a"), node("b"))]),
        ("bom.json", ["\ufeff", listed(node("a"), node("b"))]),
    ],
)
def test_every_form_of_a_file_gives_the_same_objects(tmp_path: Path, file: str, documents: list[object]) -> None:
    write(tmp_path, file, *documents)
    assert names(tmp_path) == ["a", "b"]


def test_items_of_a_typed_list_need_no_kind_of_their_own(tmp_path: Path) -> None:
    bare = {"metadata": {"name": "a"}}
    write(tmp_path, "x.json", {"apiVersion": "v1", "kind": "NodeList", "items": [bare]})
    assert names(tmp_path) == ["a"]


@pytest.mark.parametrize("items", [[], None])
@pytest.mark.parametrize(
    ("file", "kind"),
    [("nodeclaims.yaml", "List"), ("x.yaml", "NodeClaimList"), ("nodeclaims.karpenter.sh.json", "List")],
)
def test_an_empty_list_was_collected(tmp_path: Path, file: str, kind: str, items: list[object] | None) -> None:
    api = "karpenter.sh/v1" if kind != "List" else "v1"
    write(tmp_path, file, {"apiVersion": api, "kind": kind, "items": items})
    assert section(tmp_path, Section.NODECLAIMS) == ()


def test_an_empty_list_in_a_file_of_no_resources_name_tells_nothing(tmp_path: Path) -> None:
    write(tmp_path, "all.yaml", listed())
    assert isinstance(section(tmp_path, Section.NODECLAIMS), Unknown)


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [("5", "7", "7"), ("7", "5", "7"), ("99", "100", "100"), ("", "", "second"), ("x", "5", "5")],
)
def test_an_object_in_two_files_counts_once_in_its_newest_form(
    tmp_path: Path, first: str, second: str, kept: str
) -> None:
    for file, version, word in (("1.json", first, "first"), ("2.json", second, "second")):
        one = node("a", resourceVersion=version, labels={"word": word, "version": version})
        write(tmp_path, file, listed(one))
    found = section(tmp_path, Section.NODES)
    assert isinstance(found, tuple)
    (only,) = found
    assert kept in (only.metadata.labels["version"], only.metadata.labels["word"])


def test_objects_of_one_name_in_two_namespaces_are_two(tmp_path: Path) -> None:
    write(tmp_path, "pods.json", listed(thing("Pod", "p", "a"), thing("Pod", "p", "b")))
    assert names(tmp_path, Section.PODS) == ["p", "p"]


def test_events_without_a_name_are_all_kept(tmp_path: Path) -> None:
    bare = {"apiVersion": "v1", "kind": "Event", "metadata": {}, "message": "x"}
    write(tmp_path, "events.json", listed(bare, bare))
    found = section(tmp_path, Section.EVENTS)
    assert isinstance(found, tuple)
    assert len(found) == 2


@pytest.mark.parametrize(
    ("code", "expected"),
    [(403, UnknownReason.FORBIDDEN), (401, UnknownReason.FORBIDDEN), (500, UnknownReason.FAILED)],
)
def test_a_status_is_no_empty_list(tmp_path: Path, code: int, expected: UnknownReason) -> None:
    write(tmp_path, "pods.json", {"kind": "Status", "apiVersion": "v1", "code": code, "message": "no"})
    assert section(tmp_path, Section.PODS) == Unknown(expected, "no")


def test_a_status_that_says_not_found_is_an_absent_resource(tmp_path: Path) -> None:
    write(tmp_path, "nodepools.json", {"kind": "Status", "apiVersion": "v1", "code": 404, "message": "no"})
    assert section(tmp_path, Section.NODEPOOLS) == NotInstalled("no")


def test_a_failed_list_leaves_the_section_unknown_although_single_objects_are_there(tmp_path: Path) -> None:
    write(tmp_path, "omen2.json", node("omen2"))
    write(tmp_path, "nodes.json", {"kind": "Status", "apiVersion": "v1", "code": 500, "message": "no"})
    assert isinstance(section(tmp_path, Section.NODES), Unknown)


@pytest.mark.parametrize("text", ["", "error: the server doesn't have a resource type", "Error: {a: b}"])
def test_a_file_named_after_a_resource_without_objects_is_a_failed_read(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, "nodepools.yaml", text)
    assert section(tmp_path, Section.NODEPOOLS) == Unknown(UnknownReason.FAILED, f"{path}: holds no Kubernetes object")


def crd(plural: str, group: str) -> dict[str, object]:
    return thing(
        "CustomResourceDefinition",
        f"{plural}.{group}",
        api="apiextensions.k8s.io/v1",
        spec={"group": group, "names": {"plural": plural}},
    )


def test_a_list_of_definitions_tells_what_is_not_installed(tmp_path: Path) -> None:
    write(tmp_path, "crds.yaml", listed(crd("nodepools", "karpenter.sh"), crd("kubevirts", "example.com")))
    assert isinstance(section(tmp_path, Section.KUBEVIRTS), NotInstalled)
    assert isinstance(section(tmp_path, Section.NODEPOOLS), Unknown)
    assert isinstance(section(tmp_path, Section.DAEMONSETS), Unknown)


def test_an_empty_file_of_what_is_not_installed_is_no_failure(tmp_path: Path) -> None:
    write(tmp_path, "customresourcedefinitions.json", listed(crd("kubevirts", "kubevirt.io")))
    for one in ("nodepools", "kubevirts", "pods"):
        write(tmp_path, f"{one}.json", "")
    assert isinstance(section(tmp_path, Section.NODEPOOLS), NotInstalled)
    assert isinstance(section(tmp_path, Section.KUBEVIRTS), Unknown)
    assert isinstance(section(tmp_path, Section.PODS), Unknown)


def test_an_empty_list_of_definitions_tells_so_too(tmp_path: Path) -> None:
    write(tmp_path, "customresourcedefinitions.yaml", listed())
    assert isinstance(section(tmp_path, Section.NODEPOOLS), NotInstalled)


def test_one_definition_alone_tells_nothing_about_the_others(tmp_path: Path) -> None:
    write(tmp_path, "crd.yaml", crd("nodepools", "karpenter.sh"))
    assert isinstance(section(tmp_path, Section.KUBEVIRTS), Unknown)


def test_objects_win_over_a_definition_that_is_missing(tmp_path: Path) -> None:
    write(tmp_path, "crds.yaml", listed())
    write(tmp_path, "customresourcedefinitions.yaml", listed())
    write(tmp_path, "x.yaml", thing("NodePool", "gpu", api="karpenter.sh/v1"))
    assert names(tmp_path, Section.NODEPOOLS) == ["gpu"]


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
    assert missing.detail.startswith(f"{path}: ")


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


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_files_in_every_usual_encoding(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "Journal").mkdir()
    (tmp_path / "nodes.JSON").write_bytes(json.dumps(listed(node("a"))).encode(encoding))
    (tmp_path / "Journal" / "a_k3s.LOG").write_bytes("running with swap on".encode(encoding))
    assert names(tmp_path) == ["a"]
    cluster = DumpCluster(tmp_path, "lab")
    assert [(one.label, one.text) for one in cluster.texts()] == [("journal:kubelet", "running with swap on")]


def test_files_whose_names_say_nothing_are_named(tmp_path: Path) -> None:
    for name in ("notes.md", ".hidden/x", "journal/a_kubelet.gz", "nodes.json"):
        write(tmp_path, name, listed(node("a")))
    cluster = DumpCluster(tmp_path, "lab")
    assert cluster.ignored == (str(tmp_path / "journal/a_kubelet.gz"), str(tmp_path / "notes.md"))


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableDump, match="nowhere: no such folder"):
        DumpCluster(tmp_path / "nowhere", "lab")


def test_one_unreadable_object_does_not_hide_the_others(tmp_path: Path) -> None:
    write(tmp_path, "nodes.json", listed(node("a"), thing("Node", "b", status={"conditions": 3})))
    page = DumpCluster(tmp_path, "lab").read([Read(section=Section.NODES)])[0]
    assert isinstance(page.objects, tuple)
    assert [one.name for one in page.objects] == ["a"]
    assert [one.name for one in page.unreadable] == ["b"]


def test_logs_are_found_by_pod_container_and_run(tmp_path: Path) -> None:
    write(tmp_path, "logs/gpu-operator_plugin-x_main.log", "now")
    write(tmp_path, "logs/gpu-operator_plugin-x_main.previous.log", "before")
    cluster = DumpCluster(tmp_path, "lab")
    pod = Ref("pod", "plugin-x", "gpu-operator")
    texts = [cluster.pod_log(pod, "main", previous=previous) for previous in (False, True)]
    assert [getattr(one, "text", None) for one in texts] == ["now", "before"]
    assert cluster.pod_log(pod, "other") == Unknown(UnknownReason.NOT_COLLECTED, f"{pod} other")


@pytest.mark.parametrize("file", ["logs/pod_main.log", "logs/a_b_c_d.log", "journal/omen2.log", "journal/_kubelet.log"])
def test_a_text_whose_name_does_not_say_whose_it_is_is_left_out_and_named(tmp_path: Path, file: str) -> None:
    path = write(tmp_path, file, "x")
    cluster = DumpCluster(tmp_path, "lab")
    ((told, why),) = [(one.path, one.why) for one in cluster.unread]
    assert (told, why.startswith("expected a name like"), cluster.texts()) == (str(path), True, ())


@pytest.mark.parametrize(
    ("file", "host", "label"),
    [
        ("journal/omen2_kubelet.log", "omen2", "journal:kubelet"),
        ("journal/omen2_kubelet.service.log", "omen2", "journal:kubelet"),
        ("journal/ip-10-0-0-1.ec2.internal_my_unit.log", "ip-10-0-0-1.ec2.internal", "journal:my_unit"),
        ("dmesg/ip-10-0-0-1.ec2.internal.log", "ip-10-0-0-1.ec2.internal", "dmesg"),
        ("swaps/omen2.txt", "omen2", "host:/proc/swaps"),
        ("fstab/omen2.lab.txt", "omen2.lab", "host:/etc/fstab"),
    ],
)
def test_texts_of_hosts(tmp_path: Path, file: str, host: str, label: str) -> None:
    write(tmp_path, file, "line")
    cluster = DumpCluster(tmp_path, "lab")
    (text,) = cluster.texts()
    assert (text.node, text.label, text.text, text.reporter) == (host, label, "line", None)
    assert cluster.texts([host]) == (text,)
    assert cluster.texts(["another"]) == ()


def test_bytes_that_are_no_utf_8_are_replaced(tmp_path: Path) -> None:
    path = write(tmp_path, "journal/omen2_kubelet.log", "")
    path.write_bytes(b"swap \xff\xfe on")
    assert "swap " in DumpCluster(tmp_path, "lab").texts()[0].text


def test_a_journal_is_taken_apart_by_boot(tmp_path: Path) -> None:
    boots = "a" * 32, "b" * 32
    write(tmp_path, "journal/omen2_kubelet.log", f"-- Boot {boots[0]} --", "old", f"-- Boot {boots[1]} --", "new")
    assert [(one.boot, one.text) for one in DumpCluster(tmp_path, "lab").texts()] == [
        (boots[0], "old"),
        (boots[1], "new"),
    ]
