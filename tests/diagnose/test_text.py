"""What journals and pastes prove: wordings, boots, excerpts, and the traps."""

from datetime import UTC, datetime
from typing import Any

import pytest

from bot.adapters.files.knowledge import load_knowledge
from bot.diagnose.run import Answers
from bot.diagnose.text import read_texts
from bot.knowledge.signatures import Signature
from bot.model.findings import Blind, Code, Finding, Kind, Onset, Reporter, Severity
from bot.model.hosttext import HostSource, HostText, PodLog
from bot.model.refs import CLUSTER, Ref
from bot.model.refs import node as node_ref
from bot.model.sections import Section, Unknown, UnknownReason, UnreadableObject
from bot.model.snapshot import Snapshot
from tests.support.lab import AT, DOWN, cluster, event, gpu_node, journal, lease, open_codes, said, the, the_blind

SIGNATURES = load_knowledge().signatures
OMEN2 = node_ref("omen2")
DOWN_CODE = Code("kubelet-down")
DEAD = Answers(findings=(Finding(code=DOWN_CODE, subject=OMEN2),))
NOT_TOLD = Answers(blind=(Blind(check="kubelet-down", codes=(DOWN_CODE,), subject=OMEN2, why="kubelet-not-told"),))
ALL_OPEN = Answers(blind=(Blind(check="kubelet-down", codes=(DOWN_CODE,), subject=CLUSTER, why="section-in-part"),))
SWAP = ("kubelet-swap-on", "node/omen2")
SUSPECT = ("swap-in-use", "node/omen2")
EXPIRED = ("kubelet-certificate-expired", "node/omen2")

STORY = """E0710 15:39:51 run.go:72] "command failed" err="failed to run Kubelet:
    running with swap on is not supported, please disable swap
    or set --fail-swap-on flag to false"
systemd[1]: kubelet.service: Main process exited, code=exited, status=1/FAILURE
"""
FLAT = "\n".join(line.strip() for line in STORY.splitlines())
ONE_LINE = (
    'Jul 10 15:39:51 omen2 kubelet[812]: E0710 15:39:51.1 812 run.go:72] "command failed" err="failed to run Kubelet: '
    'running with swap on is not supported, please disable swap or set --fail-swap-on flag to false"'
)
CAPITAL = (
    "F0710 15:39:51.1 812 server.go:274] failed to run Kubelet: Running with swap on is not supported, please disable "
    "swap! or set --fail-swap-on flag to false. /proc/swaps contained: [Filename Type Size Used Priority /swapfile]"
)
CERTIFICATE = """E0118 10:00:00 265 bootstrap.go:265] part of the existing bootstrap client certificate is expired: \
2020-12-06 18:55:55 +0000 UTC
F0118 10:00:00 265 server.go:271] failed to run Kubelet: unable to load bootstrap kubeconfig: stat \
/etc/kubernetes/bootstrap-kubelet.conf: no such file or directory
"""
IN_FILE = (
    "E0710 15:39:51.0 1 bootstrap.go:266] part of the existing bootstrap client certificate in "
    "/etc/kubernetes/kubelet.conf is expired: 2025-09-25 17:11:55 +0000 UTC"
)
RUNNING = 'I0711 08:00:00.1 99 server.go:1274] "Started kubelet"\nI0711 08:00:01 99 kubelet_node_status.go:78] "ok"\n'
LATER = IN_FILE.replace("E0710 15:39:51", "E0710 15:40:02") + "\n"
REFUSED = 'E0710 15:39:40 1 x.go:1] err="dial unix /run/containerd/containerd.sock: connect: connection refused"'
UNDATED = "kubelet[1]: running with swap on is not supported, please disable swap"
UNDATED_LATER = "kubelet[1]: part of the existing bootstrap client certificate is expired: 2026-07-06"
SWAPS = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n{0}"


def read(*texts: HostText | str, so_far: Answers = DEAD, **sections: Any) -> Answers:
    given = tuple(one if isinstance(one, HostText) else journal(one) for one in texts)
    return read_texts(SIGNATURES, lab(host_texts=given, **sections), so_far)


def lab(**sections: Any) -> Snapshot:
    return cluster(**{"nodes": (gpu_node(), gpu_node("omen1", "True")), **sections})


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


@pytest.mark.parametrize("mark", ["-- Boot 7c9e6679742540de944be07fc1f90ae7 --", "-- Reboot --"])
def test_what_stands_before_a_reboot_is_over(mark: str) -> None:
    later = "Jul 12 08:00:00 omen2 systemd[1]: Starting kubelet.service"
    assert not read(f"{STORY}{mark}\n{later}").findings
    assert said(read(f"{later}\n{mark}\n{STORY.replace('E0710', 'E0713')}")) == {SWAP}


