"""When a line still counts. Axes: boot, last sign of life, who pasted it, what was written later, what else killed."""

from datetime import datetime

import pytest

from bot.diagnose.run import Answers
from bot.model.findings import Finding, Onset, Reporter
from bot.model.snapshot import Snapshot
from tests.diagnose.journals import (
    ALL_OPEN,
    DEAD,
    DOWN_CODE,
    EXPIRED,
    IN_FILE,
    LATER,
    NOT_TOLD,
    OMEN2,
    REFUSED,
    RUNNING,
    STORY,
    SWAP,
    UNDATED,
    UNDATED_LATER,
    read,
)
from tests.support.checked import said, the_blind
from tests.support.lab import AT, DOWN, cluster, gpu_node, journal


@pytest.mark.parametrize("mark", ["-- Boot 7c9e6679742540de944be07fc1f90ae7 --", "-- Reboot --"])
def test_what_stands_before_a_reboot_is_over(mark: str) -> None:
    later = "Jul 12 08:00:00 omen2 systemd[1]: Starting kubelet.service"
    assert not read(f"{STORY}{mark}\n{later}").findings
    assert said(read(f"{later}\n{mark}\n{STORY.replace('E0710', 'E0713')}")) == {SWAP}


def test_failing_again_after_it_ran_counts() -> None:
    assert said(read(RUNNING + STORY.replace("E0710", "E0712"))) == {SWAP}


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
