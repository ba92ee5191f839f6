"""What replies mean. Axes: status code, content, what of the page decodes."""

from __future__ import annotations

import gc
import json
from typing import Any

import pytest

from bot.adapters.kubernetes.bulk import THRESHOLD, rare_collections
from bot.adapters.kubernetes.client import Reply
from bot.adapters.kubernetes.replies import Outcome, Page, page, problem, single
from bot.model.sections import RESOURCES, NotInstalled, Section, Unknown, UnknownReason

STATUS = {"kind": "Status", "status": "Failure", "reason": "NotFound", "message": "gone"}


def reply(body: Any, status: int = 200) -> Reply:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Reply(status=status, content_type="", body=raw)


NOT_SERVED = b"404 page not found\n"
PROBLEMS: dict[str, tuple[Section, Reply, object]] = {
    "fine": (Section.NODES, reply({}), None),
    "an object is absent": (Section.NODES, reply(STATUS, 404), Outcome.ABSENT),
    "a definition is absent": (
        Section.NODECLAIMS,
        reply(NOT_SERVED, 404),
        NotInstalled("nodeclaims.karpenter.sh"),
    ),
    "a resource of Kubernetes itself cannot be absent": (
        Section.LEASES,
        reply(NOT_SERVED, 404),
        Unknown(UnknownReason.FAILED, "HTTP 404: 404 page not found"),
    ),
    "a 404 of something else than an API server": (
        Section.NODECLAIMS,
        reply(b"<html>nothing here</html>", 404),
        Unknown(UnknownReason.FAILED, "HTTP 404: <html>nothing here</html>"),
    ),
    "expired": (Section.NODES, reply(STATUS, 410), Outcome.EXPIRED),
    "forbidden": (Section.NODES, reply(STATUS, 403), Unknown(UnknownReason.FORBIDDEN, "HTTP 403: gone")),
    "unauthorised": (Section.NODES, reply(STATUS, 401), Unknown(UnknownReason.FAILED, "HTTP 401: gone")),
    "redirected": (Section.NODES, reply(b"", 302), Unknown(UnknownReason.FAILED, "HTTP 302: ")),
}


@pytest.mark.parametrize("case", PROBLEMS)
def test_problems(case: str) -> None:
    section, answer, wanted = PROBLEMS[case]
    assert problem(answer, RESOURCES[section]) == wanted


NODE = {"metadata": {"name": "n1"}}
PAGES: dict[str, tuple[Any, list[str], list[str], str]] = {
    "null items": ({"kind": "NodeList", "items": None}, [], [], ""),
    "no items": ({"kind": "NodeList"}, [], [], ""),
    "sorted keys": ({"apiVersion": "v1", "items": [NODE], "kind": "NodeList"}, ["n1"], [], ""),
    "continued": ({"kind": "NodeList", "metadata": {"continue": "x"}, "items": [NODE]}, ["n1"], [], "x"),
    "nulls where the type has none": (
        {"kind": "NodeList", "metadata": {"continue": "x"}, "items": [{**NODE, "status": {"conditions": None}}]},
        ["n1"],
        [],
        "x",
    ),
    "a broken object": (
        {"kind": "NodeList", "items": [NODE, {"metadata": {"name": "n2", "labels": 1}}, 7]},
        ["n1"],
        ["n2", "?"],
        "",
    ),
}


@pytest.mark.parametrize("case", PAGES)
def test_pages(case: str) -> None:
    body, names, unreadable, token = PAGES[case]
    found = page(reply(body), Section.NODES)
    assert isinstance(found, Page)
    assert [one.name for one in found.objects] == names
    assert [one.name for one in found.unreadable] == unreadable
    assert found.next == token


NEITHER = [
    {"kind": "Status", "status": "Success"},
    {"kind": "Status", "metadata": 7},
    [],
    b"",
    b'{"kind":"NodeList","items":[',
    b'{"kind":"NodeList","items":[{"metadata":{"name":"\xff"}}]}',
]


@pytest.mark.parametrize("body", [*NEITHER, {"kind": "NodeList", "items": 7}, {}], ids=repr)
def test_what_is_no_list_is_unknown(body: Any) -> None:
    assert isinstance(page(reply(body), Section.NODES), Unknown)


@pytest.mark.parametrize("body", NEITHER, ids=repr)
def test_what_is_no_object_is_unknown(body: Any) -> None:
    assert isinstance(single(reply(body), Section.NODES), Unknown)


def test_the_garbage_collectors_threshold_comes_back() -> None:
    before = gc.get_threshold()
    with rare_collections(), rare_collections():
        assert gc.get_threshold() == THRESHOLD
    assert gc.get_threshold() == before
