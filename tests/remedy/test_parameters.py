"""Where the blanks of a runbook get their values: each form of a source, and what is not the root's own."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.model.diagnosis import Certainty, Diagnosis, Link, Root, Verdict
from bot.model.findings import Code, Finding
from bot.model.refs import Ref, node
from bot.remedy.parameters import Source, names, resolve, source_of

AT = datetime(2026, 7, 10, 15, tzinfo=UTC)
AGENT = Ref("ds", "agent", "kube-system")
ROOT = Finding(code=Code("root"), subject=node("a"), refs={"daemonset": (AGENT,)}, values={"size": 3, "at": AT})
VM = Finding(code=Code("waits"), subject=Ref("vm", "one", "vms"), values={"resource": "x"})
OTHER = Finding(code=Code("waits"), subject=Ref("vm", "two", "vms"), values={"resource": "y"})
FACT = Finding(code=Code("gate"), subject=node("a"), values={"container": "c"})
NAMES_IT = Finding(code=Code("due"), subject=node("b"), refs={"node": (node("a"),)}, values={"word": "w"})
DIAGNOSIS = Diagnosis(
    at=AT,
    scope=(),
    verdict=Verdict.BROKEN,
    roots=(Root(finding=ROOT),),
    links=(Link(ROOT.key, VM.key, Certainty.OBSERVED),),
    findings=(ROOT, VM, OTHER, FACT, NAMES_IT),
)


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("subject", Source()),
        ("ref:daemonset", Source(role="daemonset")),
        ("value:size?", Source(value="size", may_be_empty=True)),
        ("gate.value:gates-off", Source(code="gate", value="gates-off")),
        ("waits.subject?", Source(code="waits", may_be_empty=True)),
        ("chat", None),
        ("", None),
        ("{node}", None),
        ("ref:", None),
        ("subject; rm", None),
    ],
)
def test_forms_of_a_source(text: str, source: Source | None) -> None:
    assert source_of(text) == source


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("subject", "a"),
        ("ref:daemonset", "kube-system/agent"),
        ("value:size", "3"),
        ("value:at", "2026-07-10 15:00 UTC"),
        ("waits.subject", "vms/one"),
        ("waits.value:resource", "x"),
        ("gate.value:container", "c"),
        ("due.value:word", "w"),
        ("value:nothing", None),
        ("value:nothing?", ""),
        ("unheard.subject", None),
        ("ref:nobody?", ""),
    ],
)
def test_values_come_from_the_roots_own_findings(text: str, value: str | None) -> None:
    found = resolve({"x": text}, DIAGNOSIS, ROOT.key)
    assert (found["x"].text if "x" in found else None) == value


def test_several_values_are_joined_once_each() -> None:
    linked = Link(ROOT.key, OTHER.key, Certainty.OBSERVED)
    both = Diagnosis(
        at=AT, scope=(), verdict=Verdict.BROKEN, links=(*DIAGNOSIS.links, linked), findings=DIAGNOSIS.findings
    )
    found = resolve({"vms": "waits.subject", "resource": "waits.value:resource"}, both, ROOT.key)
    assert (found["vms"].text, found["resource"].text) == ("vms/one,vms/two", "x,y")
    assert "vms-name" not in found


def test_a_reference_comes_in_parts_too() -> None:
    found = resolve({"agent": "ref:daemonset"}, DIAGNOSIS, ROOT.key)
    assert (found["agent-name"].text, found["agent-namespace"].text) == ("agent", "kube-system")
    assert names({"agent": "ref:daemonset", "size": "value:size"}) == {
        "agent",
        "agent-name",
        "agent-namespace",
        "size",
    }
