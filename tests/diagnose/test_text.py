"""What journals and pastes prove: wordings, excerpts, whose text it is, and the traps."""

from datetime import UTC, datetime
from typing import Any

import pytest

from bot.diagnose.run import Answers
from bot.diagnose.text import read_texts
from bot.knowledge.signatures import Signature
from bot.model.findings import Blind, Code, Finding, Kind, Onset, Reporter, Severity
from bot.model.hosttext import HostSource, HostText, PodLog
from bot.model.refs import Ref
from bot.model.sections import Section, Unknown, UnknownReason, UnreadableObject
from bot.model.snapshot import Snapshot
from tests.diagnose.journals import (
    CAPITAL,
    CERTIFICATE,
    DEAD,
    EXPIRED,
    FLAT,
    IN_FILE,
    NOT_TOLD,
    OMEN2,
    ONE_LINE,
    REFUSED,
    RUNNING,
    STORY,
    SUSPECT,
    SWAP,
    SWAPS,
    lab,
    read,
)
from tests.support.checked import open_codes, said, the, the_blind
from tests.support.lab import AT, DOWN, cluster, event, gpu_node, journal, lease


@pytest.mark.parametrize(
    "text",
    [STORY, FLAT, ONE_LINE, CAPITAL, CAPITAL.replace("swap! or", "swap or")],
    ids=["wrapped", "lost indentation", "one line", "capital R with !", "capital R"],
)
def test_swap_in_its_wordings(text: str) -> None:
    answers = read(text)
    assert said(answers) == {SWAP}
    [evidence] = the(answers, "kubelet-swap-on").evidence
    assert "unning with swap on is not supported" in evidence.quote
    assert evidence.first_seen == datetime(2026, 7, 10, 15, 39, 51, tzinfo=UTC)
    assert not answers.blind


@pytest.mark.parametrize("text", [CERTIFICATE, IN_FILE, IN_FILE.replace("part of", "Part of")])
def test_the_certificate_is_not_called_swap(text: str) -> None:
    assert said(read(text)) == {EXPIRED}


def test_the_missing_bootstrap_file_alone_proves_nothing() -> None:
    answers = read(CERTIFICATE.splitlines()[1])
    assert not answers.findings
    assert the_blind(answers).why == "text-silent"


@pytest.mark.parametrize("text", [RUNNING, STORY + RUNNING, ""], ids=["running", "failed, then running", "empty"])
def test_a_kubelet_that_runs_is_not_called_swap(text: str) -> None:
    answers = read(text)
    assert not answers.findings
    assert SWAP in open_codes(answers)
    assert the_blind(answers).why == "text-silent"


def test_the_runtime_that_does_not_answer() -> None:
    line = 'E0710 15:39:51 1 x.go:1] err="dial unix /run/containerd/containerd.sock: connect: connection refused"'
    assert said(read(line)) == {("container-runtime-down", "node/omen2")}


def test_containerd_says_why_it_does_not_start() -> None:
    line = "containerd[812]: containerd: drop-in config version 4 higher than root config version 2"
    found = the(read(journal(line, unit="containerd")), "runtime-config-rejected")
    assert found.values == {"dropin": "4", "config": "2"}


@pytest.mark.parametrize(
    ("swaps", "so_far", "found"),
    [
        ("/swapfile                               file\t\t33554428\t0\t\t-2", DEAD, {SUSPECT}),
        ("/dev/zram0                              partition\t8388604\t100\t\t100", DEAD, {SUSPECT}),
        ("/swapfile                               file\t\t33554428\t0\t\t-2", NOT_TOLD, {SUSPECT}),
        ("", DEAD, set()),
        ("/swapfile                               file\t\t33554428\t0\t\t-2", Answers(), set()),
    ],
    ids=["file", "zram", "the kubelet is not told", "empty", "the kubelet lives"],
)
def test_the_list_of_swaps_makes_a_suspect(swaps: str, so_far: Answers, found: set[tuple[str, str]]) -> None:
    text = HostText(node="omen2", source=HostSource.SWAPS, text=SWAPS.format(swaps), reporter=Reporter("U0ONCALL", AT))
    answers = read(text, so_far=so_far)
    assert said(answers) == found
    assert (SWAP in open_codes(answers)) is (so_far is DEAD)
    for one in answers.findings:
        assert (one.kind, one.severity) == (Kind.FACT, Severity.INFO)
        assert one.values["device"] in swaps
        assert one.evidence[0].reporter == Reporter("U0ONCALL", AT)


