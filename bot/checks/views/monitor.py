"""The node monitoring agent as a workload: its DaemonSet, its image, and the ConfigMap that it mounts, if any.

Source: chart of aws/eks-node-monitoring-agent, 1.6.0 to 1.7.0. `nodeAgent.monitors` is empty by default: then there is
neither ConfigMap nor mount; otherwise `FULLNAME-monitor-config` is mounted as the volume `monitor-config`. Agents
before 1.6.0 know no such setting.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from bot.checks.views.gpu_conditions import MONITOR
from bot.model.objects import DaemonSet, ref_of
from bot.model.refs import Ref
from bot.model.snapshot import Snapshot, known

_VOLUME = "monitor-config"
_VERSION = re.compile(r":v(\d+)\.(\d+)\.\d+(?:-|$)")
_SETTINGS_FROM = (1, 6)


class Monitor(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of the agent; empty where it was not read."""

    daemonset: tuple[Ref, ...] = ()
    config: tuple[Ref, ...] = ()
    old_image: str = ""
    """The image, where it is of an agent before 1.6.0."""


def monitor(snapshot: Snapshot, pods: Iterable[Ref] = ()) -> Monitor:
    """The agent's DaemonSet, from its own section, else from the owners of its pods."""
    for one in sorted(known(snapshot.daemonsets), key=lambda one: (one.namespace, one.name)):
        if MONITOR in one.name:
            return Monitor(daemonset=(ref_of(one),), config=_config(one), old_image=_old_image(one))
    return Monitor(daemonset=_owners(snapshot, frozenset(pods)))


def _owners(snapshot: Snapshot, pods: frozenset[Ref]) -> tuple[Ref, ...]:
    owners = {
        Ref("ds", own.name, pod.namespace)
        for pod in known(snapshot.pods)
        if ref_of(pod) in pods
        for own in pod.metadata.owner_references
        if own.kind == "DaemonSet"
    }
    return tuple(sorted(owners))


def _config(one: DaemonSet) -> tuple[Ref, ...]:
    return tuple(
        Ref("configmap", volume.config_map.name, one.namespace)
        for volume in one.spec.template.spec.volumes
        if volume.name == _VOLUME and volume.config_map is not None
    )


def _old_image(one: DaemonSet) -> str:
    images = (container.image for container in one.spec.template.spec.containers)
    return next((image for image in images if _is_old(image)), "")


def _is_old(image: str) -> bool:
    """Whether the tag says a version without settings; a digest or another tag says none."""
    hit = _VERSION.search(image)
    return hit is not None and (int(hit[1]), int(hit[2])) < _SETTINGS_FROM
