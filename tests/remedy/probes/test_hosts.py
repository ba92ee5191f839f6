"""What a person pastes: the axes are which text there is, how old it is, and what it still shows."""

from __future__ import annotations

import re
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
#: As GNU tail 9.1 and systemctl 252 print it.
WHOLE = f"""gpu@omen2:~$ tail -n +1 /proc/swaps /etc/fstab
==> /proc/swaps <==
{HEAD}

==> /etc/fstab <==
# /etc/fstab: static file system information.
UUID=1234 / ext4 defaults 0 1
nas:/x /mnt cifs rw
#/swapfile none swap sw 0 0
gpu@omen2:~$ systemctl list-unit-files '*swap*' '*zram*'
UNIT FILE                   STATE    PRESET
systemd-zram-setup@.service static   -
dev-zram0.swap              masked   enabled
swap.target                 masked   enabled

3 unit files listed.
"""
NONE_RUNS = "|  No running processes found                                                 |"


def told(probe: Probe, *texts: HostText) -> ProbeAnswer:
    return asked(probe, cluster(host_texts=texts), command="cat")


def text(source: HostSource, content: str, *, on: str = "omen2", at: datetime = AT, unit: str = "") -> HostText:
    return HostText(node=on, source=source, text=content, unit=unit, reporter=Reporter("U0ANN", at))


def swaps(content: str, **more: object) -> HostText:
    return text(HostSource.SWAPS, content, **more)  # type: ignore[arg-type]


def fstab(content: str) -> HostText:
    return text(HostSource.FSTAB, content)


CLEAN = f"==> /etc/fstab <==\n{ON.replace('/swapfile', '#/swapfile')}"
TARGET = "swap.target      masked   enabled"


def units(*rows: str, count: int | None = None) -> HostText:
    """A list of unit files, as systemctl prints it, with the number that it says."""
    said = len(rows) if count is None else count
    lines = ["UNIT FILE        STATE    PRESET", *rows, "", f"{said} unit files listed."]
    return text(HostSource.UNIT_FILES, "\n".join(lines))


@pytest.mark.parametrize(
    ("shown", "why"),
    [
        (HEAD, "repair-swap-off"),
        (f"$ cat /proc/swaps\n{HEAD}\n", "repair-swap-off"),
        ("NAME TYPE SIZE USED PRIO", "repair-swap-off"),
        (f"{HEAD}\n{FILE}", "repair-swap-still-on"),
        (f"{HEAD}\n{ZRAM}", "repair-swap-still-on"),
        (FILE, "repair-swap-still-on"),
        ("", "repair-not-pasted"),
        ("done, trust me", "repair-not-pasted"),
        (f"{HEAD}\n{FILE}\n{HEAD}", "repair-swap-off"),
        (f"{HEAD}\n{HEAD}\n{FILE}", "repair-swap-still-on"),
    ],
)
def test_swap_that_is_on_now(shown: str, why: str) -> None:
    assert told(Probe.SWAP_OFF, swaps(shown), fstab(CLEAN), units(TARGET)).why == why


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("#/swapfile none swap sw 0 0", "repair-swap-off"),
        ("/swapfile none swap sw,noauto 0 0", "repair-swap-off"),
        ("/dev/sda1 /swap ext4 defaults 0 1", "repair-swap-off"),
        ("/swapfile none swap sw 0 0", "repair-swap-returns"),
        ("/swapfile none swap defaults,pri=5", "repair-swap-returns"),
        ("UUID=12-34\tnone\tswap", "repair-swap-returns"),
    ],
)
def test_a_line_of_fstab_that_brings_swap_back(line: str, why: str) -> None:
    said = told(Probe.SWAP_OFF, swaps(HEAD), fstab(f"{CLEAN}\n{line}"), units(TARGET))
    assert said.why == why
    assert why == "repair-swap-off" or " ".join(line.split()) in said.values["lines"]


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("dev-zram0.swap   masked    -", "repair-swap-off"),
        ("swapfile.swap    disabled  enabled", "repair-swap-off"),
        ("zramswap.service masked    enabled", "repair-swap-off"),
        ("zramswap.service disabled  enabled", "repair-swap-off"),
        ("systemd-zram-setup@.service static -", "repair-swap-off"),
        ("swapfile.swap    generated -", "repair-swap-unit-returns"),
        ("swapfile.swap    enabled   enabled", "repair-swap-unit-returns"),
        ("swapfile.swap    static    -", "repair-swap-unit-returns"),
        ("dev-zram0.swap   masked-runtime -", "repair-swap-unit-returns"),
        ("zramswap.service enabled   enabled", "repair-swap-unit-returns"),
        ("dphys-swapfile.service generated -", "repair-swap-unit-returns"),
    ],
)
def test_a_unit_that_brings_swap_back(row: str, why: str) -> None:
    said = told(Probe.SWAP_OFF, swaps(HEAD), fstab(CLEAN), units(row, TARGET))
    assert said.why == why
    assert why == "repair-swap-off" or said.values["lines"] == " ".join(row.split())


