"""What a person pastes to attest that swap is off: the axes are which output there is, whether all of it is there, what
it shows, and what else stands in the paste."""

from __future__ import annotations

import re

import pytest

from bot.model.findings import Reporter
from bot.model.refs import node
from bot.remedy.probes import Answer
from bot.remedy.runbook import Probe
from tests.remedy.probes.pasting import (
    ACTIVE,
    FILE,
    HEAD,
    IS_ACTIVE,
    LIST,
    NO_CUDA,
    NOTED,
    PROMPT,
    TAIL,
    TARGET,
    WHOLE,
    told,
)
from tests.support.lab import AT
from tests.support.pastes import SESSION


def swapped(old: str, new: str) -> str:
    assert old in WHOLE
    return WHOLE.replace(old, new)


def without_prompts(paste: str) -> str:
    return re.sub(r"(?m)^gpu@.*\n?", "", paste)


@pytest.mark.parametrize(
    ("probe", "paste", "why"),
    [
        (Probe.SWAP_OFF, WHOLE, "repair-swap-off"),
        (Probe.SWAP_OFF, without_prompts(WHOLE), "repair-swap-off"),
        (Probe.SWAP_OFF, f"```\n{WHOLE.replace(chr(39), chr(0x2019))}```", "repair-swap-off"),
        (Probe.SWAP_OFF, SESSION + WHOLE, "repair-swap-off"),
        (Probe.SWAP_OFF, WHOLE + f"{PROMPT}swapon --show\n{PROMPT}", "repair-swap-off"),
        (Probe.SWAP_OFF, WHOLE.replace("gpu@omen2:~$ ", "me@laptop:~$ ssh omen2 "), "repair-swap-off"),
        (Probe.SWAP_OFF, WHOLE.replace("gpu@omen2:~$ ", "# "), "repair-swap-off"),
        (Probe.SWAP_OFF, WHOLE.replace("listed.\n", "listed.\nlines 1-6/6 (END)\n"), "repair-swap-off"),
        (Probe.KUBELET_ACTIVE, ACTIVE, "repair-kubelet-active"),
        (Probe.KUBELET_ACTIVE, f"{PROMPT}sudo systemctl start kubelet\n{ACTIVE}{PROMPT}", "repair-kubelet-active"),
        (Probe.KUBELET_ACTIVE, f'me@laptop:~$ ssh omen2 "sudo {IS_ACTIVE}"\nactive', "repair-kubelet-active"),
        (Probe.CUDA_STOPPED, NO_CUDA, "repair-cuda-stopped"),
        (Probe.CUDA_STOPPED, NO_CUDA.replace("process_name", "name"), "repair-cuda-stopped"),
        (Probe.CUDA_STOPPED, NO_CUDA.replace(PROMPT, "$ "), "repair-cuda-stopped"),
        (Probe.CUDA_STOPPED, f"{PROMPT}sudo fuser -v /dev/nvidia*\n{NO_CUDA}", "repair-cuda-stopped"),
    ],
)
def test_the_whole_of_what_is_wanted_is_good(probe: Probe, paste: str, why: str) -> None:
    said = told(probe, paste)
    assert (said.answer, said.why) == (Answer.HOLDS, why), said.values


@pytest.mark.parametrize(
    "row",
    [
        FILE,
        "/dev/zram0                              partition\t8388604\t0\t\t100",
        "/swap\\040file                           file\t\t33554428\t0\t\t-2",
        "/swap file                              file\t\t33554428\t0\t\t-2",
        "/swapfile file 31,9G 0B -2",
        "/swapfile file 33554428",
        f"{FILE}  <-- still there!",
        f"\N{BULLET} {FILE}",
        f"2:{FILE}",
    ],
)
@pytest.mark.parametrize("where", ["below the head", "above the head", "before all", "below another command"])
def test_swap_that_is_on_is_refused_wherever_it_stands(row: str, where: str) -> None:
    paste = {
        "below the head": swapped(HEAD, f"{HEAD}\n{row}"),
        "above the head": swapped(HEAD, f"{row}\n{HEAD}"),
        "before all": f"{row}\n{WHOLE}",
        "below another command": f"{PROMPT}./look.sh\n{row}\n{WHOLE}",
    }[where]
    said = told(Probe.SWAP_OFF, paste)
    assert (said.answer, said.why, said.values["lines"]) == (
        Answer.NOT_YET,
        "repair-swap-still-on",
        " ".join(row.split()),
    )


