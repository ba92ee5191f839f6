"""What a person pastes: the axes are which text there is, how old it is, and what it still shows."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from bot.adapters.files.paste import recognise
from bot.model.findings import Reporter
from bot.model.hosttext import HostSource, HostText
from bot.model.refs import node
from bot.remedy.probes import Answer, ProbeAnswer
from bot.remedy.runbook import Probe
from tests.remedy.probes.asking import asked
from tests.support.lab import AT, cluster

HEAD = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority"
FILE = "/swapfile                               file\t\t33554428\t0\t\t-2"
ZRAM = "/dev/zram0                              partition\t8388604\t0\t\t100"
ON = "UUID=1234 / ext4 defaults 0 1\n/swapfile none swap sw 0 0"
NONE_RUNS = "|  No running processes found                                                 |"


def shown(probe: Probe, *texts: HostText) -> ProbeAnswer:
    return asked(probe, cluster(host_texts=texts), command="cat")


def text(source: HostSource, content: str, *, on: str = "omen2", at: datetime = AT, unit: str = "") -> HostText:
    return HostText(node=on, source=source, text=content, unit=unit, reporter=Reporter("U0ANN", at))


def swaps(content: str, **more: object) -> HostText:
    return text(HostSource.SWAPS, content, **more)  # type: ignore[arg-type]


def fstab(content: str) -> HostText:
    return text(HostSource.FSTAB, content)


@pytest.mark.parametrize(
    ("texts", "answer", "why"),
    [
        ((swaps(HEAD),), Answer.HOLDS, "repair-swap-off"),
        ((swaps(f"$ cat /proc/swaps\n{HEAD}\n"),), Answer.HOLDS, "repair-swap-off"),
        ((swaps("NAME TYPE SIZE USED PRIO"),), Answer.HOLDS, "repair-swap-off"),
        ((swaps(f"{HEAD}\n{FILE}"),), Answer.NOT_YET, "repair-swap-still-on"),
        ((swaps(f"{HEAD}\n{ZRAM}"),), Answer.NOT_YET, "repair-swap-still-on"),
        ((swaps(FILE),), Answer.NOT_YET, "repair-swap-still-on"),
        ((swaps(""),), Answer.CANNOT_TELL, "repair-not-pasted"),
        ((swaps("done, trust me"),), Answer.CANNOT_TELL, "repair-not-pasted"),
        ((), Answer.CANNOT_TELL, "repair-not-pasted"),
        ((swaps(HEAD, on="omen3"),), Answer.CANNOT_TELL, "repair-not-pasted"),
        ((fstab(ON.replace("/swapfile", "#/swapfile")),), Answer.CANNOT_TELL, "repair-not-pasted"),
        ((swaps(HEAD), fstab(ON)), Answer.NOT_YET, "repair-swap-returns"),
        ((fstab(ON),), Answer.NOT_YET, "repair-swap-returns"),
        ((swaps(HEAD), fstab(ON.replace("/swapfile", "#/swapfile"))), Answer.HOLDS, "repair-swap-off"),
        ((swaps(HEAD), fstab(ON.replace(" sw ", " sw,noauto "))), Answer.HOLDS, "repair-swap-off"),
        ((swaps(f"{HEAD}\n{FILE}\n{HEAD}"),), Answer.HOLDS, "repair-swap-off"),
        ((swaps(f"{HEAD}\n{HEAD}\n{FILE}"),), Answer.NOT_YET, "repair-swap-still-on"),
    ],
)
def test_swap_off(texts: tuple[HostText, ...], answer: Answer, why: str) -> None:
    said = shown(Probe.SWAP_OFF, *texts)
    assert (said.answer, said.why) == (answer, why)


def test_the_newest_paste_counts() -> None:
    old, new = AT - timedelta(hours=1), AT
    assert shown(Probe.SWAP_OFF, swaps(HEAD, at=new), swaps(f"{HEAD}\n{FILE}", at=old)).holds
    assert not shown(Probe.SWAP_OFF, swaps(f"{HEAD}\n{FILE}", at=new), swaps(HEAD, at=old)).holds


def test_who_pasted_stands_beside_the_evidence() -> None:
    (evidence,) = shown(Probe.SWAP_OFF, swaps(f"{HEAD}\n{FILE}")).evidence
    assert (evidence.source, evidence.object, evidence.reporter) == (
        "host:/proc/swaps",
        node("omen2"),
        Reporter("U0ANN", AT),
    )
    assert evidence.quote.startswith("/swapfile")


@pytest.mark.parametrize(
    ("content", "answer"),
    [
        ("active", Answer.HOLDS),
        ("     Active: active (running) since Fri 2026-10-30", Answer.HOLDS),
        ("activating", Answer.NOT_YET),
        ("inactive", Answer.NOT_YET),
        ("failed", Answer.NOT_YET),
        ("activating\nactive", Answer.HOLDS),
        ("active\nfailed", Answer.NOT_YET),
        ("Started kubelet.", Answer.CANNOT_TELL),
        ("", Answer.CANNOT_TELL),
    ],
)
def test_kubelet_active(content: str, answer: Answer) -> None:
    assert shown(Probe.KUBELET_ACTIVE, text(HostSource.JOURNAL, content, unit="kubelet")).answer is answer


def test_another_unit_says_nothing_of_the_kubelet() -> None:
    other = text(HostSource.JOURNAL, "active", unit="containerd")
    assert shown(Probe.KUBELET_ACTIVE, other).answer is Answer.CANNOT_TELL


@pytest.mark.parametrize(
    ("content", "answer"),
    [
        ("pid, process_name", Answer.HOLDS),
        ("pid, name", Answer.HOLDS),
        (NONE_RUNS, Answer.HOLDS),
        ("pid, process_name\n4242, /usr/bin/python3", Answer.NOT_YET),
        ("pid, process_name\n4242, [Insufficient Permissions]", Answer.NOT_YET),
        ("4242, /usr/bin/python3", Answer.NOT_YET),
        ("command not found", Answer.CANNOT_TELL),
    ],
)
def test_cuda_stopped(content: str, answer: Answer) -> None:
    assert shown(Probe.CUDA_STOPPED, text(HostSource.GPU_PROCESSES, content)).answer is answer


def test_no_paste_says_nothing_of_cuda() -> None:
    assert shown(Probe.CUDA_STOPPED).why == "repair-not-pasted"


@pytest.mark.parametrize(
    ("probe", "paste", "answer"),
    [
        (Probe.SWAP_OFF, f"gpu@omen2:~$ cat /proc/swaps\n{HEAD}\n", Answer.HOLDS),
        (Probe.SWAP_OFF, f"gpu@omen2:~$ cat /proc/swaps\n{HEAD}\n{FILE}\n", Answer.NOT_YET),
        (Probe.KUBELET_ACTIVE, "gpu@omen2:~$ systemctl is-active kubelet\nactive\n", Answer.HOLDS),
        (Probe.KUBELET_ACTIVE, "gpu@omen2:~$ systemctl is-active kubelet\nactivating\n", Answer.NOT_YET),
        (
            Probe.CUDA_STOPPED,
            "gpu@omen2:~$ nvidia-smi --query-compute-apps=pid,name --format=csv\npid, process_name\n",
            Answer.HOLDS,
        ),
        (
            Probe.CUDA_STOPPED,
            "gpu@omen2:~$ nvidia-smi --query-compute-apps=pid,name --format=csv\npid, process_name\n77, python3 a.py\n",
            Answer.NOT_YET,
        ),
    ],
)
def test_pastes_of_the_runbooks_commands_are_understood(probe: Probe, paste: str, answer: Answer) -> None:
    found = recognise(paste, nodes=("omen2",), reporter=Reporter("U0ANN", AT))
    assert shown(probe, *found.texts).answer is answer
    assert not found.unrecognised
