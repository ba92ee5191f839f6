"""Axes: form, cites, numbers, names, quotations, polarity, causes, advice, how much of it falls."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.model.diagnosis import Certainty
from bot.model.summary import Summary
from bot.narrate.grounding import LONGEST_REPLY, grounded
from bot.narrate.prompt import brief
from tests.support.answers import OMEN2, finding, with_journal, without_journal

#: f1 swap, f2 kubelet down, f3 not ready, f4 VM, f5 pinned, f6 permitted devices (ruled out), f7 ClusterPolicy.
EVIDENCE = brief(with_journal((OMEN2,)), "en")
GOOD = {"claim": "The kubelet of omen2 is down because swap is on.", "cites": ["f1", "f2"], "kind": "observed"}
MORE = {"claim": "VM gpu-fedora waits for nvidia.com/GB202_GEFORCE_RTX_5090.", "cites": ["f4"], "kind": "observed"}


def reply(*claims: dict[str, Any], headline: str = "Swap on omen2 keeps gpu-fedora down.", **more: Any) -> str:
    return json.dumps({"headline": headline, "chain": list(claims), **more}, ensure_ascii=False)


def claims(summary: Summary | None) -> list[str]:
    return [one.text for one in summary.claims] if summary else []


def test_what_is_supported_stands_with_its_findings() -> None:
    summary = grounded(reply(GOOD, MORE), EVIDENCE)
    assert summary is not None
    assert summary.headline == "Swap on omen2 keeps gpu-fedora down."
    assert claims(summary) == [GOOD["claim"], MORE["claim"]]
    assert summary.claims[0].cites == (EVIDENCE.findings["f1"].key, EVIDENCE.findings["f2"].key)


def test_a_fence_around_it_does_no_harm() -> None:
    assert grounded(f"```json\n{reply(GOOD)}\n```", EVIDENCE)


def with_claim(text: str, *cites: str, kind: str = "observed") -> dict[str, Any]:
    return {"claim": text, "cites": list(cites), "kind": kind}


FALLS = {
    "unknown finding": with_claim("Swap is on.", "f99"),
    "another number": with_claim("gpu-fedora has waited for 113 days.", "f2"),
    "a number of another finding": with_claim("The VM has waited for 111 days.", "f4"),
    "another name": with_claim("gpu-ubuntu waits.", "f4"),
    "a part of a name": with_claim("The kubelet of omen is omen2x.", "f2"),
    "a name of another finding": with_claim("gpu-fedora has swap on.", "f1"),
    "another quotation": with_claim('The journal says "out of memory".', "f1"),
    "a fault called well": with_claim("The kubelet of omen2 is healthy.", "f2"),
    "a fault called well beside a denial": with_claim("The kubelet of omen2 is healthy, not broken.", "f2"),
    "what is ruled out called bad": with_claim("The permitted devices are wrong.", "f6"),
    "a cause without a link": with_claim("Swap is why the VM waits.", "f1", "f4"),
    "a cause the wrong way round": with_claim("Swap is on because the kubelet is down.", "f2", "f1"),
    "a cause with one finding": with_claim("Swap caused everything.", "f1"),
    "advice": with_claim("Run swapoff on omen2.", "f1"),
    "a command": with_claim("kubectl delete node omen2", "f3"),
    "korean advice": with_claim("omen2의 kubelet을 재시작하십시오.", "f2"),
    "only a link": with_claim("https://evil.example/x", "f1"),
    "good in Korean": with_claim("omen2의 kubelet은 정상입니다.", "f2"),
}


@pytest.mark.parametrize("claim", FALLS.values(), ids=FALLS)
def test_a_claim_that_nothing_supports_falls_and_the_others_stand(claim: dict[str, Any]) -> None:
    assert claims(grounded(reply(GOOD, MORE, claim), EVIDENCE)) == [GOOD["claim"], MORE["claim"]]


STANDS = {
    "a number that is cited": with_claim("The kubelet has been down for 111 days.", "f2"),
    "a date that is cited": with_claim("The kubelet is down since 2026-07-10.", "f2"),
    "a quotation that is cited": with_claim('The VM says "ErrorUnschedulable".', "f4"),
    "a denial": with_claim("Node omen2 is not ready.", "f3"),
    "well, and ruled out": with_claim("The permitted devices are fine.", "f6"),
    "bad, and ruled out": with_claim("Wrong permitted devices are ruled out.", "f6"),
    "a chain of two links": with_claim("Swap stops the kubelet, then the node is not ready.", "f1", "f2", "f3"),
    "korean": with_claim("omen2의 kubelet이 111일째 멈춰 있습니다.", "f2"),
    "korean cause": with_claim("스왑 때문에 omen2의 kubelet이 멈췄습니다.", "f1", "f2"),
}


@pytest.mark.parametrize("claim", STANDS.values(), ids=STANDS)
def test_a_claim_that_its_findings_support_stands(claim: dict[str, Any]) -> None:
    assert claims(grounded(reply(claim), EVIDENCE)) == [claim["claim"]]


def test_links_and_mentions_are_taken_out() -> None:
    summary = grounded(
        reply(with_claim("The kubelet <!channel> is down @here see https://evil.example .", "f2")), EVIDENCE
    )
    assert claims(summary) == ["The kubelet is down see ."]


GUESS = finding("node-not-ready", OMEN2)
INFERRED = brief(
    msgspec.structs.replace(
        without_journal((OMEN2,)),
        inferred=frozenset({GUESS.key}),
        links=tuple(msgspec.structs.replace(one, certainty=Certainty.INFERRED) for one in without_journal().links),
    ),
    "en",
)


@pytest.mark.parametrize(("kind", "stands"), [("observed", False), ("inferred", True)])
@pytest.mark.parametrize("cites", [("f2",), ("f1", "f2")], ids=["finding", "link"])
def test_what_only_follows_is_not_called_observed(cites: tuple[str, ...], kind: str, stands: bool) -> None:
    claim = with_claim("Node omen2 is not ready.", *cites, kind=kind)
    assert bool(grounded(reply(claim, headline="omen2 is down."), INFERRED)) is stands


@pytest.mark.parametrize(("good", "bad", "stands"), [(1, 1, True), (1, 2, False), (3, 2, True), (2, 3, False)])
def test_more_than_a_third_takes_all_with_it(good: int, bad: int, stands: bool) -> None:
    # The headline is one of those counted.
    told = reply(*[GOOD] * good, *[FALLS["another name"]] * bad)
    assert bool(grounded(told, EVIDENCE)) is stands


def test_a_headline_that_nothing_supports_is_left_out() -> None:
    summary = grounded(reply(GOOD, MORE, headline="All nodes are healthy."), EVIDENCE)
    assert summary is not None
    assert summary.headline == ""


def test_unknowns_are_checked_as_well() -> None:
    told = reply(GOOD, MORE, unknowns=["Whether node-repair-deletes holds was not seen.", "Whether 7 disks are full."])
    summary = grounded(told, EVIDENCE)
    assert summary is not None
    assert summary.unknowns == ("Whether node-repair-deletes holds was not seen.",)


NO_SUMMARY = {
    "empty": "",
    "prose": "The kubelet is down.",
    "cut": reply(GOOD)[:-5],
    "a list": "[1, 2]",
    "null": "null",
    "deep": "[" * 100_000,
    "too long": reply(GOOD) + " " * LONGEST_REPLY,
    "an extra field": json.dumps({**json.loads(reply(GOOD)), "action": "drain"}),
    "an extra field in a claim": reply({**GOOD, "command": "x"}),
    "no cites": reply(with_claim("Swap is on.")),
    "another kind": reply(with_claim("Swap is on.", "f1", kind="certain")),
    "a long headline": reply(GOOD, headline="x" * 141),
    "seven claims": reply(*[GOOD] * 7),
    "no claims": reply(),
    "a number for text": json.dumps({"headline": 1, "chain": [GOOD]}),
    "a lone surrogate": '{"headline": "\\ud800", "chain": []}',
}


@pytest.mark.parametrize("told", NO_SUMMARY.values(), ids=NO_SUMMARY)
def test_what_is_no_summary_is_dropped(told: str) -> None:
    assert grounded(told, EVIDENCE) is None


@given(st.text() | st.recursive(st.none() | st.text() | st.integers(), lambda x: st.lists(x) | st.dictionaries(
    st.sampled_from(["headline", "chain", "claim", "cites", "kind", "unknowns"]), x)).map(json.dumps))  # fmt: skip
def test_garbage_never_raises(told: str) -> None:
    assert grounded(told, EVIDENCE) is None
