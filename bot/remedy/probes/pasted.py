"""What a person pastes from a host that the bot cannot reach: swap, the kubelet's unit, CUDA processes.

Good evidence attests a step, it never verifies one. The newest text of each kind counts.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

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
#: A line of fstab(5) that turns swap on at boot; `noauto` does not.
_FSTAB_SWAP = re.compile(r"^\s*[^#\s]\S*\s+\S+\s+swap\s+(?!\S*\bnoauto\b)\S+")
#: The header of `nvidia-smi --query-compute-apps=pid,...`, and the words of its table where nothing runs.
_CUDA_HEAD = re.compile(r"^\s*pid\s*,", re.IGNORECASE)
_CUDA_NONE = re.compile(r"No running processes found")
_CUDA_LINE = re.compile(r"^\s*\d+\s*,")
_ACTIVE = re.compile(r"^(?:\s*Active:\s+)?(?P<state>active|activating|deactivating|inactive|failed|reloading)\b")
_OLDEST = datetime.min.replace(tzinfo=UTC)


def _swap(snapshot: Snapshot, call: ProbeCall, target: Ref) -> ProbeAnswer:
    node = _node(call, target)
    swaps = _newest(snapshot, node, HostSource.SWAPS)
    lines = _after(swaps.text, _SWAPS_HEAD) if swaps else None
    fstab = _newest(snapshot, node, HostSource.FSTAB)
    returns = [line for line in fstab.text.splitlines() if _FSTAB_SWAP.match(line)] if fstab else []
    still = [
        line
        for line in (lines if lines is not None else swaps.text.splitlines() if swaps else [])
        if _SWAPS_LINE.match(line)
    ]
    if swaps and still:
        return not_yet("repair-swap-still-on", _values(node, still), *_evidence(swaps, still))
    if fstab and returns:
        return not_yet("repair-swap-returns", _values(node, returns), *_evidence(fstab, returns))
    if swaps is None or lines is None:
        return _not_pasted(node, HostSource.SWAPS.value)
    head = [line for line in swaps.text.splitlines() if _SWAPS_HEAD.match(line)][-1:]
    return holds("repair-swap-off", _values(node, head), *_evidence(swaps, head))


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
    running = [line for line in (text.text.splitlines() if lines is None else lines) if _CUDA_LINE.match(line)]
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


#: No swap device is in use, zram included, and none comes back at boot as far as fstab was pasted.
SWAP_OFF = Question(ask=_swap, may=frozenset({"node"}))
#: systemd calls the kubelet active; in a crash loop it says `activating`.
KUBELET_ACTIVE = Question(ask=_kubelet, may=frozenset({"node"}))
#: The driver lists no process that computes.
CUDA_STOPPED = Question(ask=_cuda, may=frozenset({"node"}))