@pytest.mark.parametrize("row", ["/swapfile file\n33554428 0 -2", "/swapfile", "file 33554428 0 -2", "and now?"])
def test_a_line_that_is_not_understood_is_quoted_with_the_command_to_send_again(row: str) -> None:
    said = told(Probe.SWAP_OFF, swapped(HEAD, f"{HEAD}\n{row}"))
    assert (said.answer, said.why) == (Answer.CANNOT_TELL, "repair-paste-odd")
    assert (said.values["lines"], said.values["command"]) == (row.splitlines()[0], TAIL)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("# by hand", "repair-swap-off"),
        ("/swapfile none swap sw,noauto 0 0", "repair-swap-off"),
        ("/dev/sda1 /swap ext4 defaults 0 1", "repair-swap-off"),
        ("tank/home /home zfs defaults 0 0 # ours", "repair-swap-off"),
        ("10.0.0.1:6789,10.0.0.2:6789:/ /data ceph name=admin,_netdev 0 0", "repair-swap-off"),
        ("/srv/a /srv/b none bind 0 0", "repair-swap-off"),
        ("/swapfile none swap sw 0 0", "repair-swap-returns"),
        ("/swapfile none swap defaults,pri=5", "repair-swap-returns"),
        ("UUID=12-34\tnone\tswap", "repair-swap-returns"),
        ("/swapfile swap swap defaults 0 0", "repair-swap-returns"),
        ("- /swapfile none swap sw 0 0", "repair-swap-returns"),
        ("/swapfile none swap sw 0 0 # noauto", "repair-swap-returns"),
        ("/swapfile none sw", "repair-paste-odd"),
        ("/swapfile none", "repair-paste-odd"),
        ("1: /swapfile none sw", "repair-paste-odd"),
        ('"/swapfile","none","swap"', "repair-paste-odd"),
    ],
)
def test_a_line_of_fstab(line: str, why: str) -> None:
    said = told(Probe.SWAP_OFF, swapped(NOTED, f"{line}\n{NOTED}"))
    assert said.why == why
    assert why == "repair-swap-off" or " ".join(line.split()) in said.values["lines"]


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("dev-zram0.swap   masked    -", "repair-swap-off"),
        ("swapfile.swap    disabled  enabled", "repair-swap-off"),
        ("zramswap.service masked    enabled", "repair-swap-off"),
        ("systemd-zram-setup@.service static -", "repair-swap-off"),
        ("swap-watch.timer disabled", "repair-swap-off"),
        (r"dev-disk-by\x2duuid-1.swap masked -", "repair-swap-off"),
        ("swapfile.swap    generated -", "repair-swap-unit-returns"),
        ("swapfile.swap    enabled   enabled", "repair-swap-unit-returns"),
        ("swapfile.swap    static    -", "repair-swap-unit-returns"),
        ("dev-zram0.swap   masked-runtime -", "repair-swap-unit-returns"),
        ("zramswap.service enabled   enabled", "repair-swap-unit-returns"),
        ("swap-on.timer    enabled   enabled", "repair-swap-unit-returns"),
        ("dphys-swapfile.service generated -", "repair-swap-unit-returns"),
        ("zramswap.service ena", "repair-paste-odd"),
        ("\N{BULLET} zramswap.service enabled enabled", "repair-paste-odd"),
        ("zramswap.service,enabled,enabled", "repair-paste-odd"),
    ],
)
def test_a_row_of_the_unit_files(row: str, why: str) -> None:
    paste = swapped(TARGET, f"{row}\n{TARGET}").replace("3 unit files", "4 unit files")
    said = told(Probe.SWAP_OFF, paste)
    assert said.why == why
    assert why == "repair-swap-off" or said.values["lines"] == " ".join(row.split())


def test_swap_target_must_be_masked() -> None:
    assert told(Probe.SWAP_OFF, swapped(TARGET, "swap.target static -")).why == "repair-swap-unit-returns"


