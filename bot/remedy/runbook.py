"""Runbooks as values: a closed set of verbs and probes, typed steps, at most one choice. No shell, no templates.

The texts for people stand in the runbook's Markdown, one section per step, choice and option, under the same ids.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec


class Risk(StrEnum):
    """How bad a step can go; sets how many people it takes."""

    READ = "read"
    REVERSIBLE = "reversible"
    DISRUPTIVE = "disruptive"
    DESTRUCTIVE = "destructive"


class Verb(StrEnum):
    """Everything that a step can do. The last two are done by people."""

    LABEL_NODE = "label-node"
    CORDON = "cordon"
    UNCORDON = "uncordon"
    EVICT_POD = "evict-pod"
    ROLLOUT_RESTART = "rollout-restart"
    PATCH_CONFIGMAP = "patch-configmap"
    SET_ENV = "set-env"
    CLEAR_CONDITION = "clear-condition"
    OBSERVE = "observe"
    """Changes nothing: waits until its probe holds."""
    HOST = "host"
    """Commands on a host, copied by a person who pastes what one read-only command then shows."""
    HAND_OVER = "hand-over"
    """The exact change for another owner (Helm, GitOps, an add-on) to make; the bot verifies it in the cluster."""


#: Verbs that the bot carries out itself.
MUTATIONS = frozenset(Verb) - {Verb.OBSERVE, Verb.HOST, Verb.HAND_OVER}


class Probe(StrEnum):
    """Everything that a step can be verified or guarded by; each is one pure function in `remedy/probes`."""

    LABEL_IS = "label-is"
    OPERATOR_REACTED = "operator-reacted"
    SANDBOX_ON = "sandbox-on"
    SWAP_OFF = "swap-off"
    KUBELET_ACTIVE = "kubelet-active"
    CUDA_STOPPED = "cuda-stopped"
    NODE_READY = "node-ready"
    RESOURCE_OFFERED = "resource-offered"
    VMS_SETTLED = "vms-settled"
    UNSCHEDULABLE_IS = "unschedulable-is"
    POD_GONE = "pod-gone"
    ROLLED_OUT = "rolled-out"
    CONFIG_IS = "config-is"
    ENV_IS = "env-is"
    CONDITION_GONE = "condition-gone"
    NO_REPLACEMENT = "no-replacement"


#: Probes of what a person pastes: the bot cannot see it, so a step that hangs on one is attested, never verified.
PASTED = frozenset({Probe.SWAP_OFF, Probe.KUBELET_ACTIVE, Probe.CUDA_STOPPED})


class ProbeCall(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A probe with its parameters. `within` bounds the waiting, `lasting` is how long it must hold, in seconds.

    A person's step says in `params["command"]` whose output is pasted, one command a line.
    """

    probe: Probe
    params: Mapping[str, str] = {}
    within: int = 120
    lasting: int = 0

    @property
    def pasted(self) -> tuple[str, ...]:
        """The commands whose output a person pastes; none where the bot looks itself."""
        return tuple(self.params.get("command", "").splitlines())


class Step(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One step of a runbook.

    Attributes:
        id: names the step inside the runbook, and its section in the Markdown.
        target: reference of what it acts on, with blanks (`node/{node}`, `ds/{monitor}`).
        select: how the nodes or pods under the target are found when the step runs (`nodepool={nodepool}`).
        cap: how many of them at most.
        params: of the verb; blanks are filled from findings only, never from chat or LLM text.
        after: steps that must be verified or attested before this one is offered; those that the chosen option leaves
            out do not count.
        hazard: reason key: what breaks when it runs out of order; the refusal says it.
        precondition: probes that must hold just before it runs.
        verify: how the bot sees that it worked; for `HOST` what the paste must show.
        commands: what a person copies, one short line each, with blanks.
        expires: seconds until a temporary change is nagged about; 0 for a lasting one.
        undo: id of the step that takes it back, not part of the plan.
        owner_of: parameter whose owner decides between doing it and handing it over. It is handed over as well where
            the target itself is not there (a ConfigMap that the chart did not make).
        needs: parameters that must name something: where one is empty, the step is no part of the plan, since it would
            be verified by looking at nothing.
    """

    id: str
    verb: Verb
    target: str
    risk: Risk
    verify: ProbeCall
    params: Mapping[str, str] = {}
    select: str = ""
    cap: int = 1
    after: tuple[str, ...] = ()
    hazard: str = ""
    precondition: tuple[ProbeCall, ...] = ()
    commands: tuple[str, ...] = ()
    expires: int = 0
    undo: str = ""
    owner_of: str = ""
    needs: tuple[str, ...] = ()


class Option(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One way out of a choice: its own ordered steps, and the codes of what it leaves broken where that is there.

    `unless` are codes: the option is not offered where one of them was found about the subject, or could not be told.
    `spares` says that the nodes which are marked now are not replaced once more (`predicting.predict`).
    """

    id: str
    steps: tuple[str, ...]
    leaves: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    spares: bool = False


class Runbook(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The front matter of one runbook.

    `choice` names the question (a section of the Markdown); without it there is one option. `parameters` maps a
    blank to where its value comes from, findings only: `subject`, `ref:ROLE`, `value:NAME` of the root, or with
    `CODE.` before it of every finding of that code that belongs to the root (`vm-unschedulable.subject`). A `?` at
    the end lets it be empty. Several values are joined by commas. A reference is filled in without its kind
    (`kube-system/agent`); its parts are the blanks `{BLANK-name}` and `{BLANK-namespace}`. `sha256` is the digest of
    the file, set by whoever read it.
    """

    name: str
    roots: tuple[str, ...]
    steps: tuple[Step, ...]
    options: tuple[Option, ...]
    choice: str = ""
    parameters: Mapping[str, str] = {}
    sha256: str = ""

    def step(self, step_id: str) -> Step:
        """The step of this id.

        Raises:
            KeyError: there is none.
        """
        return {one.id: one for one in self.steps}[step_id]
