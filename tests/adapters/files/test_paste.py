"""Axes: form of the lines, who says which host, boots, what chat did to the text, what is not understood."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime

import pytest

from bot.adapters.files.paste import PasteRecogniser, recognise
from bot.model.findings import Reporter
from bot.model.hosttext import HostText

SWAP = "failed to run Kubelet: running with swap on is not supported, please disable swap"
KLOG = f'E0710 15:39:51.123456    1234 run.go:72] "command failed" err="{SWAP}"'


def only(text: str, **known: str) -> HostText:
    found = recognise(text, **known)
    assert found.unrecognised == ()
    (one,) = found.texts
    return one


@pytest.mark.parametrize(
    "line",
    [
        f"Nov 30 06:22:36 omen2 kubelet[1234]: {KLOG}",
        f"Nov 30 06:22:36.123456 omen2 kubelet[1234]: {KLOG}",
        f"2026-11-30T06:22:36+0900 omen2 kubelet[1234]: {KLOG}",
        f"2026-11-30T06:22:36.123456+09:00 omen2 kubelet[1234]: {KLOG}",
        f"Mon 2026-11-30 06:22:36 UTC omen2 kubelet[1234]: {KLOG}",
        "Nov 30 06:22:36 omen2 systemd[1]: kubelet.service: Main process exited, code=exited, status=1/FAILURE",
        "Nov 30 06:22:36 omen2 systemd[1]: Started kubelet.service - kubelet: The Kubernetes Node Agent.",
    ],
)
def test_a_journal_line_names_host_and_unit(line: str) -> None:
    found = only(line)
    assert (found.node, found.label, found.text) == ("omen2", "journal:kubelet", line)


@pytest.mark.parametrize(
    ("line", "label"),
    [
        (KLOG, "journal:kubelet"),
        ('E0710 15:39:51 run.go:72] "command failed"', "journal:kubelet"),
        ("systemd[1]: kubelet.service: Main process exited, code=exited, status=1/FAILURE", "journal:kubelet"),
        ("systemd[1]: containerd.service: Failed with result 'exit-code'.", "journal:containerd"),
        ("NVRM: Xid (PCI:0000:01:00): 79, pid=1234, GPU has fallen off the bus.", "dmesg"),
        ("[  123.456789] NVRM: Xid (PCI:0000:01:00): 79", "dmesg"),
        ("[Mon Nov 30 06:22:36 2026] NVRM: Xid (PCI:0000:01:00): 79", "dmesg"),
        ("/swapfile    file    33554428    0    -2", "host:/proc/swaps"),
        ("Filename\t\t\tType\t\tSize\t\tUsed\t\tPriority", "host:/proc/swaps"),
        ("NAME      TYPE SIZE USED PRIO\n/swapfile file  32G   0B   -2", "host:/proc/swaps"),
        ("/swapfile none swap sw 0 0", "host:/etc/fstab"),
        ("#/swapfile none swap sw 0 0", "host:/etc/fstab"),
        ("UUID=0a-1b / ext4 errors=remount-ro 0 1", "host:/etc/fstab"),
        ("● kubelet.service - kubelet\n     Loaded: loaded (/lib)\n     Active: activating", "journal:kubelet"),
    ],
)
def test_a_text_without_a_host_leaves_the_node_unknown_unless_it_is_told(line: str, label: str) -> None:
    found = recognise(line)
    assert found.texts == ()
    assert [(one.node, one.label, one.text) for one in found.node_unknown] == [("", label, line)]
    told = recognise(line, node="omen2")
    assert told.node_unknown == ()
    assert [one.node for one in told.texts] == ["omen2"]


@pytest.mark.parametrize(
    ("line", "label"),
    [
        ("Nov 30 06:22:36 omen2 kernel: NVRM: Xid (PCI:0000:01:00): 79", "dmesg"),
        ("Nov 30 06:22:36 omen2 containerd[77]: level=error", "journal:containerd"),
        ("Nov 30 06:22:36 omen2 sshd[77]: Accepted publickey", "journal:sshd"),
    ],
)
def test_other_units_are_told_apart(line: str, label: str) -> None:
    assert only(line).label == label


@pytest.mark.parametrize(
    "prompt",
    [
        "root@omen2:~# ",
        "[root@omen2 ~]# ",
        "core@omen2 ~ $ ",
        "admin@omen2:/etc/x$ ",
        "omen@laptop:~$ ssh root@omen2 ",
        "$ ssh -p 22 root@omen2 ",
        "me@laptop:~$ ssh -i key -o X=y -p2222 omen2 ",
    ],
)
@pytest.mark.parametrize(
    ("command", "output", "label"),
    [
        ("cat /proc/swaps", "/swapfile file 33554428 0 -2", "host:/proc/swaps"),
        ("sudo swapon --show", "/swapfile file 32G 0B -2", "host:/proc/swaps"),
        ("cat /etc/fstab", "# made by hand\nnas:/x /mnt cifs rw", "host:/etc/fstab"),
        ("systemctl is-active kubelet", "activating", "journal:kubelet"),
        ("journalctl -b -u k3s -n 20", KLOG, "journal:kubelet"),
    ],
)
def test_a_prompt_tells_host_and_source(prompt: str, command: str, output: str, label: str) -> None:
    found = recognise(f"{prompt}{command}\n{output}")
    assert [(one.node, one.label, one.text) for one in found.texts] == [("omen2", label, output)]
    assert (found.node_unknown, found.unrecognised) == ((), ())


def test_the_one_host_of_a_paste_is_the_host_of_its_tables() -> None:
    found = recognise(f"Nov 30 06:22:36 omen2 kubelet[1]: {KLOG}\n\n/swapfile file 33554428 0 -2")
    assert {one.node for one in found.texts} == {"omen2"}


def test_of_two_hosts_none_is_guessed() -> None:
    lines = [f"Nov 30 06:22:36 {host} kubelet[1]: {KLOG}" for host in ("omen1", "omen2")]
    found = recognise("\n".join([*lines, "/swapfile file 33554428 0 -2"]))
    assert [one.node for one in found.texts] == ["omen1", "omen2"]
    assert [one.label for one in found.node_unknown] == ["host:/proc/swaps"]


NODES = ("omen2.lab", "omen3.lab")


def test_a_short_host_name_is_given_its_nodes_name() -> None:
    found = recognise(f"Nov 30 06:22:36 omen2 kubelet[1]: {KLOG}", nodes=NODES)
    assert ([one.node for one in found.texts], found.node_unknown) == (["omen2.lab"], ())


def test_a_journal_of_a_host_outside_the_cluster_asks_back_and_is_not_given_to_another() -> None:
    found = recognise(f"Nov 30 06:22:36 laptop kubelet[1]: {KLOG}", nodes=NODES, node="omen2.lab")
    assert ([one.node for one in found.node_unknown], found.texts) == (["laptop"], ())


def test_a_prompt_of_a_host_outside_the_cluster_says_nothing() -> None:
    found = recognise("me@laptop:~$ cat swaps\n/swapfile file 33554428 0 -2", nodes=NODES, node="omen2.lab")
    assert ([one.node for one in found.texts], found.node_unknown) == (["omen2.lab"], ())


OLD, NEW = "a" * 32, "b" * 32


@pytest.mark.parametrize(
    ("marker", "boots"),
    [(f"-- Boot {NEW} --", [OLD, NEW]), ("-- Reboot --", ["ended", ""])],
)
def test_boots_are_kept_apart(marker: str, boots: list[str]) -> None:
    found = recognise(f"-- Boot {OLD} --\n{KLOG}\n{marker}\nE0711 15:39:51 run.go:1] fine", node="omen2")
    assert [one.boot for one in found.texts] == boots
    assert "fine" not in found.texts[0].text


def test_a_boot_id_in_a_field_is_read() -> None:
    assert only(f"Nov 30 06:22:36 omen2 kubelet[1]: _BOOT_ID={NEW} {KLOG}").boot == NEW


@pytest.mark.parametrize(
    ("mangled", "plain"),
    [
        (f"```\n{KLOG}\n```", KLOG),
        (f"```{KLOG}```", KLOG),
        (KLOG.replace('"', "“"), KLOG),
        ("E0710 15:39:51 run.go:72] or set —fail-swap-on", "E0710 15:39:51 run.go:72] or set --fail-swap-on"),
        ("E0710 15:39:51 run.go:72] a &lt;b&gt; &amp;amp;", "E0710 15:39:51 run.go:72] a <b> &amp;"),
        ("E0710 15:39:51 run.go:72] see <http://k8s.io|k8s.io>", "E0710 15:39:51 run.go:72] see k8s.io"),
        ("E0710 15:39:51 run.go:72] see <https://k8s.io/x>", "E0710 15:39:51 run.go:72] see https://k8s.io/x"),
        ("E0710\u00a015:39:51 run.go:72] a\u200bb", "E0710 15:39:51 run.go:72] ab"),
        ("\x1b[0;1;31mE0710 15:39:51 run.go:72] red\x1b[0m", "E0710 15:39:51 run.go:72] red"),
        (f"{KLOG}\r", KLOG),
    ],
)
def test_what_chat_does_to_a_text_is_undone(mangled: str, plain: str) -> None:
    assert only(mangled, node="omen2").text == plain


def test_wrapped_lines_stay_with_their_first_one() -> None:
    text = 'E0710 15:39:51 run.go:72] "command failed" err="failed to run Kubelet:\n    running with swap on is not'
    assert only(text, node="omen2").text == text


def test_what_was_not_understood_is_returned() -> None:
    found = recognise(f"hi, this is from the node:\n{KLOG}\nand now?\n    really", node="omen2")
    assert found.unrecognised == ("hi, this is from the node:", "and now?", "really")


@pytest.mark.parametrize("text", ["", "\n\n", "-- No entries --", "-- Logs begin at Mon 2026-11-30. --"])
def test_nothing_gives_nothing(text: str) -> None:
    found = recognise(text)
    assert (found.texts, found.node_unknown, found.unrecognised) == ((), (), ())


def test_the_recogniser_asks_for_the_nodes_when_a_paste_comes() -> None:
    nodes: list[str] = []
    recogniser = PasteRecogniser(lambda: nodes)
    nodes.append("omen2.lab")
    found = recogniser.recognise(f"Nov 30 06:22:36 omen2 kubelet[1]: {KLOG}", Reporter("U0ONCALL"))
    assert [(one.node, one.reporter) for one in found.texts] == [("omen2.lab", Reporter("U0ONCALL"))]


def test_every_text_says_who_pasted_it() -> None:
    reporter = Reporter("U0ONCALL", datetime(2026, 11, 30, tzinfo=UTC))
    found = recognise(KLOG, node="omen2", reporter=reporter)
    assert [one.reporter for one in found.texts] == [reporter]


@pytest.mark.parametrize("prompt", ["$ ", "me@laptop:~$ ", "# sudo "])
@pytest.mark.parametrize("command", ["kubectl logs -n x pod", "kubectl -n x logs pod -c main", "crictl logs 1f"])
def test_the_log_of_a_container_is_no_journal_of_the_kubelet(prompt: str, command: str) -> None:
    found = recognise(f"{prompt}{command}\n{KLOG}", node="omen2")
    assert (found.texts, found.node_unknown, found.unrecognised) == ((), (), (KLOG,))


def test_what_a_host_wrote_counts_even_below_the_log_of_a_container() -> None:
    found = recognise(f"$ kubectl logs x\n{KLOG}\nNov 30 06:22:36 omen2 kubelet[1]: {KLOG}")
    assert [(one.node, one.label) for one in found.texts] == [("omen2", "journal:kubelet")]


def test_lines_of_a_quotation_are_read() -> None:
    line = f"Nov 30 06:22:36 omen2 kubelet[1]: {KLOG}"
    assert [one.text for one in recognise(f"&gt; {line}\n&gt; {line}").texts] == [f"{line}\n{line}"]


ENTRY = {
    "_HOSTNAME": "omen2",
    "SYSLOG_IDENTIFIER": "kubelet",
    "MESSAGE": KLOG,
    "__REALTIME_TIMESTAMP": "1796019756000000",
}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, [f"2026-11-30T06:22:36+00:00 omen2 kubelet: {KLOG}"]),
        (
            {"SYSLOG_IDENTIFIER": None, "_SYSTEMD_UNIT": "kubelet.service"},
            [f"2026-11-30T06:22:36+00:00 omen2 kubelet: {KLOG}"],
        ),
        ({"MESSAGE": "two\nlines"}, ["2026-11-30T06:22:36+00:00 omen2 kubelet: two\n    lines"]),
        ({"__REALTIME_TIMESTAMP": "soon"}, []),
        ({"MESSAGE": [1, 2]}, []),
        ({"SYSLOG_IDENTIFIER": None}, []),
    ],
)
def test_entries_of_a_journal_as_json(change: dict[str, object], expected: list[str]) -> None:
    found = recognise(json.dumps({**ENTRY, **change}))
    assert [one.text for one in found.texts] == expected
    assert [one.label for one in found.texts] == ["journal:kubelet"] * len(expected)


@pytest.mark.parametrize("line", ["{", "{}", "[1]", "{" * 5000])
def test_what_only_looks_like_json_is_not_understood(line: str) -> None:
    assert recognise(line).unrecognised == (line,)


ADDRESSES = json.dumps([f"https://registry.example/v2/{number}" for number in range(8000)], separators=(",", ":"))


@pytest.mark.parametrize(
    "line",
    [ADDRESSES, f"x {ADDRESSES}", "$ kubectl " + "debug " * 40_000, "systemd[1]: " + "a-" * 100_000],
    ids=["JSON", "a word before", "a command", "a log"],
)
def test_a_line_without_end_holds_nobody_up(line: str) -> None:
    """A pattern that goes back over the line at each of its letters holds up every thread for minutes."""
    began = time.perf_counter()
    recognise(line)
    PasteRecogniser(lambda: ("omen2",)).outputs(line, Reporter("<@U0ONCALL>"))
    assert time.perf_counter() - began < 2
