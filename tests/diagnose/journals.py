"""Journals of a kubelet that died of one thing or another, and what they are read beside."""

from typing import Any

from bot.adapters.files.knowledge import load_knowledge
from bot.diagnose.run import Answers
from bot.diagnose.text import read_texts
from bot.model.findings import Blind, Code, Finding
from bot.model.hosttext import HostText
from bot.model.refs import CLUSTER
from bot.model.refs import node as node_ref
from bot.model.snapshot import Snapshot
from tests.support.lab import cluster, gpu_node, journal

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
