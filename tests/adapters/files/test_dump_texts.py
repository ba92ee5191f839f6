"""Axes: kind of a text (journal, log, dmesg, swaps, fstab), whose its name says it is, encoding, boots."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.adapters.files.dump import DumpCluster
from bot.model.refs import Ref
from bot.model.sections import Unknown, UnknownReason
from tests.adapters.files.dumps import names
from tests.support.objects import listed, node, write


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_files_in_every_usual_encoding(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "Journal").mkdir()
    (tmp_path / "nodes.JSON").write_bytes(json.dumps(listed(node("a"))).encode(encoding))
    (tmp_path / "Journal" / "a_k3s.LOG").write_bytes("running with swap on".encode(encoding))
    assert names(tmp_path) == ["a"]
    cluster = DumpCluster(tmp_path, "lab")
    assert [(one.label, one.text) for one in cluster.texts()] == [("journal:kubelet", "running with swap on")]


def test_logs_are_found_by_pod_container_and_run(tmp_path: Path) -> None:
    write(tmp_path, "logs/gpu-operator_plugin-x_main.log", "now")
    write(tmp_path, "logs/gpu-operator_plugin-x_main.previous.log", "before")
    cluster = DumpCluster(tmp_path, "lab")
    pod = Ref("pod", "plugin-x", "gpu-operator")
    texts = [cluster.pod_log(pod, "main", previous=previous) for previous in (False, True)]
    assert [getattr(one, "text", None) for one in texts] == ["now", "before"]
    assert cluster.pod_log(pod, "other") == Unknown(UnknownReason.NOT_COLLECTED, f"{pod} other")


@pytest.mark.parametrize("file", ["logs/pod_main.log", "logs/a_b_c_d.log", "journal/omen2.log", "journal/_kubelet.log"])
def test_a_text_whose_name_does_not_say_whose_it_is_is_left_out_and_named(tmp_path: Path, file: str) -> None:
    path = write(tmp_path, file, "x")
    cluster = DumpCluster(tmp_path, "lab")
    ((told, why),) = [(one.path, one.why) for one in cluster.unread]
    assert (told, why.startswith("file-name "), cluster.texts()) == (str(path), True, ())


@pytest.mark.parametrize(
    ("file", "host", "label"),
    [
        ("journal/omen2_kubelet.log", "omen2", "journal:kubelet"),
        ("journal/omen2_kubelet.service.log", "omen2", "journal:kubelet"),
        ("journal/ip-10-0-0-1.ec2.internal_my_unit.log", "ip-10-0-0-1.ec2.internal", "journal:my_unit"),
        ("dmesg/ip-10-0-0-1.ec2.internal.log", "ip-10-0-0-1.ec2.internal", "dmesg"),
        ("swaps/omen2.txt", "omen2", "host:/proc/swaps"),
        ("fstab/omen2.lab.txt", "omen2.lab", "host:/etc/fstab"),
    ],
)
def test_texts_of_hosts(tmp_path: Path, file: str, host: str, label: str) -> None:
    write(tmp_path, file, "line")
    cluster = DumpCluster(tmp_path, "lab")
    (text,) = cluster.texts()
    assert (text.node, text.label, text.text, text.reporter) == (host, label, "line", None)
    assert cluster.texts([host]) == (text,)
    assert cluster.texts(["another"]) == ()


def test_bytes_that_are_no_utf_8_are_replaced(tmp_path: Path) -> None:
    path = write(tmp_path, "journal/omen2_kubelet.log", "")
    path.write_bytes(b"swap \xff\xfe on")
    assert "swap " in DumpCluster(tmp_path, "lab").texts()[0].text


def test_a_journal_is_taken_apart_by_boot(tmp_path: Path) -> None:
    boots = "a" * 32, "b" * 32
    write(tmp_path, "journal/omen2_kubelet.log", f"-- Boot {boots[0]} --", "old", f"-- Boot {boots[1]} --", "new")
    assert [(one.boot, one.text) for one in DumpCluster(tmp_path, "lab").texts()] == [
        (boots[0], "old"),
        (boots[1], "new"),
    ]
