"""What people paste of host `omen2`, as the runbook's commands show it."""

from __future__ import annotations

_UNITS = "systemctl list-unit-files '*swap*' '*zram*'"
SWAPS_OFF = f"""root@omen2:~# tail -n +1 /proc/swaps /etc/fstab
==> /proc/swaps <==
Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority

==> /etc/fstab <==
UUID=6a1f-22 / ext4 defaults 0 1
#/swapfile none swap sw 0 0
root@omen2:~# {_UNITS}
UNIT FILE   STATE  PRESET
swap.target masked -

1 unit files listed.
"""
SWAPS_ON = SWAPS_OFF.replace("Priority\n", "Priority\n/swapfile      file\t\t33554428\t0\t\t-2\n")
COMES_BACK = {
    "in fstab": SWAPS_OFF.replace("#/swapfile", "/swapfile"),
    "a unit": SWAPS_OFF.replace("masked", "static"),
    "no units": SWAPS_OFF.partition(f"root@omen2:~# {_UNITS}")[0],
}
#: The commands before those, as the card lists them: what they print is nobody's evidence.
SESSION = r"""root@omen2:~# sudo systemctl stop kubelet
root@omen2:~# free -m
               total        used        free      shared  buff/cache   available
Mem:          128808       21404       88123         412       19281      106201
Swap:          32767           0       32767
root@omen2:~# sudo swapoff -a
root@omen2:~# sudo sed -i.bak '/\sswap\s/s/^#*/#/' /etc/fstab
root@omen2:~# sudo systemctl mask swap.target
Created symlink /etc/systemd/system/swap.target → /dev/null.
root@omen2:~# sudo systemctl daemon-reload
"""
ACTIVE = "root@omen2:~# systemctl is-active kubelet\nactive\n"
CUDA_NONE = """root@omen2:~# nvidia-smi --query-compute-apps=pid,name --format=csv
pid, process_name
root@omen2:~# """
