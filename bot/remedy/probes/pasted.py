"""What a person pastes from a host that the bot cannot reach: swap, the kubelet's unit, CUDA processes.

Good evidence attests a step, it never verifies one. A paste is good only where the whole of each wanted output is there
and every line of it is understood. What shows the danger is refused before that is asked, wherever it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from bot.model.findings import Evidence
from bot.model.hosttext import HostSource, Output
from bot.model.refs import Ref
from bot.model.snapshot import Snapshot
from bot.remedy.probes.answer import ProbeAnswer, Question, cannot_tell, holds, not_yet
from bot.remedy.probes.objects import asked
from bot.remedy.runbook import ProbeCall

#: What tail(1) writes over each of several files.
_SWAPS_FILE = re.compile(r"==> /proc/swaps <==")
_FSTAB_FILE = re.compile(r"==> /etc/fstab <==")
#: The first line of /proc/swaps (proc_swaps(5)), and a row that stands anywhere in a line.
_SWAPS_HEAD = re.compile(r"Filename\s+Type\s+Size\s+Used\s+Priority")
_SWAPS_ROW = re.compile(r"/\S.*\s(?:file|partition)\s+\d")
#: Lines of fstab(5). What is cut off may look like something else: a mount must have its options.
_FSTAB_COMMENT = re.compile(r"\s*#.*")
_FSTAB_MOUNT = re.compile(
    r"\s*(?:/\S*|\w+=\S+|[\w.-]+:\S*|\[[\da-f:]+\]\S*|[A-Za-z][\w.@=/-]*)\s+/\S*"
    r"\s+(?!swap\s|none\s+(?!\S*bind))[\w.-]+\s+(?!swap(?:\s|$))\S+(?:\s+\d+){0,2}(?:\s+#.*)?"
)
#: Swap that is off at boot, and swap that is on.
_FSTAB_NOAUTO = re.compile(r"\s*[^#\s]\S*\s+\S+\s+swap\s+(?:\S+,)?noauto(?:,\S+)?(?:\s+\d+){0,2}")
_FSTAB_SWAP = re.compile(r"\s*[^#\s].*?\s(?:none|swap|/\S*)\s+swap(?:\s|$)")
#: First line, rows (name, state, what the vendor presets) and last line of `systemctl list-unit-files` (systemctl(1)).
_UNIT_HEAD = re.compile(r"\s*UNIT FILE\s+STATE(?:\s+(?:VENDOR )?PRESET)?")
_UNIT_ROW = re.compile(
    r"\s*(?P<unit>[\w@.:\\-]+)\.(?P<kind>automount|device|mount|path|scope|service|slice|socket|swap|target|timer)"
    r"\s+(?P<state>enabled|disabled|masked|linked|static|indirect|generated|transient|alias|bad"
    r"|enabled-runtime|masked-runtime|linked-runtime)(?:\s+(?:enabled|disabled|ignored|-))?"
)
_UNIT_COUNT = re.compile(r"\s*(?P<count>\d+) unit files listed\.")
#: States in which a swap unit is not started at boot; a mask in /run is gone by then.
_STAYS_OFF = frozenset({"masked", "disabled"})
#: States in which another unit turns on whatever it is for; of a service that others call up, the swap unit tells.
_COMES = frozenset({"enabled", "enabled-runtime", "generated"})
#: What `systemctl is-active` says. Of what `status` says only the bad counts: its "since" is in the host's own zone, so
#: it does not prove that the kubelet was started after the step was offered.
_ACTIVE = re.compile(r"\s*active")
_NOT_ACTIVE = re.compile(
    r"\s*(?:activating|deactivating|inactive|failed|reloading|refreshing|maintenance|Active:\s+(?!active\b).*)"
)
#: The header of `nvidia-smi --query-compute-apps=pid,name --format=csv`; a row of it, of nvidia-smi's table, and of
#: `fuser -v`.
_CUDA_HEAD = re.compile(r"pid, (?:process_)?name")
_CUDA_ROW = re.compile(r"\s*\d+\s*,.*|\|.*\s\d+\s+(?:C|G|M|C\+G|M\+C)\s.*|\s*/dev/nvidia\S*:\s*\S.*")
#: How much of a paste is quoted back in a refusal: lines, and letters of each.
_MOST_LINES, _MOST_LETTERS = 5, 120


class _Look(NamedTuple):
    """One output that shows whether the danger is there.

    `shows` is what stands in a command that writes it. `is_bad` finds the lines that show the danger, for the reason
    `why`; `fine` are those that are understood and show none. `is_whole` tells whether all of the output at this place
    is there: then what `told` finds in it is quoted.
    """

    source: HostSource
    shows: str
    why: str
    is_bad: Callable[[str], bool]
    fine: tuple[re.Pattern[str], ...]
    is_whole: Callable[[Sequence[Output], int], bool]
    told: re.Pattern[str]
    unit: str = ""

    @property
    def label(self) -> str:
        """As a source of evidence, named as `HostText` names it."""
        return f"{self.source}:{self.unit}" if self.unit else self.source.value

    def odd(self, output: Output) -> list[str]:
        """The lines that are not understood."""
        return [line for line in output.lines if not any(one.fullmatch(line) for one in self.fine)]


def _is_swap(line: str) -> bool:
    return _SWAPS_ROW.search(line) is not None


def _is_in_fstab(line: str) -> bool:
    return _FSTAB_SWAP.match(line) is not None and _FSTAB_NOAUTO.fullmatch(line) is None


def _turns_on(line: str) -> bool:
    """Whether a unit file of the list turns swap on at the next boot."""
    row = _UNIT_ROW.fullmatch(line)
    if row is None:
        return False
    if row["kind"] == "swap" or (row["unit"], row["kind"]) == ("swap", "target"):
        return row["state"] not in _STAYS_OFF
    return row["state"] in _COMES


def _is_not_active(line: str) -> bool:
    return _NOT_ACTIVE.fullmatch(line) is not None


def _runs(line: str) -> bool:
    return _CUDA_ROW.fullmatch(line) is not None


def _whole_swaps(outputs: Sequence[Output], place: int) -> bool:
    """Both heads, and below them the head of the file that the same command shows next."""
    one, *after = outputs[place : place + 2]
    return _begins(one, _SWAPS_FILE, _SWAPS_HEAD) and any(
        next_.command == one.command and _begins(next_, _FSTAB_FILE) for next_ in after
    )


def _whole_fstab(outputs: Sequence[Output], place: int) -> bool:
    """From its head to whatever stands below it: nothing within it marks its end."""
    return _begins(outputs[place], _FSTAB_FILE) and place + 1 < len(outputs)


def _whole_list(outputs: Sequence[Output], place: int) -> bool:
    """Below the head as many rows as the last line says, and among them what every systemd has (swap.target(7))."""
    lines = outputs[place].lines
    last = _UNIT_COUNT.fullmatch(lines[-1])
    rows = [row for line in lines if (row := _UNIT_ROW.fullmatch(line))]
    is_asked = any((row["unit"], row["kind"]) == ("swap", "target") for row in rows)
    return _begins(outputs[place], _UNIT_HEAD) and is_asked and last is not None and int(last["count"]) == len(rows)


def _whole_word(outputs: Sequence[Output], place: int) -> bool:
    """Below the prompt with the wanted command, which writes one word for each unit."""
    return bool(outputs[place].command) and len(outputs[place].lines) == 1


def _whole_table(outputs: Sequence[Output], place: int) -> bool:
    """From the prompt with the wanted command to whatever stands below it: nothing within it marks its end."""
    return _whole_word(outputs, place) and place + 1 < len(outputs)


def _begins(output: Output, *heads: re.Pattern[str]) -> bool:
    lines = output.lines[: len(heads)]
    return len(lines) == len(heads) and all(head.fullmatch(line) for head, line in zip(heads, lines, strict=True))


_SWAP_LOOKS = (
    _Look(
        source=HostSource.SWAPS,
        shows="/proc/swaps",
        why="repair-swap-still-on",
        is_bad=_is_swap,
        fine=(_SWAPS_FILE, _SWAPS_HEAD),
        is_whole=_whole_swaps,
        told=_SWAPS_HEAD,
    ),
    _Look(
        source=HostSource.FSTAB,
        shows="/etc/fstab",
        why="repair-swap-returns",
        is_bad=_is_in_fstab,
        fine=(_FSTAB_FILE, _FSTAB_COMMENT, _FSTAB_MOUNT, _FSTAB_NOAUTO),
        is_whole=_whole_fstab,
        told=re.compile(rf"{_FSTAB_FILE.pattern}|.*swap.*"),
    ),
    _Look(
        source=HostSource.UNIT_FILES,
        shows="list-unit-files",
        why="repair-swap-unit-returns",
        is_bad=_turns_on,
        fine=(_UNIT_HEAD, _UNIT_ROW, _UNIT_COUNT),
        is_whole=_whole_list,
        told=re.compile(r".*"),
    ),
)
_KUBELET_LOOKS = (
    _Look(
        source=HostSource.JOURNAL,
        unit="kubelet",
        shows="is-active",
        why="repair-kubelet-not-active",
        is_bad=_is_not_active,
        fine=(_ACTIVE,),
        is_whole=_whole_word,
        told=_ACTIVE,
    ),
)
_CUDA_LOOKS = (
    _Look(
        source=HostSource.GPU_PROCESSES,
        shows="nvidia-smi",
        why="repair-cuda-runs",
        is_bad=_runs,
        fine=(_CUDA_HEAD,),
        is_whole=_whole_table,
        told=_CUDA_HEAD,
    ),
)
#: Heads prove that an output is there, and say nothing in a sentence.
_HEADS = (_SWAPS_HEAD, _FSTAB_FILE, _UNIT_HEAD)


def _judged(looks: Sequence[_Look], good: str, snapshot: Snapshot, call: ProbeCall, target: Ref) -> ProbeAnswer:
    """The danger first, then what is not understood, then what is missing; it is good where there is none of these."""
    ref = asked(call, target, "node")
    name = ref.name if isinstance(ref, Ref) else target.name
    ours = [one for one in snapshot.outputs if one.node == name]
    for look in looks:
        bad = [(one, line) for one in _of(look, looks, ours) for line in one.lines if look.is_bad(line)][:_MOST_LINES]
        if bad:
            said = [line for _, line in bad]
            return not_yet(look.why, _values(name, said), *(_quoted(look, one, line) for one, line in bad))
    for one in ours:
        look_at = next((look for look in looks if look.source is one.source), None)
        if odd := _odd(one, look_at, call):
            return cannot_tell("repair-paste-odd", {**_values(name, odd[:1]), "command": _command(look_at, call)})
    seen: list[Evidence] = []
    for look in looks:
        whole = [one for place, one in enumerate(ours) if one.source is look.source and look.is_whole(ours, place)]
        if not whole:
            return cannot_tell("repair-not-pasted", {"name": name, "command": _command(look, call)})
        seen += [_quoted(look, whole[-1], line) for line in whole[-1].lines if look.told.fullmatch(line)]
    told = [one.quote for one in seen if not any(head.fullmatch(one.quote) for head in _HEADS)]
    return holds(good, _values(name, told), *seen)


def _of(look: _Look, looks: Sequence[_Look], outputs: Sequence[Output]) -> list[Output]:
    """Where its danger may stand: in its own output, and in any that is of none of the looks."""
    others = {one.source for one in looks} - {look.source}
    return [one for one in outputs if one.source not in others]


def _odd(output: Output, look: _Look | None, call: ProbeCall) -> list[str]:
    """What is not understood of an output. That of an unwanted command counts only if it is of what is looked at."""
    if output.command and _plain(output.command) not in map(_plain, call.pasted):
        return [output.command] if look and output.lines else []
    return look.odd(output) if look else list(output.lines)


def _plain(command: str) -> str:
    """A command as it is compared: blanks and the kind of quotes make no difference, nor who ran it."""
    return " ".join(command.replace('"', "'").split()).removeprefix("sudo ")


def _command(look: _Look | None, call: ProbeCall) -> str:
    """The wanted command whose output this is; all of them where that is not known."""
    one = [command for command in call.pasted if look and look.shows in command]
    return "; ".join(one or call.pasted)


def _values(node: str, lines: Sequence[str]) -> dict[str, str]:
    return {"name": node, "lines": "; ".join(" ".join(line.split())[:_MOST_LETTERS] for line in lines)}


def _quoted(look: _Look, output: Output, line: str) -> Evidence:
    when = output.reporter.at if output.reporter else None
    return Evidence(
        source=look.label,
        object=Ref("node", output.node),
        quote=line.strip(),
        last_seen=when,
        reporter=output.reporter,
    )


def _swap(snapshot: Snapshot, call: ProbeCall, target: Ref) -> ProbeAnswer:
    return _judged(_SWAP_LOOKS, "repair-swap-off", snapshot, call, target)


def _kubelet(snapshot: Snapshot, call: ProbeCall, target: Ref) -> ProbeAnswer:
    return _judged(_KUBELET_LOOKS, "repair-kubelet-active", snapshot, call, target)


def _cuda(snapshot: Snapshot, call: ProbeCall, target: Ref) -> ProbeAnswer:
    return _judged(_CUDA_LOOKS, "repair-cuda-stopped", snapshot, call, target)


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