@pytest.mark.parametrize(
    ("paste", "command"),
    [
        ("", TAIL),
        (PROMPT, TAIL),
        (WHOLE.replace("omen2", "omen3"), TAIL),
        (HEAD, TAIL),
        (swapped(HEAD, ""), TAIL),
        (swapped("==> /proc/swaps <==\n", ""), TAIL),
        (swapped("==> /etc/fstab <==", f"{PROMPT}{TAIL}\n==> /etc/fstab <=="), TAIL),
        (WHOLE.partition("==> /etc/fstab <==")[0], TAIL),
        (without_prompts(WHOLE).partition("UNIT FILE")[0], TAIL),
        (WHOLE.partition(f"{PROMPT}systemctl")[0] + PROMPT, LIST),
        (swapped("3 unit files", "4 unit files"), LIST),
        (swapped("3 unit files listed.", ""), LIST),
        (swapped(f"{TARGET}\n\n3 unit files", "\n2 unit files"), LIST),
    ],
    ids=[
        "nothing",
        "a prompt",
        "another node",
        "a head alone",
        "a file alone",
        "no head of a file",
        "heads of two commands",
        "no fstab",
        "no end of fstab",
        "no list",
        "a row is missing",
        "no end of the list",
        "without swap.target",
    ],
)
def test_what_is_not_wholly_shown_is_never_called_fine(paste: str, command: str) -> None:
    said = told(Probe.SWAP_OFF, paste)
    assert (said.answer, said.why, said.values["command"]) == (Answer.CANNOT_TELL, "repair-not-pasted", command)


@pytest.mark.parametrize(
    "command",
    [
        "head -1 /proc/swaps /etc/fstab",
        "tail -n +1 /proc/swaps /etc/fstab | head -5",
        "grep -v swapfile /proc/swaps /etc/fstab",
        "tail -n 1 /proc/swaps /etc/fstab",
    ],
)
def test_the_output_of_another_command_is_not_the_wanted_one(command: str) -> None:
    said = told(Probe.SWAP_OFF, swapped(TAIL, command))
    assert (said.why, said.values["lines"]) == ("repair-paste-odd", command)


def test_the_list_of_other_units_is_not_the_wanted_one() -> None:
    said = told(Probe.SWAP_OFF, swapped(LIST, "systemctl list-unit-files '*zram*'"))
    assert (said.why, said.values["command"]) == ("repair-paste-odd", LIST)


def test_an_output_that_contradicts_refuses_in_any_order() -> None:
    on = f"{PROMPT}cat /proc/swaps\n{HEAD}\n{FILE}\n"
    assert {told(Probe.SWAP_OFF, paste).why for paste in (WHOLE + on, on + WHOLE)} == {"repair-swap-still-on"}


def test_another_node_says_nothing_of_this_one() -> None:
    on = f"gpu@omen3:~$ cat /proc/swaps\n{HEAD}\n{FILE}\n"
    assert told(Probe.SWAP_OFF, on + WHOLE).holds


def test_the_evidence_shows_all_that_was_looked_at_and_who_pasted_it() -> None:
    said = told(Probe.SWAP_OFF, WHOLE)
    assert [one.source for one in said.evidence] == [
        "host:/proc/swaps",
        *["host:/etc/fstab"] * 2,
        *["host:systemctl list-unit-files"] * 5,
    ]
    assert {(one.object, one.reporter, one.last_seen) for one in said.evidence} == {
        (node("omen2"), Reporter("U0ANN", AT), AT)
    }
    assert said.values["lines"] == (
        "#/swapfile none swap sw 0 0; systemd-zram-setup@.service static -; dev-zram0.swap masked enabled; "
        "swap.target masked enabled; 3 unit files listed."
    )


def test_a_refusal_quotes_a_little() -> None:
    on = told(Probe.SWAP_OFF, swapped(HEAD, "\n".join([HEAD, *[FILE] * 2000])))
    odd = told(Probe.SWAP_OFF, swapped(HEAD, f"{HEAD}\n{'x' * 20000}"))
    assert (len(on.evidence), len(odd.values["lines"])) == (5, 120)