def test_swap_target_must_be_masked_where_it_is_listed() -> None:
    static = TARGET.replace("masked ", "static ")
    assert told(Probe.SWAP_OFF, swaps(HEAD), fstab(CLEAN), units(static)).why == "repair-swap-unit-returns"
    assert told(Probe.SWAP_OFF, swaps(HEAD), fstab(CLEAN), units()).holds


@pytest.mark.parametrize(
    ("texts", "source"),
    [
        ((), "host:/proc/swaps"),
        ((swaps(HEAD, on="omen3"), fstab(CLEAN), units(TARGET)), "host:/proc/swaps"),
        ((swaps(HEAD), units(TARGET)), "host:/etc/fstab"),
        ((swaps(HEAD), fstab("#/swapfile none swap sw 0 0"), units(TARGET)), "host:/etc/fstab"),
        ((swaps(HEAD), fstab(CLEAN)), "host:systemctl list-unit-files"),
        ((swaps(HEAD), fstab(CLEAN), units(TARGET, count=2)), "host:systemctl list-unit-files"),
        ((swaps(HEAD), fstab(CLEAN), text(HostSource.UNIT_FILES, TARGET)), "host:systemctl list-unit-files"),
    ],
    ids=["nothing", "another host", "no fstab", "a piece of fstab", "no units", "a row is missing", "no end"],
)
def test_what_is_not_shown_is_never_called_fine(texts: tuple[HostText, ...], source: str) -> None:
    said = told(Probe.SWAP_OFF, *texts)
    assert (said.answer, said.why, said.values["source"]) == (Answer.CANNOT_TELL, "repair-not-pasted", source)


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        ((fstab("/swapfile none swap sw 0 0"),), "repair-swap-returns"),
        ((text(HostSource.UNIT_FILES, "swapfile.swap enabled enabled"),), "repair-swap-unit-returns"),
        ((swaps(HEAD), fstab(ON)), "repair-swap-returns"),
    ],
)
def test_what_is_bad_is_bad_in_any_piece(texts: tuple[HostText, ...], why: str) -> None:
    assert told(Probe.SWAP_OFF, *texts).why == why


def test_the_evidence_shows_all_that_was_looked_at() -> None:
    said = told(Probe.SWAP_OFF, swaps(HEAD), fstab(CLEAN), units("dev-zram0.swap masked -", TARGET))
    assert [one.source for one in said.evidence] == [
        "host:/proc/swaps",
        "host:/etc/fstab",
        "host:/etc/fstab",
        *["host:systemctl list-unit-files"] * 4,
    ]
    assert said.values["lines"] == (
        "#/swapfile none swap sw 0 0; dev-zram0.swap masked -; swap.target masked enabled; 2 unit files listed."
    )


def test_the_newest_paste_counts() -> None:
    old, new = AT - timedelta(hours=1), AT
    rest = (fstab(CLEAN), units(TARGET))
    assert told(Probe.SWAP_OFF, swaps(HEAD, at=new), swaps(f"{HEAD}\n{FILE}", at=old), *rest).holds
    assert not told(Probe.SWAP_OFF, swaps(f"{HEAD}\n{FILE}", at=new), swaps(HEAD, at=old), *rest).holds


def test_who_pasted_stands_beside_the_evidence() -> None:
    (evidence,) = told(Probe.SWAP_OFF, swaps(f"{HEAD}\n{FILE}")).evidence
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
    assert told(Probe.KUBELET_ACTIVE, text(HostSource.JOURNAL, content, unit="kubelet")).answer is answer


def test_another_unit_says_nothing_of_the_kubelet() -> None:
    other = text(HostSource.JOURNAL, "active", unit="containerd")
    assert told(Probe.KUBELET_ACTIVE, other).answer is Answer.CANNOT_TELL


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
    assert told(Probe.CUDA_STOPPED, text(HostSource.GPU_PROCESSES, content)).answer is answer


def test_no_paste_says_nothing_of_cuda() -> None:
    assert told(Probe.CUDA_STOPPED).why == "repair-not-pasted"


@pytest.mark.parametrize(
    ("probe", "paste", "answer"),
    [
        (Probe.SWAP_OFF, WHOLE, Answer.HOLDS),
        (Probe.SWAP_OFF, re.sub(r"(?m)^gpu@.*\n", "", WHOLE), Answer.HOLDS),
        (Probe.SWAP_OFF, WHOLE.replace(HEAD, f"{HEAD}\n{FILE}"), Answer.NOT_YET),
        (Probe.SWAP_OFF, WHOLE.replace("#/swapfile", "/swapfile"), Answer.NOT_YET),
        (Probe.SWAP_OFF, WHOLE.replace("masked  ", "enabled "), Answer.NOT_YET),
        (Probe.SWAP_OFF, WHOLE.partition("gpu@omen2:~$ systemctl")[0], Answer.CANNOT_TELL),
        (Probe.SWAP_OFF, f"gpu@omen2:~$ cat /proc/swaps\n{HEAD}\n", Answer.CANNOT_TELL),
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
    found = recognise(paste, nodes=("omen2",), node="omen2", reporter=Reporter("U0ANN", AT))
    assert told(probe, *found.texts).answer is answer
    assert not found.unrecognised
