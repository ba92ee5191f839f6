"""What people paste where all is well, and what a probe says of a paste that was read strictly."""

from __future__ import annotations

from bot.adapters.files.outputs import outputs_of
from bot.model.findings import Reporter
from bot.model.snapshot import Snapshot
from bot.remedy.probes import ProbeAnswer
from bot.remedy.runbook import Probe
from tests.remedy.probes.asking import asked
from tests.support.lab import AT

TAIL = "tail -n +1 /proc/swaps /etc/fstab"
LIST = "systemctl list-unit-files '*swap*' '*zram*'"
IS_ACTIVE = "systemctl is-active kubelet"
QUERY = "nvidia-smi --query-compute-apps=pid,name --format=csv"
WANTED = {Probe.SWAP_OFF: f"{TAIL}\n{LIST}", Probe.KUBELET_ACTIVE: IS_ACTIVE, Probe.CUDA_STOPPED: QUERY}

HEAD = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority"
FILE = "/swapfile                               file\t\t33554428\t0\t\t-2"
TARGET = "swap.target                 masked   enabled"
NOTED = "#/swapfile none swap sw 0 0"
#: As GNU tail 9.1 and systemctl 252 print it.
WHOLE = f"""gpu@omen2:~$ {TAIL}
==> /proc/swaps <==
{HEAD}

==> /etc/fstab <==
# /etc/fstab: static file system information.
UUID=1234 / ext4 defaults 0 1
nas:/x /mnt cifs rw
{NOTED}
gpu@omen2:~$ {LIST}
UNIT FILE                   STATE    PRESET
systemd-zram-setup@.service static   -
dev-zram0.swap              masked   enabled
{TARGET}

3 unit files listed.
"""
PROMPT = "gpu@omen2:~$ "
ACTIVE = f"{PROMPT}{IS_ACTIVE}\nactive\n"
NO_CUDA = f"{PROMPT}{QUERY}\npid, process_name\n{PROMPT}"


def told(probe: Probe, paste: str) -> ProbeAnswer:
    shown = outputs_of(paste, nodes=("omen2", "omen3"), node="omen2", reporter=Reporter("U0ANN", AT))
    return asked(probe, Snapshot(at=AT, outputs=shown), command=WANTED[probe])
