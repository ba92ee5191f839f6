"""What a person pastes from a host that the bot cannot reach: swap, the kubelet's unit, CUDA processes.

Good evidence attests a step, it never verifies one. The newest text of each kind counts. What is wanted and not shown
is never called fine.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from bot.model.findings import Evidence
from bot.model.hosttext import HostSource, HostText
from bot.model.refs import Ref
from bot.model.snapshot import Snapshot
from bot.remedy.probes.answer import ProbeAnswer, Question, cannot_tell, holds, not_yet
from bot.remedy.probes.objects import asked
from bot.remedy.runbook import ProbeCall

#: The first line of /proc/swaps (proc_swaps(5)) and of `swapon --show` (swapon(8)).
_SWAPS_HEAD = re.compile(r"^\s*(?:Filename\s+Type|NAME\s+TYPE)\b")
_SWAPS_LINE = re.compile(r"^\s*/\S+")
#: What tail(1) writes over a file of several, so that the file is known to be shown from its beginning.
_FSTAB_HEAD = re.compile(r"^==> /etc/fstab <==$")
#: A line of fstab(5) that turns swap on at boot; `noauto` does not. The options may be left out.
_FSTAB_SWAP = re.compile(r"^\s*[^#\s]\S*\s+\S+\s+swap(?!\s+\S*\bnoauto\b)(?=\s|$)")
#: First line, rows and last line of `systemctl list-unit-files` (systemctl(1)).
_UNIT_HEAD = re.compile(r"^\s*UNIT FILE\s+STATE\b")
_UNIT_ROW = re.compile(r"^\s*(?P<unit>\S+)\.(?P<kind>swap|service|target)\s+(?P<state>[a-z-]+)\b")
_UNIT_COUNT = re.compile(r"^\s*(?P<count>\d+) unit files listed\.")
#: States in which a swap unit is not started at boot; a mask in /run is gone by then.
_STAYS_OFF = frozenset({"masked", "disabled"})
#: States in which another unit turns on whatever it is for; of a service that others call up, the swap unit tells.
_COMES = frozenset({"enabled", "enabled-runtime", "generated"})
#: The header of `nvidia-smi --query-compute-apps=pid,...`, and the words of its table where nothing runs.
_CUDA_HEAD = re.compile(r"^\s*pid\s*,", re.IGNORECASE)
_CUDA_NONE = re.compile(r"No running processes found")
_CUDA_LINE = re.compile(r"^\s*\d+\s*,")
_ACTIVE = re.compile(r"^(?:\s*Active:\s+)?(?P<state>active|activating|deactivating|inactive|failed|reloading)\b")
_OLDEST = datetime.min.replace(tzinfo=UTC)


def _swap(snapshot: Snapshot, call: ProbeCall, target: Ref) -> ProbeAnswer:
    node = _node(call, target)
    seen: list[Evidence] = []
    told: list[str] = []
    unseen = ""
    for look in _SWAP_LOOKS:
        text = _newest(snapshot, node, look.source)
        shown = _after(text.text, look.head) if text else None
        found = [line for line in _or_all(text, shown) if look.is_on(line)]
        if text and found:
            return not_yet(look.why, _values(node, found), *_evidence(text, found))
        whole = look.whole(shown) if shown is not None else None
        if text is None or whole is None:
            unseen = unseen or look.source.value
            continue
        head = [line for line in text.text.splitlines() if look.head.match(line)][-1]
        seen += _evidence(text, [head, *whole])
        told += whole
    if unseen:
        return _not_pasted(node, unseen)
    return holds("repair-swap-off", _values(node, told), *seen)


def _is_swap(line: str) -> bool:
    return _SWAPS_LINE.match(line) is not None


def _is_in_fstab(line: str) -> bool:
    return _FSTAB_SWAP.match(line) is not None


def _turns_on(line: str) -> bool:
    """Whether a unit file of the list turns swap on at the next boot."""
    row = _UNIT_ROW.match(line)
    if row is None:
        return False
    if row["kind"] == "swap" or (row["unit"], row["kind"]) == ("swap", "target"):
        return row["state"] not in _STAYS_OFF
    return row["state"] in _COMES


def _about_swap(lines: Sequence[str]) -> list[str]:
    """Lines worth quoting of a file. One that begins counts as shown to its end, which nothing in it marks."""
    return [line for line in lines if "swap" in line]


def _whole_list(lines: Sequence[str]) -> list[str] | None:
    """The rows of unit files and the line that counts them; None unless there are as many as it says."""
    rows = [line for line in lines if _UNIT_ROW.match(line)]
    counts = [hit for line in lines if (hit := _UNIT_COUNT.match(line))]
    return [*rows, counts[-1].string] if counts and int(counts[-1]["count"]) == len(rows) else None


class _Look(NamedTuple):
    """One text that shows whether swap is on or comes back.

    `head` begins it; `is_on` finds the lines that say so, for the reason `why`; `whole` gives the further lines that
    prove that all of it is there, None where some is missing.
    """

    source: HostSource
    head: re.Pattern[str]
    why: str
    is_on: Callable[[str], bool]
    whole: Callable[[Sequence[str]], list[str] | None] = _about_swap


_SWAP_LOOKS = (
    _Look(HostSource.SWAPS, _SWAPS_HEAD, "repair-swap-still-on", _is_swap),
    _Look(HostSource.FSTAB, _FSTAB_HEAD, "repair-swap-returns", _is_in_fstab),
    _Look(HostSource.UNIT_FILES, _UNIT_HEAD, "repair-swap-unit-returns", _turns_on, _whole_list),
)


def _kubelet(snapshot: Snapshot, call: ProbeCall, target: Ref) -> ProbeAnswer:
    node = _node(call, target)
    text = _newest(snapshot, node, HostSource.JOURNAL, "kubelet")
    states = [hit for line in text.text.splitlines() if (hit := _ACTIVE.match(line))] if text else []
    if text is None or not states:
        return _not_pasted(node, "systemctl is-active kubelet")
    said = states[-1]
    answer = holds if said["state"] == "active" else not_yet
    why = "repair-kubelet-active" if said["state"] == "active" else "repair-kubelet-not-active"
    return answer(why, _values(node, [said["state"]]), *_evidence(text, [said.string]))


def _cuda(snapshot: Snapshot, call: ProbeCall, target: Ref) -> ProbeAnswer:
    node = _node(call, target)
    text = _newest(snapshot, node, HostSource.GPU_PROCESSES)
    if text is None:
        return _not_pasted(node, HostSource.GPU_PROCESSES.value)
    lines = _after(text.text, _CUDA_HEAD)
    running = [line for line in _or_all(text, lines) if _CUDA_LINE.match(line)]
    if running:
        return not_yet("repair-cuda-runs", _values(node, running), *_evidence(text, running))
    said = [line for line in text.text.splitlines() if _CUDA_NONE.search(line) or _CUDA_HEAD.match(line)][-1:]
    if not said:
        return _not_pasted(node, HostSource.GPU_PROCESSES.value)
    return holds("repair-cuda-stopped", _values(node, said), *_evidence(text, said))


def _node(call: ProbeCall, target: Ref) -> str:
    ref = asked(call, target, "node")
    return ref.name if isinstance(ref, Ref) else target.name


def _newest(snapshot: Snapshot, node: str, source: HostSource, unit: str = "") -> HostText | None:
    texts = [one for one in snapshot.host_texts if (one.node, one.source) == (node, source) and unit in (one.unit, "")]
    return max(texts, key=lambda one: (_when(one), texts.index(one)), default=None)


def _when(text: HostText) -> datetime:
    return (text.reporter.at if text.reporter else None) or _OLDEST


def _after(text: str, head: re.Pattern[str]) -> list[str] | None:
    """The lines after the last header; None where there is none: then the text may be the middle of something."""
    lines = text.splitlines()
    places = [place for place, line in enumerate(lines) if head.match(line)]
    return lines[places[-1] + 1 :] if places else None


def _or_all(text: HostText | None, lines: list[str] | None) -> list[str]:
    """These lines, or without a header all that there are: what is bad is bad in any piece."""
    return lines if lines is not None else text.text.splitlines() if text else []


def _values(node: str, lines: list[str]) -> dict[str, str]:
    return {"name": node, "lines": "; ".join(" ".join(line.split()) for line in lines)}


def _evidence(text: HostText, lines: list[str]) -> tuple[Evidence, ...]:
    when = text.reporter.at if text.reporter else None
    return tuple(
        Evidence(
            source=text.label, object=Ref("node", text.node), quote=line.strip(), last_seen=when, reporter=text.reporter
        )
        for line in lines
    )


def _not_pasted(node: str, source: str) -> ProbeAnswer:
    return cannot_tell("repair-not-pasted", {"name": node, "source": source})


SWAP_OFF = Question(
    holds_when="No swap device is in use, zram included, and neither fstab nor a unit file of that name turns one on "
    "at boot; what else may, these texts do not show.",
    ask=_swap,
    may=frozenset({"node"}),
)
KUBELET_ACTIVE = Question(
    holds_when="systemd calls the kubelet `active`; in a crash loop it says `activating`.",
    ask=_kubelet,
    may=frozenset({"node"}),
)
CUDA_STOPPED = Question(holds_when="The driver lists no process that computes.", ask=_cuda, may=frozenset({"node"}))
