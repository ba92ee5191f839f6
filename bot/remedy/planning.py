"""From a diagnosis and a runbook to the steps of a plan: what can be chosen, what is done to what, bound to digests.

Pure. Parameters come from findings; who owns what, and what a dry run showed, are arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

import msgspec

from bot.model.diagnosis import Diagnosis, Key
from bot.model.findings import Code
from bot.model.refs import CLUSTER, Ref
from bot.remedy.digest import digest_of
from bot.remedy.drafting import CannotPlan, StepDraft, check, draft, refs_of
from bot.remedy.ordering import predecessors
from bot.remedy.owners import Owner
from bot.remedy.parameters import Parameters, belonging_to, resolve
from bot.remedy.plan import Action, Actor, Earlier, Note, Plan, PlanStep, Target
from bot.remedy.predicting import Prediction, predict
from bot.remedy.runbook import Option, Runbook, Step

#: Why an option is refused whose safety could not be told.
UNTOLD = "plan-option-untold"
#: Reasons for which an option must not be taken, by hand either.
UNSAFE = frozenset({"plan-option-unsafe", UNTOLD})


class OptionOffer(msgspec.Struct, frozen=True, kw_only=True):
    """An option as it stands for this diagnosis. `refused` is a reason key, empty where it can be chosen.

    `leaves` is what it leaves broken of what is there, or could not be looked for.
    """

    id: str
    refused: str = ""
    values: Mapping[str, str] = {}
    leaves: tuple[str, ...] = ()
    prediction: Prediction = Prediction()


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """What a runbook offers for a root; `usable` where at least one option can be chosen."""

    runbook: Runbook
    root: Key
    parameters: Parameters
    options: tuple[OptionOffer, ...]

    @property
    def usable(self) -> bool:
        """Whether anything can be chosen."""
        return any(not one.refused for one in self.options)

    def option(self, option_id: str) -> OptionOffer:
        """The option of this id.

        Raises:
            CannotPlan: there is none.
        """
        found = next((one for one in self.options if one.id == option_id), None)
        if found is None:
            raise CannotPlan("plan-no-such-option", {"option": option_id})
        return found


class Bound(Protocol):
    """What a dry run of a mutation showed (`app.repair.ports.Prepared`)."""

    @property
    def target(self) -> Target:
        """With the object's uid."""
        ...

    @property
    def fingerprint(self) -> Mapping[str, str]:
        """The fields that must stay as they are."""
        ...

    @property
    def diff(self) -> str:
        """The difference."""
        ...

    @property
    def earlier(self) -> tuple[Earlier, ...]:
        """What the bot did to the same object lately."""
        ...

    @property
    def notes(self) -> tuple[Note, ...]:
        """What whoever approves it has to know besides."""
        ...


def offer(diagnosis: Diagnosis, root: Key, runbook: Runbook) -> Offer:
    """What the runbook offers for this root, and why the rest of it cannot be chosen."""
    parameters = resolve(runbook.parameters, diagnosis, root)
    options = tuple(_offered(one, diagnosis, root, runbook, parameters) for one in runbook.options)
    return Offer(runbook=runbook, root=root, parameters=parameters, options=options)


def skeleton(
    offered: Offer,
    *,
    plan_id: str,
    incident: str,
    cluster: str,
    requester: Actor,
    at: datetime,
    signs: tuple[str, ...] = (),
    dry: bool,
) -> Plan:
    """The plan before anybody has chosen; `signs` are what the cluster shows of its root."""
    return Plan(
        id=plan_id,
        incident=incident,
        cluster=cluster,
        runbook=offered.runbook.name,
        root=str(offered.root[0]),
        subject=offered.root[1],
        requester=requester,
        created_at=at,
        signs=signs,
        dry=dry,
    )


def owned(offered: Offer, option_id: str) -> frozenset[Ref]:
    """The objects whose owner decides about a step of this option."""
    steps = _steps(offered, option_id)
    return frozenset(ref for step in steps for ref in refs_of(offered.parameters, step.owner_of))


def drafts(offered: Offer, option_id: str, owners: Mapping[Ref, Owner]) -> tuple[StepDraft, ...]:
    """The steps of an option, in their order. An object that is not in `owners` has an unknown owner.

    Raises:
        CannotPlan: there is no such option, or it cannot be chosen.
    """
    chosen = offered.option(option_id)
    if chosen.refused:
        raise CannotPlan(chosen.refused, chosen.values)
    steps = _steps(offered, option_id)
    order = tuple(step.id for step in steps)
    return tuple(
        draft(step, offered.parameters, owners, predecessors(offered.runbook, order, step.id)) for step in steps
    )


def undo_drafts(offered: Offer, made: tuple[StepDraft, ...], owners: Mapping[Ref, Owner]) -> Mapping[str, StepDraft]:
    """What takes the temporary ones of these steps back, by the step that it undoes.

    Raises:
        CannotPlan: a parameter is missing.
    """
    return {
        one.id: draft(offered.runbook.step(one.step.undo), offered.parameters, owners, ())
        for one in made
        if one.step.undo
    }


