"""A value of a ConfigMap, which only the executor reads, by name: `Snapshot.configmaps` is empty for everybody else."""

from __future__ import annotations

from typing import Any

import yaml

from bot.checks.evidence import NONE, quoted
from bot.model.objects import ConfigMap, DaemonSet, ref_of
from bot.model.refs import MalformedReference, Ref
from bot.model.sections import NotInstalled, Section, Unknown
from bot.model.snapshot import Snapshot
from bot.remedy.probes.answer import ProbeAnswer, Question, cannot_tell, compared, malformed, not_yet, unread
from bot.remedy.probes.objects import absent, configmap, found
from bot.remedy.runbook import ProbeCall


def configmaps_of(snapshot: Snapshot, call: ProbeCall, target: Ref) -> tuple[Ref, ...] | ProbeAnswer:
    """The ConfigMaps that a call is about, to be read by name: the target, or what the DaemonSet mounts."""
    text = call.params.get("daemonset", "")
    if not text:
        return (target,) if target.kind == "configmap" and target.name else malformed("daemonset")
    try:
        ref = Ref.parse(text)
    except MalformedReference:
        return malformed(f"daemonset={text}")
    if value := snapshot.unknown((Section.DAEMONSETS,)).get(Section.DAEMONSETS):
        return unread(Section.DAEMONSETS.value, value)
    thing = found(snapshot, ref, DaemonSet)
    if isinstance(thing, ProbeAnswer):
        return thing
    volumes = thing.spec.template.spec.volumes
    mounted = tuple(Ref("configmap", one.config_map.name, thing.namespace) for one in volumes if one.config_map)
    if not mounted:
        quote = quoted(ref_of(thing), "spec.template.spec.volumes", NONE, last=snapshot.at)
        return not_yet("repair-config-not-mounted", {"subject": str(ref)}, quote)
    return mounted


def _config(snapshot: Snapshot, call: ProbeCall, target: Ref) -> ProbeAnswer:
    refs = configmaps_of(snapshot, call, target)
    if isinstance(refs, ProbeAnswer):
        return refs
    if isinstance(snapshot.configmaps, Unknown):
        return unread("configmaps", snapshot.configmaps)
    if isinstance(snapshot.configmaps, NotInstalled):
        return cannot_tell("repair-sees-no-kind", {"section": "configmaps"})
    key = call.params["key"]
    read = [one for ref in refs if (one := configmap(snapshot, ref)) is not None]
    with_key = [one for one in read if key in one.data]
    if not read:
        return not_yet("repair-object-gone", {"subject": str(refs[0])}, absent(snapshot, refs[0]))
    if not with_key:
        return compared(snapshot, ref_of(read[0]), f"data[{key}]", "", call.params["value"])
    return _value(snapshot, call, with_key[0])


def _value(snapshot: Snapshot, call: ProbeCall, one: ConfigMap) -> ProbeAnswer:
    key, path, wanted = call.params["key"], call.params.get("path", ""), call.params["value"].strip()
    if not path:
        return compared(snapshot, ref_of(one), f"data[{key}]", one.data[key].strip(), wanted)
    try:
        document = yaml.load(one.data[key], Loader=yaml.CSafeLoader)
        setting = yaml.load(wanted, Loader=yaml.CSafeLoader)
    except yaml.YAMLError as why:
        what = f"data[{key}]: {' '.join(str(why).split())[:120]}"
        return cannot_tell("repair-value-unreadable", {"subject": str(ref_of(one)), "what": what})
    seen = _at(document, path)
    shown = "" if seen is None else _written(seen)
    return compared(snapshot, ref_of(one), f"data[{key}].{path}", shown, _written(setting))


def _at(document: Any, path: str) -> Any:
    for part in path.split("."):
        document = document.get(part) if isinstance(document, dict) else None
    return document


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


CONFIG_IS = Question(
    holds_when="The value under `key` of a ConfigMap, or inside it the one at `path` of its YAML, is `value`; with "
    "`daemonset`, of one that this DaemonSet mounts, since one that nobody mounts changes nothing.",
    ask=_config,
    needs=frozenset({"key", "value"}),
    may=frozenset({"path", "daemonset"}),
)
