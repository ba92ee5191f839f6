"""Text that only a host or a container knows: journals, kernel logs, `/proc/swaps`, pod logs."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from bot.model.findings import Reporter
from bot.model.refs import Ref


class HostSource(StrEnum):
    """Which text of a host this is; a journal carries its unit in `HostText.unit`."""

    JOURNAL = "journal"
    DMESG = "dmesg"
    SWAPS = "host:/proc/swaps"
    FSTAB = "host:/etc/fstab"
    UNIT_FILES = "host:systemctl list-unit-files"
    GPU_PROCESSES = "host:nvidia-smi"


#: In the place of a boot's id: a boot without one that was over before the text was.
ENDED_BOOT = "ended"


class HostText(msgspec.Struct, frozen=True, kw_only=True):
    """A text of one node's host, from a dump, a file or a paste.

    `reporter` is the person who pasted it, None where the bot read it from a dump.
    `boot` is the boot id that the text names, empty where it names none, `ENDED_BOOT` where another boot follows.
    """

    node: str
    source: HostSource
    text: str
    unit: str = ""
    boot: str = ""
    reporter: Reporter | None = None

    @property
    def label(self) -> str:
        """The evidence source: `journal:kubelet`, `dmesg`, `host:/proc/swaps`."""
        return f"{self.source.value}:{self.unit}" if self.unit else self.source.value


class Output(msgspec.Struct, frozen=True, kw_only=True):
    """What stands in a pasted terminal from one beginning (a prompt, a head) to the next, nothing left out.

    `source` is what the prompt's command or the head says, None where neither is known; `command` is empty where no
    prompt was pasted, `node` where nothing names one. `shell` is whose shell showed it, as far as the paste tells: a
    node, a machine that is none, a container; only what stands in the node's own shell is its evidence. `lines` are
    those that are not blank, the head among them; a prompt below which nothing is written has none.
    """

    node: str = ""
    shell: str = ""
    command: str = ""
    source: HostSource | None = None
    lines: tuple[str, ...] = ()
    reporter: Reporter | None = None


class PodLog(msgspec.Struct, frozen=True, kw_only=True):
    """The log of one container; `previous` is the one of its last run."""

    pod: Ref
    container: str
    text: str
    previous: bool = False