def undo_step(action: Action, bound: Bound | None, nonce: str) -> PlanStep:
    """The one step of a plan that takes a temporary step back, bound to what its own dry run showed."""
    if bound is not None:
        action = msgspec.structs.replace(action, target=bound.target, fingerprint=bound.fingerprint, diff=bound.diff)
    action = msgspec.structs.replace(action, nonce=nonce)
    step = PlanStep(action=action, digest=digest_of(action), after=())
    return msgspec.structs.replace(step, earlier=bound.earlier, notes=bound.notes) if bound else step


def build_steps(
    made: tuple[StepDraft, ...],
    prepared: Mapping[str, Bound],
    *,
    undos: Mapping[str, StepDraft] = {},
    notes: Mapping[str, tuple[Note, ...]] = {},
    runbook: Runbook,
    cluster: str,
    nonce: str,
) -> tuple[PlanStep, ...]:
    """The steps of a plan, each with the digest of exactly what it will do, its predecessors' digests included.

    `prepared` holds what the dry run of each mutation showed, by step; where mutations are off there is none. `undos`
    are the drafts that take temporary steps back, by the step that they undo; `notes` what was seen beside a step.
    """
    digests: dict[str, str] = {}
    steps: list[PlanStep] = []
    for one in made:
        before = tuple(digests[step_id] for step_id in one.after)
        bound = prepared.get(one.id)
        action = _action(one, bound, runbook, cluster, before, nonce)
        digests[one.id] = digest_of(action)
        hazard = one.step.hazard if one.after else ""
        undo = _action(undos[one.id], None, runbook, cluster, (), "") if one.id in undos else None
        steps.append(
            PlanStep(
                action=action,
                digest=digests[one.id],
                after=one.after,
                hazard=hazard,
                undo=undo,
                earlier=bound.earlier if bound else (),
                notes=(*notes.get(one.id, ()), *(bound.notes if bound else ())),
            )
        )
    return tuple(steps)


def _action(
    one: StepDraft, bound: Bound | None, runbook: Runbook, cluster: str, before: tuple[str, ...], nonce: str
) -> Action:
    target = Target(ref=one.target, select=one.select, cap=one.cap)
    return Action(
        runbook=runbook.name,
        runbook_sha256=runbook.sha256,
        step=one.id,
        verb=one.verb,
        cluster=cluster,
        target=bound.target if bound else target,
        params=one.params,
        risk=one.step.risk,
        precondition=one.precondition,
        fingerprint=bound.fingerprint if bound else {},
        diff=bound.diff if bound else "",
        verify=one.verify,
        commands=one.commands,
        predecessors=before,
        temporary_for=one.step.expires,
        nonce=nonce,
    )


def _offered(option: Option, diagnosis: Diagnosis, root: Key, runbook: Runbook, parameters: Parameters) -> OptionOffer:
    refused, values = _unsafe(option, diagnosis, root) or ("", {})
    if not refused:
        try:
            for step in _steps_of(option, runbook, parameters):
                check(step, parameters)
        except CannotPlan as why:
            refused, values = why.reason, dict(why.values)
    return OptionOffer(
        id=option.id,
        refused=refused,
        values=values,
        leaves=_left(option, diagnosis, root),
        prediction=predict(diagnosis, root, spares=option.spares),
    )


def _unsafe(option: Option, diagnosis: Diagnosis, root: Key) -> tuple[str, dict[str, str]] | None:
    """A code that was found, or could not be told, forbids the option: a failed look never opens a door."""
    for one in belonging_to(diagnosis, root):
        if one.code in option.unless:
            return "plan-option-unsafe", {"option": option.id, "code": one.code}
    untold = _untold(diagnosis, root)
    if codes := [code for code in option.unless if code in untold]:
        return UNTOLD, {"option": option.id, "code": codes[0]}
    return None


def _left(option: Option, diagnosis: Diagnosis, root: Key) -> tuple[str, ...]:
    """Of what the option leaves broken, what is there or could not be told; what else follows the runbook says."""
    there = {one.code for one in belonging_to(diagnosis, root)} | _untold(diagnosis, root)
    return tuple(code for code in option.leaves if code in there)


def _untold(diagnosis: Diagnosis, root: Key) -> set[Code]:
    """What could not be told of the root's subject, or of anything."""
    return {code for one in diagnosis.blind if one.subject in (root[1], CLUSTER) for code in one.codes}


def _steps(offered: Offer, option_id: str) -> tuple[Step, ...]:
    offered.option(option_id)
    option = next(one for one in offered.runbook.options if one.id == option_id)
    return _steps_of(option, offered.runbook, offered.parameters)


def _steps_of(option: Option, runbook: Runbook, parameters: Parameters) -> tuple[Step, ...]:
    """The steps of the option that have something to look at or to do here."""
    steps = (runbook.step(one) for one in option.steps)
    return tuple(one for one in steps if all(name in parameters and parameters[name].text for name in one.needs))
