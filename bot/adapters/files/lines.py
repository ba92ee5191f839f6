"""What one line of a pasted text is: a line of a journal, of the kernel, of a table, a prompt, or nothing known.

The forms are those of journalctl(1) (`-o short`, `short-precise`, `short-iso`, `short-full`, `cat`), dmesg(1), klog,
`/proc/swaps` and swapon(8), fstab(5), systemctl(1) `status` and `list-unit-files`, the heads that tail(1) writes over
files, and the CSV of nvidia-smi's compute processes.
"""

from __future__ import annotations

import re
from enum import Enum, auto

import msgspec

from bot.model.hosttext import HostSource


class Role(Enum):
    """What a line does for the text around it."""

    CONTENT = auto()
    """Belongs to a text of a host."""
    PROMPT = auto()
    """A shell's prompt: what follows comes from that host and that command."""
    HEAD = auto()
    """The head over a file's text: what follows is that file, until another head or prompt."""
    FRAME = auto()
    """Written by a tool around its output; understood, and no evidence."""
    MORE = auto()
    """Goes on with the line above."""
    UNKNOWN = auto()


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One line, as far as it tells by itself; empty where it does not say.

    `contained` is of a prompt whose command shows the log of a container, which no host has written; `command` is the
    one at the prompt, on the host where it ran.
    """

    role: Role
    source: HostSource | None = None
    host: str = ""
    unit: str = ""
    contained: bool = False
    command: str = ""

    @property
    def told(self) -> bool:
        """Whether it names who wrote it: klog does not, and containers write it as well."""
        return self.source is not HostSource.JOURNAL or bool(self.host or self.unit)


_STAMP = (
    r"(?:[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d(?:\.\d+)?"
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"
    r"|[A-Z][a-z]{2} \d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? \S+)"
)
_SYSLOG = re.compile(rf"^{_STAMP} (?P<host>[\w.-]+) (?P<ident>[\w@./()-]+?)(?:\[\d+\])?: (?P<text>.*)$")
_BARE = re.compile(r"^(?P<ident>systemd|kubelet|containerd|crio|kernel|k3s|rke2)(?:\[\d+\])?: (?P<text>.*)$")
_KLOG = re.compile(r"^[IWEF]\d{4} \d\d:\d\d:\d\d(?:\.\d+)?\s+(?:\d+ )?[\w.-]+\.go:\d+\]")
_UNIT_IN_TEXT = re.compile(r"\b([\w@-]+)\.(?:service|scope)\b")
_KERNEL = re.compile(r"^(?:\[ *\d+\.\d{3,}\]|\[[A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ [\d:]{8} \d{4}\]) |^NVRM: ")
_SWAPS = re.compile(
    r"^(?:Filename\s+Type\s+Size\s+Used\s+Priority|NAME\s+TYPE\s+SIZE\s+USED\s+PRIO"
    r"|/\S+\s+(?:file|partition)\s+[\d.]+[BKMGT]?\s+[\d.]+[BKMGT]?\s+-?\d+)\s*$"
)
_FSTAB = re.compile(
    r"^#?\s*(?:(?:UUID|LABEL|PARTUUID|PARTLABEL)=\S+|/\S+|tmpfs|proc|sysfs|\S+:/\S*)\s+(?:/\S*|none|swap)\s+"
    r"(?:ext[234]|xfs|btrfs|vfat|swap|tmpfs|nfs4?|proc|sysfs|iso9660|udf|auto|zfs|ceph)\s+\S+(?:\s+\d+){0,2}\s*$"
)
#: `nvidia-smi --query-compute-apps=pid,name --format=csv`, and the line of its table where nothing runs.
_GPU_PROCESSES = re.compile(r"^(?:pid, .*|\d+, \S.*|\|\s+No running processes found\s+\|)\s*$")
#: `systemctl list-unit-files`: its head, a row (name, state, what the vendor presets) and its last line.
_UNIT_FILES = re.compile(
    r"^(?:UNIT FILE\s+STATE\b.*|\d+ unit files listed\.|\S+\.(?:swap|service|target)\s+"
    r"(?:enabled|disabled|masked|linked|static|indirect|generated|transient|alias|bad)(?:-runtime)?"
    r"(?:\s+(?:enabled|disabled|ignored|-))?)\s*$"
)
#: Lines that say by themselves what they are; the heads are those that tail(1) and head(1) write over several files.
_ALONE = (
    (_KERNEL, Role.CONTENT, HostSource.DMESG),
    (_SWAPS, Role.CONTENT, HostSource.SWAPS),
    (_UNIT_FILES, Role.CONTENT, HostSource.UNIT_FILES),
    (_GPU_PROCESSES, Role.CONTENT, HostSource.GPU_PROCESSES),
    (re.compile(r"^==> /proc/swaps <==\s*$"), Role.HEAD, HostSource.SWAPS),
    (re.compile(r"^==> /etc/fstab <==\s*$"), Role.HEAD, HostSource.FSTAB),
)
#: Bash's, and zsh's with its `%` standing apart.
_PROMPT = re.compile(r"^\[?[\w.-]+@(?P<host>[\w.-]+?)(?:\]|[: ]\S*?\]?)?(?:\s?[$#]|\s%)\s*(?P<command>.*)$")
#: A shell that nobody gave a prompt names itself (`sh-5.1#`), as in the pods of `oc debug` and in other containers.
_NAMELESS_PROMPT = re.compile(r"^(?:ba|da|a|k|z)?sh-\d+(?:\.\d+)*[a-z]?[$#%](?:\s+(?P<command>.*))?$")
#: oh-my-zsh's: an arrow, the folder, what git says of it.
_ARROW_PROMPT = re.compile(r"^➜\s+\S+(?:\s+git:\([^)]*\))?(?:\s+✗)?(?:\s+(?P<command>.*))?$")
#: A prompt that names no host is one only before a command that is known: `#` begins comments as well.
_BARE_PROMPT = re.compile(
    r"^[$#%] (?P<command>(?:sudo )?"
    r"(?:ssh|kubectl|oc|crictl|docker|journalctl|systemctl|dmesg|swapon|cat|tail|head"
    r"|nvidia-smi|fuser|chroot) .*|exit|logout)\s*$"
)
_STATUS = re.compile(r"^[●○×*↻]\s+(?P<unit>[\w@.-]+)\.service\b")
_STATUS_FIELD = re.compile(
    r"^\s+(?:Loaded|Drop-In|Active|Docs|Process|Main PID|Tasks|Memory|CPU|CGroup|Status|Duration|Invocation|IO|IP"
    r"|TriggeredBy|Triggers):"
)
_FRAME = re.compile(
    r"^(?:-- .* --|-- (?:Logs begin|Journal begins) at .*|lines \d+-\d+.*|\(END\)|Hint: .*|"
    r"# /etc/fstab.*|# <file system>.*)\s*$"
)

#: Only lines of a log are longer. Patterns that go back over a line take its length squared, and hold up all threads
#: meanwhile: one line of JSON, a megabyte in a file that somebody drops, would be minutes.
_LONGEST = 4_096


def line_of(text: str) -> Line:
    """What this line is, by itself."""
    if hit := _SYSLOG.match(text):
        return _logged(hit["ident"], hit["text"], hit["host"])
    if _KLOG.match(text):
        return Line(role=Role.CONTENT, source=HostSource.JOURNAL)
    if hit := _BARE.match(text):
        return _logged(hit["ident"], hit["text"])
    return _by_itself(text) if len(text) <= _LONGEST else Line(role=_unknown(text))


def _by_itself(text: str) -> Line:
    """What a line is that no log wrote with its head."""
    for pattern, role, source in _ALONE:
        if pattern.match(text):
            return Line(role=role, source=source)
    if hit := _STATUS.match(text):
        return Line(role=Role.CONTENT, source=HostSource.JOURNAL, unit=hit["unit"])
    if command := _command(text):
        return Line(role=Role.PROMPT, host=command[1])
    if _FSTAB.match(text):
        return Line(role=Role.CONTENT, source=HostSource.FSTAB)
    if not text.strip() or _FRAME.match(text):
        return Line(role=Role.FRAME)
    return Line(role=Role.MORE if _STATUS_FIELD.match(text) else _unknown(text))


def _unknown(text: str) -> Role:
    return Role.MORE if text[0] in " \t" else Role.UNKNOWN


def _logged(ident: str, text: str, host: str = "") -> Line:
    if ident == "kernel":
        return Line(role=Role.CONTENT, source=HostSource.DMESG, host=host)
    unit = ident.rpartition("/")[2].strip("()")
    if unit == "systemd" and (hit := _UNIT_IN_TEXT.search(text[:_LONGEST])):
        unit = hit[1]
    return Line(role=Role.CONTENT, source=HostSource.JOURNAL, host=host, unit=unit)


_COMMANDS = (
    (re.compile(r"journalctl.*?-u\s*([\w@-]+)"), HostSource.JOURNAL),
    (re.compile(r"systemctl\s+(?:\S+\s+)*?(?:status|is-active)\s+(?:-\S+\s+)*([\w@-]+)"), HostSource.JOURNAL),
    (re.compile(r"systemctl\s+(?:\S+\s+)*?list-unit-files\b"), HostSource.UNIT_FILES),
    (re.compile(r"\bdmesg\b|journalctl.*\s(?:-k|--dmesg)\b"), HostSource.DMESG),
    (re.compile(r"\bswapon\b|/proc/swaps"), HostSource.SWAPS),
    (re.compile(r"/etc/fstab"), HostSource.FSTAB),
    (re.compile(r"\bnvidia-smi\b|\bfuser\b.*/dev/nvidia"), HostSource.GPU_PROCESSES),
)


#: Options of ssh(1) that take a value, which may stand apart.
_ELSEWHERE = re.compile(
    r"^(?:sudo )?ssh\s+(?:-[BbcDEeFIiJLlmOopQRSWw]\s*\S+\s+|-\S+\s+)*(?:[\w.-]+@)?(?P<host>[\w.-]+)"
    r"\s+(?P<quote>[\"']?)(?P<there>\S.*)(?P=quote)$"
)


#: The same without a command: a shell there. A debugging pod of a node, and a shell in a container.
_SSH_TO = re.compile(
    r"^(?:sudo )?ssh\s+(?:-[BbcDEeFIiJLlmOopQRSWw]\s*\S+\s+|-\S+\s+)*(?:[\w.-]+@)?(?P<host>[\w.-]+)\s*$"
)
_DEBUG = re.compile(r"^(?:sudo )?(?:oc|kubectl)\s(?:.*\s)?debug\s(?:.*\s)?nodes?/(?P<host>[\w.-]+)")
_SHELL_IN = re.compile(
    r"^(?:sudo )?(?:oc|kubectl|crictl|docker|podman|nerdctl|ctr)\s(?:.*\s)?(?:exec|run|attach|rsh|debug)\s"
)


def is_nameless(prompt: str) -> bool:
    """Whether it is the prompt of a shell that nobody gave one."""
    return _NAMELESS_PROMPT.match(prompt) is not None


def entered(command: str) -> Line | None:
    """The host, or the container, whose shell a command leads into; None for one that leads nowhere."""
    if hit := _SSH_TO.match(command):
        return Line(role=Role.PROMPT, host=hit["host"])
    if hit := _DEBUG.match(command):
        return Line(role=Role.PROMPT, host=hit["host"], contained=True)
    return Line(role=Role.PROMPT, contained=True) if _SHELL_IN.match(command) else None


#: Whose output is the log of a container.
_CONTAINER = re.compile(r"\b(?:kubectl|oc|crictl|docker)\s.*?\blogs\b")


def _command(text: str) -> tuple[str, str] | None:
    """The command at a prompt, and the host that the prompt names; None for a line that is no prompt."""
    if hit := _PROMPT.match(text):
        return hit["command"], hit["host"]
    if hit := _NAMELESS_PROMPT.match(text) or _ARROW_PROMPT.match(text):
        return hit["command"] or "", ""
    return (hit["command"], "") if (hit := _BARE_PROMPT.match(text)) else None


def output_of(prompt: str) -> Line:
    """What the command at a prompt writes, and on which host; no source for a command of which nothing is known."""
    command, host = _command(prompt) or ("", "")
    if away := _ELSEWHERE.match(command.strip()):
        host, command = away["host"], away["there"]
    if _CONTAINER.search(command):
        return Line(role=Role.PROMPT, contained=True, command=command)
    for pattern, source in _COMMANDS:
        if found := pattern.search(command):
            unit = found[1] if pattern.groups else ""
            return Line(role=Role.PROMPT, source=source, host=host, unit=unit, command=command)
    return Line(role=Role.PROMPT, host=host, command=command)


#: The heads of the files and tables whose whole is wanted, however loosely: what stands below is theirs.
_BEGINNINGS = (
    (re.compile(r"==> /proc/swaps <==|\s*(?:Filename\s+Type|NAME\s+TYPE)\b"), HostSource.SWAPS),
    (re.compile(r"==> /etc/fstab <=="), HostSource.FSTAB),
    (re.compile(r"\s*UNIT FILE\s+STATE\b"), HostSource.UNIT_FILES),
    (re.compile(r"\s*pid\s*,"), HostSource.GPU_PROCESSES),
)


def beginning_of(text: str) -> HostSource | None:
    """Of what this line is the head; None for one that is within something."""
    return next((source for pattern, source in _BEGINNINGS if pattern.match(text)), None)
