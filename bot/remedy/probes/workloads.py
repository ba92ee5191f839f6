"""Pods that went, rollouts that are through, and what a Deployment's containers are told."""

from __future__ import annotations

from collections.abc import Iterator

from bot.checks.evidence import NONE, quoted
from bot.model.objects import Container, DaemonSet, Deployment, ref_of
from bot.model.refs import Ref
from bot.model.sections import Section
from bot.model.snapshot import Snapshot, known
from bot.remedy.probes.answer import ProbeAnswer, Question, cannot_tell, compared, holds, malformed, not_yet, unread
from bot.remedy.probes.objects import absent, asked, found
from bot.remedy.runbook import ProbeCall

Workload = DaemonSet | Deployment


def _gone(snapshot: Snapshot, call: ProbeCall, target: Ref) -> ProbeAnswer:
    """The pod of this uid; one of the same name with another uid is its successor."""
    ref = asked(call, target, "object")
    if isinstance(ref, ProbeAnswer):
        return ref
    uid = call.params.get("uid", "")
    named = [pod for pod in known(snapshot.pods) if ref_of(pod) == ref]
    alive = next((pod for pod in known(snapshot.pods) if uid and pod.metadata.uid == uid), None)
    alive = alive or (named[0] if named and not uid else None)
    values = {"subject": str(ref)}
    if alive is not None:
        return not_yet("repair-pod-there", values, quoted(ref, "metadata.uid", alive.metadata.uid, last=snapshot.at))
    if Section.PODS in snapshot.gaps:
        return unread(Section.PODS.value, snapshot.gaps[Section.PODS])
    if any(one.section is Section.PODS and one.name == ref.name for one in snapshot.unreadable):
        return unread_object(ref)
    successor = [quoted(ref, "metadata.uid", pod.metadata.uid, last=snapshot.at) for pod in named]
    return holds("repair-pod-gone", values, *(successor or [absent(snapshot, ref)]))


def unread_object(ref: Ref) -> ProbeAnswer:
    """An object that is there and does not decode."""
    return cannot_tell("repair-object-unreadable", {"subject": str(ref)})


def _rolled_out(snapshot: Snapshot, call: ProbeCall, target: Ref) -> ProbeAnswer:
    """Its controller has seen the newest template, and every pod is of it and ready."""
    thing = _workload(snapshot, call, target)
    if isinstance(thing, ProbeAnswer):
        return thing
    numbers = _of_daemonset(thing) if isinstance(thing, DaemonSet) else _of_deployment(thing)
    evidence = [
        quoted(ref_of(thing), field, str(seen), last=snapshot.at) for field, seen in (*numbers.items(), *_images(thing))
    ]
    observed, updated, is_ready = list(numbers.values())[1:4]
    wanted, generation = numbers[_WANTED[type(thing)]], numbers["metadata.generation"]
    values = {
        "subject": str(ref_of(thing)),
        "updated": str(updated),
        "ready": str(is_ready),
        "wanted": str(wanted),
    }
    old = call.params.get("image-was", "")
    if old and old in [image for _, image in _images(thing)]:
        return not_yet("repair-image-as-before", {**values, "image": old}, *evidence)
    if observed < generation or updated < wanted or is_ready < wanted:
        return not_yet("repair-rollout-runs", values, *evidence)
    return holds("repair-rolled-out", values, *evidence)


_WANTED: dict[type, str] = {
    DaemonSet: "status.desiredNumberScheduled",
    Deployment: "spec.replicas",
}


def _of_daemonset(one: DaemonSet) -> dict[str, int]:
    return {
        "metadata.generation": one.metadata.generation,
        "status.observedGeneration": one.status.observed_generation,
        "status.updatedNumberScheduled": one.status.updated_number_scheduled,
        "status.numberReady": one.status.number_ready,
        "status.desiredNumberScheduled": one.status.desired_number_scheduled,
    }


def _of_deployment(one: Deployment) -> dict[str, int]:
    """A pod more than wanted is an old one that still lives: then none counts as updated."""
    surplus = one.status.replicas > one.status.updated_replicas
    return {
        "metadata.generation": one.metadata.generation,
        "status.observedGeneration": one.status.observed_generation,
        "status.updatedReplicas": 0 if surplus else one.status.updated_replicas,
        "status.availableReplicas": one.status.available_replicas,
        "spec.replicas": one.spec.replicas,
    }


def _images(thing: Workload) -> list[tuple[str, str]]:
    containers = thing.spec.template.spec.containers
    return [(f"spec.template.spec.containers[{one.name}].image", one.image) for one in containers if one.image]


def _workload(snapshot: Snapshot, call: ProbeCall, target: Ref) -> Workload | ProbeAnswer:
    ref = asked(call, target, "object")
    if isinstance(ref, ProbeAnswer):
        return ref
    if ref.kind not in ("ds", "deploy"):
        return malformed(str(ref))
    section = Section.DAEMONSETS if ref.kind == "ds" else Section.DEPLOYMENTS
    if value := snapshot.unknown((section,)).get(section):
        return unread(section.value, value)
    return found(snapshot, ref, DaemonSet) if ref.kind == "ds" else found(snapshot, ref, Deployment)


def _env(snapshot: Snapshot, call: ProbeCall, target: Ref) -> ProbeAnswer:
    """A variable of the template: exactly `value`, or a comma-separated list that has `contains` in it."""
    thing = _workload(snapshot, call, target)
    if isinstance(thing, ProbeAnswer):
        return thing
    name, part = call.params["name"], call.params.get("contains", "")
    if not part and "value" not in call.params:
        return malformed("value")
    settings = list(_settings(thing, name, call.params.get("container", "")))
    if not settings:
        values = {"subject": str(ref_of(thing)), "field": f"env[{name}]"}
        return not_yet("repair-field-absent", values, quoted(ref_of(thing), f"env[{name}]", NONE, last=snapshot.at))
    field, seen = settings[0]
    if part:
        has = part in [one.strip() for one in seen.split(",")]
        return compared(snapshot, ref_of(thing), field, seen, seen if has else part)
    return compared(snapshot, ref_of(thing), field, seen, call.params["value"])


#: A flag that says the same as a variable and wins over it, as in Karpenter.
_FLAGS = {"FEATURE_GATES": "--feature-gates"}


def _settings(thing: Workload, name: str, container: str) -> Iterator[tuple[str, str]]:
    chosen = [one for one in thing.spec.template.spec.containers if container in ("", one.name)]
    for one in chosen:
        yield from ((f"spec.template.spec.containers[{one.name}].args", value) for value in _flag(one, name))
    for one in chosen:
        for variable in one.env:
            if variable.name == name:
                yield f"spec.template.spec.containers[{one.name}].env[{name}]", variable.value


def _flag(container: Container, name: str) -> Iterator[str]:
    flag = _FLAGS.get(name, "")
    for arg in container.args if flag else ():
        if arg.startswith((f"{flag}=", f"{flag} ")):
            yield arg[len(flag) + 1 :]


POD_GONE = Question(
    holds_when="No pod has this `uid` any more.", ask=_gone, reads=(Section.PODS,), may=frozenset({"uid", "object"})
)
ROLLED_OUT = Question(
    holds_when="The DaemonSet or Deployment runs its newest template everywhere, and no longer the image `image-was`.",
    ask=_rolled_out,
    may=frozenset({"object", "image-was"}),
)
ENV_IS = Question(
    holds_when="The environment variable `name` of the workload's template is `value`, or has `contains` among its "
    "parts.",
    ask=_env,
    needs=frozenset({"name"}),
    may=frozenset({"object", "container", "value", "contains"}),
)
