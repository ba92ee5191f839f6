"""Axes: form of a file, list or single, same object twice, what a name says, what was not collected or installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.model.sections import NotInstalled, Section, Unknown, UnknownReason
from tests.adapters.files.dumps import names, section
from tests.support.objects import listed, node, thing, write


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
    assert section(tmp_path, Section.NODEPOOLS) == Unknown(UnknownReason.FAILED, f"file-without-objects {path}")


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
