"""Fills the blanks of one step of a runbook, and decides whether the bot or the object's owner does it."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from bot.knowledge.blanks import blanks, fill
from bot.model.refs import Ref
from bot.remedy import handover, kubectl
from bot.remedy.owners import UNKNOWN, Owner
from bot.remedy.parameters import Parameters, blanks_of
from bot.remedy.runbook import MUTATIONS, ProbeCall, Step, Verb


class CannotPlan(Exception):
    """No steps can be made; `reason` is a key of the word catalogue with `values`."""

    def __init__(self, reason: str, values: Mapping[str, str]) -> None:
        super().__init__(f"{reason}: {dict(values)}")
        self.reason = reason
        self.values = values


class StepDraft(msgspec.Struct, frozen=True, kw_only=True):
    """A step with its blanks filled, not bound to the live cluster yet."""

    id: str
    verb: Verb
    target: Ref
    select: str
    cap: int
    params: Mapping[str, str]
    step: Step
    precondition: tuple[ProbeCall, ...]
    verify: ProbeCall
    commands: tuple[str, ...]
    after: tuple[str, ...]

    @property
    def is_mutation(self) -> bool:
        """Whether the bot would do it itself, so that it is prepared by a dry run."""
        return self.verb in MUTATIONS


def check(step: Step, parameters: Parameters) -> None:
    """Whether everything that the step needs is known.

    Raises:
        CannotPlan: it is not; the values name step and parameter.
    """
    needed = blanks_of(step) - (blanks(step.target) if step.owner_of else frozenset())
    if step.owner_of:
        needed |= {step.owner_of}
    for name in sorted(needed):
        if name not in parameters:
            raise CannotPlan("plan-parameter-unknown", {"step": step.id, "parameter": name})
    if not step.owner_of or _is_there(step, parameters):
        _target(step, parameters)


def _is_there(step: Step, parameters: Parameters) -> bool:
    return all(name in parameters and parameters[name].text for name in blanks(step.target))


def _target(step: Step, parameters: Parameters) -> Ref:
    """The one object that the step acts on.

    Raises:
        CannotPlan: the parameter names several, or an object of another kind.
    """
    kind, _, path = step.target.partition("/")
    for name in sorted(blanks(path)):
        refs = parameters[name].refs
        if len(refs) > 1:
            raise CannotPlan("plan-parameter-ambiguous", {"step": step.id, "parameter": name})
        if refs and refs[0].kind != kind and path == f"{{{name}}}":
            raise CannotPlan("plan-wrong-kind", {"step": step.id, "object": str(refs[0]), "kind": kind})
    *namespace, last = _text(path, parameters).split("/")
    return Ref(kind, last, "/".join(namespace))


def _text(text: str, parameters: Parameters) -> str:
    return fill(text, {name: one.text for name, one in parameters.items()})


def _texts(texts: Mapping[str, str], parameters: Parameters) -> dict[str, str]:
    return {key: _text(text, parameters) for key, text in texts.items()}


def _call(call: ProbeCall, parameters: Parameters) -> ProbeCall:
    return msgspec.structs.replace(call, params=_texts(call.params, parameters))


def refs_of(parameters: Parameters, name: str) -> tuple[Ref, ...]:
    """The objects that a parameter names."""
    return parameters[name].refs if name in parameters else ()


def draft(step: Step, parameters: Parameters, owners: Mapping[Ref, Owner], after: tuple[str, ...]) -> StepDraft:
    """The step with its blanks filled; what an owner would undo becomes the owner's to do.

    Raises:
        CannotPlan: a parameter is missing.
    """
    check(step, parameters)
    params = _texts(step.params, parameters)
    keeper = _keeper(step, parameters, owners)
    if keeper is not None:
        target, owner = keeper
        verb, params, commands = _handed_over(target, owner, params, parameters)
        select, cap = "", 1
    else:
        target, verb = _target(step, parameters), step.verb
        select, cap = _text(step.select, parameters), step.cap
        told = tuple(_text(one, parameters) for one in step.commands)
        commands = told or kubectl.commands(verb, target, select, params)
    return StepDraft(
        id=step.id,
        verb=verb,
        target=target,
        select=select,
        cap=cap,
        params=params,
        step=step,
        precondition=tuple(_call(one, parameters) for one in step.precondition),
        verify=_call(step.verify, parameters),
        commands=commands,
        after=after,
    )


def _keeper(step: Step, parameters: Parameters, owners: Mapping[Ref, Owner]) -> tuple[Ref, Owner] | None:
    """The object and its owner where the step is handed over; None where the bot does it."""
    if not step.owner_of:
        return None
    (ref, *_) = refs_of(parameters, step.owner_of)
    owner = owners.get(ref, UNKNOWN)
    if step.verb is Verb.HAND_OVER or owner.keeps or not _is_there(step, parameters):
        return ref, owner
    return None


def _handed_over(
    ref: Ref, owner: Owner, params: Mapping[str, str], parameters: Parameters
) -> tuple[Verb, dict[str, str], tuple[str, ...]]:
    change = handover.Change(params["change"])
    facts = {**{name: one.text for name, one in parameters.items()}, **params}
    made = handover.hand_over(change, owner, ref, facts)
    told = {"owner": owner.kind.value, "owner-name": owner.name, "values": made.values}
    return Verb.HAND_OVER, {**params, **{key: text for key, text in told.items() if text}}, made.commands
