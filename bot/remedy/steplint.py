"""Whether one step of a runbook can be trusted: its verb's shape, its blanks, its commands, its way back."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping

from bot.knowledge.blanks import blanks, fill
from bot.remedy.handover import Change
from bot.remedy.parameters import blanks_of, names, source_of
from bot.remedy.probes import PROBES
from bot.remedy.runbook import MUTATIONS, PASTED, ProbeCall, Runbook, Step, Verb
from bot.remedy.verbs import BY_RISK, SHAPES

#: A command fits a phone's line.
COMMAND_LETTERS = 60
#: What chains commands, hides them in one another, or writes files; each line does one visible thing.
_CHAINED = re.compile(r"[;&|<>`$\n\r]")
#: What runs words of its arguments or of a file as commands, which nobody sees in the line itself.
_SHELLS = re.compile(
    r"(?:^|[\s'\"/])(?:(?:ba|da|a|z|k|fi|c|tc)?sh|eval|source|\.|xargs|su)(?=$|[\s'\"])"
    r"|(?:^|[\s'\"/])(?:python[\d.]*|perl|ruby|node)\s+-[ce]\b"
)
_COMMENT = re.compile(r"(?:^|\s)#")
#: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set
_LABEL_NAME = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_LABEL_PREFIX = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*")
_LABEL_PREFIX_LETTERS = 253
_SELECT = re.compile(r"nodepool=\S+")

_Found = Iterator[tuple[str, str]]


def lint_step(step: Step, book: Runbook, reasons: frozenset[str] | None) -> _Found:
    """Field and reason of everything that is wrong with the step itself."""
    yield from _shape(step)
    yield from _blanks(step, book)
    yield from _needs(step, book)
    yield from _owner(step, book)
    yield from _commands(step)
    yield from _probes(step)
    yield from _way(step, book, reasons)


def _shape(step: Step) -> _Found:
    shape = SHAPES[step.verb]
    kind = step.target.partition("/")[0]
    if shape.kinds and kind not in shape.kinds:
        yield "target", f"{step.verb} acts on {', '.join(sorted(shape.kinds))}, not on {kind!r}"
    if not step.target.partition("/")[2]:
        yield "target", "KIND/NAME is expected"
    for name in sorted(shape.params - set(step.params)):
        yield "params", f"{step.verb} needs {name!r}"
    change = {"change"} if step.owner_of or step.verb is Verb.HAND_OVER else set()
    for name in sorted(set(step.params) - shape.params - shape.optional - change):
        yield "params", f"{step.verb} has no {name!r}"
    if BY_RISK.index(step.risk) < BY_RISK.index(shape.least):
        yield "risk", f"{step.verb} is {shape.least} at least"
    if step.verb is Verb.OBSERVE and step.risk is not shape.least:
        yield "risk", "what changes nothing is read"
    if step.select and not (shape.selects and _SELECT.fullmatch(step.select)):
        yield "select", "nodepool=NAME is expected, for a verb that acts on what it finds"
    if step.cap < 1 or (step.cap > 1 and not step.select):
        yield "cap", "at least 1, and more only for a selection"


def _blanks(step: Step, book: Runbook) -> _Found:
    known = names(book.parameters)
    for name in sorted(blanks_of(step) - known):
        yield "", f"the blank {{{name}}} has no parameter"
    for name in sorted(blanks(step.target) & set(book.parameters)):
        if _may_be_empty(name, book) and not step.owner_of and name not in step.needs:
            yield "target", f"{{{name}}} may be empty"


def _needs(step: Step, book: Runbook) -> _Found:
    if step.verb is Verb.OBSERVE:
        asked = frozenset[str]().union(*map(blanks, step.verify.params.values()))
        for name in sorted(asked - set(step.needs)):
            if _may_be_empty(name, book):
                yield "verify.params", f"{{{name}}} may be empty, and the step look at nothing: name it in `needs`"
    for name in step.needs:
        if not _may_be_empty(name, book):
            yield "needs", f"{name!r} is no parameter that may be empty"


def _may_be_empty(name: str, book: Runbook) -> bool:
    source = source_of(book.parameters.get(name, ""))
    return source is not None and source.may_be_empty


def _owner(step: Step, book: Runbook) -> _Found:
    if step.verb is Verb.HAND_OVER and not step.owner_of:
        yield "owner_of", "whose owner it is handed to is not said"
    if not step.owner_of:
        return
    source = source_of(book.parameters.get(step.owner_of, ""))
    if source is None or not source.is_ref or source.may_be_empty:
        yield "owner_of", f"{step.owner_of!r} is no parameter that always names an object"
    if step.params.get("change") not in set(Change):
        yield "params.change", f"one of {', '.join(Change)} is expected: it is what the owner is told"
    if step.verb not in MUTATIONS and step.verb is not Verb.HAND_OVER:
        yield "owner_of", f"{step.verb} is never handed over"


def _commands(step: Step) -> _Found:
    if step.verb is not Verb.HOST:
        if step.commands:
            yield "commands", f"{step.verb} has none: only a person on a host copies commands"
        return
    if not step.commands:
        yield "commands", "a person needs something to copy"
    if not step.verify.pasted or not set(step.verify.pasted) <= set(step.commands):
        yield "verify.params.command", "is none of the commands: its output is what people paste"
    for number, command in enumerate(step.commands):
        if len(command) >= COMMAND_LETTERS:
            yield f"commands[{number}]", f"{len(command)} letters, fewer than {COMMAND_LETTERS} fit a phone"
        if hit := _CHAINED.search(command):
            yield f"commands[{number}]", f"{hit[0]!r} chains or hides commands: one line does one thing"
        if hit := _SHELLS.search(command):
            word = hit[0].strip(" '\"/")
            yield f"commands[{number}]", f"{word!r} runs what another reads: a person copies the command itself"
        if reason := _unread(command):
            yield f"commands[{number}]", reason


def _unread(command: str) -> str:
    """What of a command is not carried out as it stands there; empty if nothing is."""
    try:
        shlex.split(command)
    except ValueError:
        return "a quote is not closed: the next line would belong to it"
    outside = re.sub(r"'[^']*'|\"[^\"]*\"", "''", command)
    return "'#' hides what stands behind it" if _COMMENT.search(outside) else ""


def _filled(text: str) -> str:
    """The text with a letter in every blank."""
    return fill(text, dict.fromkeys(blanks(text), "x"))


def _labels(field: str, params: Mapping[str, str]) -> _Found:
    """A label that the API server would refuse; what a blank will hold is judged when it is filled."""
    if "label" not in params:
        return
    key, value = (_filled(params.get(name, "")) for name in ("label", "value"))
    prefix, slash, name = key.rpartition("/")
    is_prefix = not slash or (len(prefix) <= _LABEL_PREFIX_LETTERS and _LABEL_PREFIX.fullmatch(prefix))
    if not (is_prefix and _LABEL_NAME.fullmatch(name)):
        yield f"{field}.label", f"{params['label']!r} is no key of a label"
    if value and not _LABEL_NAME.fullmatch(value):
        yield f"{field}.value", f"{params['value']!r} is no value of a label"


def _probes(step: Step) -> _Found:
    is_host = step.verb is Verb.HOST
    if is_host and step.verify.probe not in PASTED:
        yield "verify.probe", f"a person's step is judged by what is pasted: {', '.join(sorted(PASTED))}"
    if not is_host and step.verify.probe in PASTED:
        yield "verify.probe", f"{step.verify.probe} reads what a person pastes"
    yield from _labels("params", step.params)
    yield from _call("verify", step.verify)
    for number, call in enumerate(step.precondition):
        if call.probe in PASTED:
            yield f"precondition[{number}].probe", f"{call.probe} reads what a person pastes"
        yield from _call(f"precondition[{number}]", call)


def _call(field: str, call: ProbeCall) -> _Found:
    yield from _labels(f"{field}.params", call.params)
    for name in PROBES[call.probe].flaws(call):
        yield f"{field}.params", f"{call.probe} needs {name!r}, or has none"
    if call.within <= 0 or call.lasting < 0 or call.lasting >= call.within:
        yield field, f"{call.lasting} seconds do not fit into {call.within}"


def _way(step: Step, book: Runbook, reasons: frozenset[str] | None) -> _Found:
    ids = {one.id for one in book.steps}
    if step.after and step.verb is not Verb.OBSERVE and not step.hazard:
        yield "hazard", "what breaks when it runs out of order is not said"
    if step.hazard and reasons is not None and step.hazard not in reasons:
        yield "hazard", f"{step.hazard!r} has no words"
    if step.expires < 0:
        yield "expires", "seconds, none below 0"
    if step.expires and not step.undo:
        yield "undo", "what expires needs a step that takes it back"
    if step.undo and (step.undo not in ids or step.undo == step.id):
        yield "undo", f"there is no other step {step.undo!r}"
