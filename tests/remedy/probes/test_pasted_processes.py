"""What a person pastes to attest that the kubelet runs, or that no CUDA process does: the axes are the command, what it
shows, and what else stands in the paste."""

from __future__ import annotations

import pytest

from bot.remedy.runbook import Probe
from tests.remedy.probes.pasting import ACTIVE, IS_ACTIVE, NO_CUDA, PROMPT, QUERY, told

TABLE_ROW = "|    0   N/A  N/A      4242      C   python                          20000MiB |"
TABLE_NONE = "|  No running processes found                                                 |"
FUSER = "                     USER        PID ACCESS COMMAND\n/dev/nvidia0:        root       4242 F...m python"
STATUS = "\N{BLACK CIRCLE} kubelet.service - kubelet\n     Active: "


@pytest.mark.parametrize(
    ("paste", "why"),
    [
        (f"{PROMPT}{IS_ACTIVE}\nactivating", "repair-kubelet-not-active"),
        (f"{PROMPT}{IS_ACTIVE}\ninactive", "repair-kubelet-not-active"),
        (f"{PROMPT}{IS_ACTIVE}\nfailed", "repair-kubelet-not-active"),
        (f"{PROMPT}{IS_ACTIVE}\nactivating\nactive", "repair-kubelet-not-active"),
        (f"{ACTIVE}{PROMPT}{IS_ACTIVE}\nactivating", "repair-kubelet-not-active"),
        (f"{PROMPT}{IS_ACTIVE} containerd\nactivating\nactive", "repair-kubelet-not-active"),
        (f"{PROMPT}{IS_ACTIVE}; systemctl is-active containerd\nfailed\nactive", "repair-kubelet-not-active"),
        (f"{ACTIVE}{PROMPT}systemctl status kubelet\n{STATUS}activating (auto-restart)", "repair-kubelet-not-active"),
        (f"{ACTIVE}{PROMPT}./look.sh\n{STATUS}failed (Result: exit-code)", "repair-kubelet-not-active"),
        (f"{PROMPT}{IS_ACTIVE} containerd\nactive\nactive", "repair-paste-odd"),
        (f"{PROMPT}systemctl status kubelet\n{STATUS}active (running) since Mon 2020-01-06", "repair-paste-odd"),
        (
            f"{ACTIVE}{PROMPT}systemctl status kubelet\n{STATUS}active (running) since Mon 2020-01-06",
            "repair-paste-odd",
        ),
        (f"{PROMPT}systemctl is-active containerd\nactive", "repair-paste-odd"),
        (f"{PROMPT}systemctl is-active kubelet || echo active\nactive", "repair-paste-odd"),
        (f"{PROMPT}{IS_ACTIVE}\nactive it is not", "repair-paste-odd"),
        ("active", "repair-paste-odd"),
        (f"{ACTIVE}and now?", "repair-paste-odd"),
        (f"{PROMPT}{IS_ACTIVE}\nactive\nactive", "repair-not-pasted"),
        (f"{PROMPT}{IS_ACTIVE}\n", "repair-not-pasted"),
        (f"{PROMPT}sudo systemctl start kubelet\n", "repair-not-pasted"),
        ("", "repair-not-pasted"),
    ],
)
def test_a_kubelet_that_is_not_known_to_be_active_now(paste: str, why: str) -> None:
    said = told(Probe.KUBELET_ACTIVE, paste)
    assert (said.holds, said.why) == (False, why)
    assert why == "repair-kubelet-not-active" or said.values["command"] == IS_ACTIVE


@pytest.mark.parametrize(
    ("paste", "why"),
    [
        *(
            (NO_CUDA.replace("process_name\n", f"process_name\n{row}\n"), why)
            for row, why in (
                ("4242, /usr/bin/python3", "repair-cuda-runs"),
                ("4242, [Insufficient Permissions]", "repair-cuda-runs"),
                ("4242,python", "repair-cuda-runs"),
                ("4242, ", "repair-cuda-runs"),
                ("  4242, python", "repair-cuda-runs"),
                ("[Not Supported], python", "repair-paste-odd"),
                ("- 4242, python", "repair-paste-odd"),
                ('"4242", "python"', "repair-paste-odd"),
                ("Unable to determine the device handle for GPU0000:01:00.0: Unknown Error", "repair-paste-odd"),
                ("No devices were found", "repair-paste-odd"),
            )
        ),
        (f"{PROMPT}sudo fuser -v /dev/nvidia*\n{FUSER}\n{NO_CUDA}", "repair-cuda-runs"),
        (f"{PROMPT}./look.sh\n{FUSER}\n{NO_CUDA}", "repair-cuda-runs"),
        (f"{PROMPT}fuser /dev/nvidia0\n 4242\n{NO_CUDA}", "repair-paste-odd"),
        (f"{NO_CUDA}nvidia-smi\n{TABLE_ROW}\n{TABLE_NONE}\n", "repair-cuda-runs"),
        (f"{NO_CUDA}nvidia-smi\n{TABLE_NONE}\n", "repair-paste-odd"),
        (f"{PROMPT}nvidia-smi\n{TABLE_NONE}\n{PROMPT}", "repair-paste-odd"),
        (f"{PROMPT}{QUERY} | head -1\npid, process_name\n{PROMPT}", "repair-paste-odd"),
        (f"{PROMPT}nvidia-smi --query-compute-apps=name,pid --format=csv\nname, pid\n{PROMPT}", "repair-paste-odd"),
        (f"{PROMPT}{QUERY}\nbash: nvidia-smi: command not found\n{PROMPT}", "repair-paste-odd"),
        (f"{PROMPT}{QUERY}\npid, process_name\n", "repair-not-pasted"),
        ("pid, process_name\n", "repair-not-pasted"),
        (f"{PROMPT}{QUERY}\n{PROMPT}", "repair-not-pasted"),
        ("", "repair-not-pasted"),
    ],
)
def test_cuda_that_is_not_known_to_be_stopped(paste: str, why: str) -> None:
    said = told(Probe.CUDA_STOPPED, paste)
    assert (said.holds, said.why) == (False, why)
    assert why == "repair-cuda-runs" or said.values["command"] == QUERY