def test_two_texts_about_one_thing_are_one_finding() -> None:
    swaps = HostText(node="omen2", source=HostSource.SWAPS, text=SWAPS.format("/swapfile file 1 0 -2"))
    texts = (swaps, journal(STORY))
    forth, back = read(*texts), read(*texts[::-1])
    assert forth == back
    assert [one.source for one in the(forth, "kubelet-swap-on").evidence] == ["journal:kubelet", "host:/proc/swaps"]


def test_a_missing_journal_is_a_gap_only_where_something_opened_it() -> None:
    blind = the_blind(read())
    assert (blind.why, blind.subject, blind.command) == (
        "text-missing",
        OMEN2,
        "ssh omen2 sudo journalctl -u kubelet -b -n 50",
    )
    assert {"kubelet-swap-on", "kubelet-certificate-expired"} <= set(blind.codes)
    assert read(so_far=Answers()) == Answers()


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("ssh {node} journalctl -u {unit}", "ssh omen2 journalctl -u kubelet"),
        ("ssh {node} awk '{print $1}'", "ssh omen2 awk '{print $1}'"),
        ("ssh {host} uptime", "ssh {host} uptime"),
    ],
    ids=["node and unit", "a shell's own braces", "no such blank"],
)
def test_an_operators_command_fills_the_blanks_that_there_are(written: str, told: str) -> None:
    row = Signature(code="x", source="journal:kubelet", pattern="x", opened_by=("kubelet-down",), command=written)
    answers = read_texts([row], Snapshot(at=AT, nodes=(gpu_node("omen2"),)), DEAD)
    assert the_blind(answers).command == told


def test_another_nodes_journal_tells_nothing_about_this_one() -> None:
    answers = read(journal(STORY, on="omen1"))
    assert not answers.findings
    assert SWAP in open_codes(answers)


@pytest.mark.parametrize(
    ("sections", "whys"),
    [
        pytest.param({}, ["text-of-unknown-node"], id="the list is whole"),
        pytest.param({"nodes": Snapshot(at=AT).nodes}, [], id="no list"),
        pytest.param({"gaps": {Section.NODES: Unknown(UnknownReason.FAILED)}}, [], id="a part of it"),
        pytest.param({"unreadable": (UnreadableObject(Section.NODES, "omen9"),)}, [], id="did not decode"),
        pytest.param({"leases": (lease("omen9"),)}, [], id="a lease is renewed"),
    ],
)
def test_a_text_of_a_node_that_is_not_there_is_no_evidence(sections: dict[str, Any], whys: list[str]) -> None:
    row = Signature(code="made-up", source="dmesg", pattern="boom")
    text = HostText(node="omen9", source=HostSource.DMESG, text="boom")
    answers = read_texts((row,), lab(host_texts=(text,), **sections), Answers())
    assert bool(answers.findings) is not bool(whys)
    assert [one.why for one in answers.blind] == whys


def test_containerd_counts_only_where_the_runtime_may_be_down() -> None:
    line = "containerd[812]: containerd: drop-in config version 4 higher than root config version 2"
    assert said(read(STORY, journal(line, unit="containerd"))) == {SWAP}
    booted = journal(line + '\ncontainerd[812]: msg="containerd successfully booted in 0.03s"', unit="containerd")
    assert not read(booted).findings


def test_a_runtime_that_a_check_could_not_tell_is_told_by_the_journal() -> None:
    asked = Blind(check="runtime-not-ready", codes=(Code("container-runtime-down"),), subject=OMEN2, why="no")
    sick = Finding(code=Code("node-not-ready"), subject=OMEN2, onset=Onset(DOWN, "status.conditions[Ready]"))
    so_far = Answers(findings=(sick,), blind=(asked,))
    assert said(read(REFUSED, so_far=so_far)) == {("container-runtime-down", "node/omen2")}
    assert not read(f"2026-06-10T15:39:51+0000 omen2 kubelet[1]: {REFUSED}", so_far=so_far).findings


ROW = Signature(code="made-up", source="event", pattern="boom (?P<what>\\w+)")


def test_an_event_brings_its_own_times() -> None:
    one = event("Exploded", last=DOWN, message="boom today")
    [evidence] = the(read_texts((ROW,), cluster(events=(one,)), Answers()), "made-up").evidence
    assert (evidence.source, evidence.field, evidence.last_seen) == ("event", "Exploded", DOWN)


def test_a_pod_log_is_about_its_pod() -> None:
    row = Signature(code="made-up", source="log", pattern="boom", absent="fine")
    log = PodLog(pod=Ref("pod", "a", "b"), container="c", text="boom")
    assert said(read_texts((row,), cluster(pod_logs=(log,)), Answers())) == {("made-up", "pod/b/a")}
    fine = PodLog(pod=Ref("pod", "a", "b"), container="c", text="boom\nfine")
    assert not read_texts((row,), cluster(pod_logs=(fine,)), Answers()).findings