def test_failing_again_after_it_ran_counts() -> None:
    assert said(read(RUNNING + STORY.replace("E0710", "E0712"))) == {SWAP}


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
    ("so_far", "status", "counts"),
    [
        pytest.param(DEAD, "Unknown", True, id="dead"),
        pytest.param(NOT_TOLD, "Unknown", True, id="not told of this node"),
        pytest.param(ALL_OPEN, "Unknown", True, id="not told of any node"),
        pytest.param(ALL_OPEN, "True", False, id="not told of the whole list, and alive"),
        pytest.param(Answers(), "True", False, id="alive"),
    ],
)
@pytest.mark.parametrize("text", [STORY, IN_FILE, REFUSED], ids=["swap", "certificate", "runtime"])
def test_a_line_counts_only_where_the_kubelet_is_dead_or_not_told(
    text: str, so_far: Answers, status: str, counts: bool
) -> None:
    assert bool(read(text, so_far=so_far, nodes=(gpu_node(status=status),)).findings) is counts


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        pytest.param((STORY + LATER,), {EXPIRED}, id="one text"),
        pytest.param((LATER + STORY.replace("15:39:51", "15:40:30"),), {SWAP}, id="the other way round"),
        pytest.param((STORY, LATER), {EXPIRED}, id="two texts"),
        pytest.param((REFUSED + "\n" + STORY,), {SWAP}, id="the runtime was slow once"),
        pytest.param((STORY, STORY.replace("E0710", "E0711")), {SWAP}, id="the same in two texts"),
        pytest.param((UNDATED, UNDATED_LATER), {SWAP, EXPIRED}, id="nothing says which is newer"),
        pytest.param((UNDATED, LATER), {EXPIRED}, id="only one says when"),
    ],
)
def test_a_kubelet_dies_for_one_reason_at_a_time(texts: tuple[str, ...], found: set[tuple[str, str]]) -> None:
    assert said(read(*texts)) == found


@pytest.mark.parametrize(("onset", "counts"), [(AT, False), (DOWN, True), (None, True)], ids=["later", "then", "?"])
def test_what_was_written_before_the_last_sign_of_life_is_over(onset: datetime | None, counts: bool) -> None:
    since = Onset(onset, "lease spec.renewTime") if onset else None
    dated = STORY.replace("E0710", "2026-07-10T15:39:51+0000 omen2 kubelet[1]: E0710")
    answers = read(dated, so_far=Answers(findings=(Finding(code=DOWN_CODE, subject=OMEN2, onset=since),)))
    assert (SWAP in said(answers)) is counts
    if not counts:
        assert the_blind(answers).why == "text-too-old"


def test_what_a_person_pasted_is_of_now_whatever_the_clock_of_the_host_says() -> None:
    since = Onset(AT, "lease spec.renewTime")
    so_far = Answers(findings=(Finding(code=DOWN_CODE, subject=OMEN2, onset=since),))
    assert said(read(journal(STORY, reporter=Reporter("U0ONCALL", AT)), so_far=so_far)) == {SWAP}


@pytest.mark.parametrize(
    ("later", "counts"),
    [
        ('I0710 15:50:00.1 9 x.go:1] "going on"', True),
        ('I0710 17:00:00.1 9 x.go:1] "going on"', False),
        ("Jul 10 17:00:00 omen2 systemd[1]: Stopped kubelet.service", True),
        ('I0710 17:00:00.1 9 x.go:1] "going on"\n' + STORY.replace("E0710 15", "E0710 17"), True),
    ],
    ids=["soon", "long after", "systemd, long after", "failed again"],
)
def test_a_kubelet_that_goes_on_writing_has_lived_since(later: str, counts: bool) -> None:
    answers = read(journal(STORY + later, reporter=Reporter("U0ONCALL", AT)))
    assert (SWAP in said(answers)) is counts
    if not counts:
        assert the_blind(answers).why == "text-too-old"


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


BOOT, OTHER = "0f8fad5b-d9cb-469f-a165-70867728950e", "7c9e6679742540de944be07fc1f90ae7"


def _booted(status: str, boot: str = BOOT, since: datetime = DOWN) -> Snapshot:
    return cluster(nodes=(gpu_node(status=status, boot=boot, since=since),))


@pytest.mark.parametrize(
    ("boot", "snapshot", "counts"),
    [
        pytest.param(BOOT.replace("-", "").upper(), _booted("Unknown"), True, id="same boot, other notation"),
        pytest.param("", _booted("Unknown"), True, id="the text names no boot"),
        pytest.param(OTHER, _booted("Unknown", boot=""), True, id="the node names no boot"),
        pytest.param(OTHER, Snapshot(at=AT), True, id="the node is not known"),
        pytest.param(OTHER, _booted("False"), False, id="another boot, the kubelet lives"),
        pytest.param(OTHER, _booted("Unknown", since=AT), False, id="another boot, over before the kubelet died"),
        pytest.param(OTHER, _booted("Unknown"), True, id="a boot that began after the kubelet's last word"),
    ],
)
def test_only_the_current_boot_counts(boot: str, snapshot: Snapshot, counts: bool) -> None:
    answers = read(journal(STORY, boot=boot), nodes=snapshot.nodes)
    assert (SWAP in said(answers)) is counts
    if not counts:
        assert the_blind(answers).why == "text-of-another-boot"


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
