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
ACTIVE = "root@omen2:~# systemctl is-active kubelet\nactive\n"
