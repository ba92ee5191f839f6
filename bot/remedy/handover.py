"""What is handed to an owner instead of patching its object: the lines to copy, and the values to commit.

Sources: charts of aws/eks-node-monitoring-agent (1.6.0 to 1.7.0) and aws/karpenter-provider-aws; the AWS CLI's
`eks update-addon`; helm.sh; argo-cd.readthedocs.io; fluxcd.io.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum

import msgspec

from bot.model.refs import Ref
from bot.remedy.owners import Owner, OwnerKind

#: The chart and add-on of aws/eks-node-monitoring-agent that these lines were written for.
AGENT_CHART = "1.7.0"
AGENT_ADDON = "v1.7.0-eksbuild.1"
_AGENT = "eks-node-monitoring-agent"
_AGENT_REPOSITORY = "https://aws.github.io/eks-node-monitoring-agent"
_KARPENTER_CHART = "oci://public.ecr.aws/karpenter/karpenter"


class Change(StrEnum):
    """Everything that can be handed over."""

    MONITOR_UPGRADE = "monitor-upgrade"
    MONITOR_OFF = "monitor-off"
    NODE_REPAIR = "node-repair"


class HandOver(msgspec.Struct, frozen=True, kw_only=True):
    """`commands` are one line each, a backslash joins two; `values` is the YAML of the change, where there is one."""

    commands: tuple[str, ...] = ()
    values: str = ""


class _Setting(msgspec.Struct, frozen=True):
    """One Helm value by its path, as `--set`, as YAML and as the add-on's JSON have it."""

    path: str
    value: str

    @property
    def yaml(self) -> str:
        *parents, last = self.path.split(".")
        lines = [f"{'  ' * depth}{name}:" for depth, name in enumerate(parents)]
        return "\n".join([*lines, f"{'  ' * len(parents)}{last}: {self.value}"]) + "\n"

    @property
    def json(self) -> str:
        text = self.value
        for name in reversed(self.path.split(".")):
            text = f'{{"{name}":{text}}}'
        return text


def hand_over(change: Change, owner: Owner, ref: Ref, facts: Mapping[str, str]) -> HandOver:
    """The exact change for the owner of `ref`.

    Args:
        change: what.
        owner: whose.
        ref: the DaemonSet or Deployment that runs with it.
        facts: parameters of the plan (`architecture`, `eks-cluster`, `karpenter-version`), and the step's `value`.
    """
    settings = _settings(change, facts)
    values = "".join(one.yaml for one in settings)
    lines = _LINES.get(owner.kind, _nothing)(change, owner, ref, settings, facts)
    told = () if lines and owner.kind in _TYPED else _to_commit(change, values)
    return HandOver(commands=(*told, *lines), values=values)


def _to_commit(change: Change, values: str) -> tuple[str, ...]:
    """What is committed first, as comments: nobody pastes it into a shell by mistake."""
    version = () if change is Change.NODE_REPAIR else (f"# chart {_AGENT} >= {AGENT_CHART}",)
    given = ("# values.yaml:", *(f"#   {line}" for line in values.splitlines())) if values else ()
    return (*version, *given)


def _settings(change: Change, facts: Mapping[str, str]) -> tuple[_Setting, ...]:
    if change is Change.MONITOR_OFF:
        return (_Setting("nodeAgent.monitors.nvidia.enabled", "false"),)
    if change is Change.NODE_REPAIR:
        return (_Setting("settings.featureGates.nodeRepair", facts.get("value", "false")),)
    if facts.get("architecture") == "arm64":
        # The agent does not look for DCGM on arm64 (monitors/nvidia/monitor.go): the new version is the repair.
        return ()
    # The chart's dcgm-server tolerates no taint by default, so it is on no tainted GPU node.
    return (_Setting("dcgmAgent.tolerations", '[{"operator":"Exists"}]'),)


_Lines = Callable[[Change, Owner, Ref, tuple[_Setting, ...], Mapping[str, str]], tuple[str, ...]]


def _addon(
    change: Change, owner: Owner, _ref: Ref, settings: tuple[_Setting, ...], facts: Mapping[str, str]
) -> tuple[str, ...]:
    """The values given replace all that were set before: so those are shown first. No add-on installs Karpenter."""
    if change is Change.NODE_REPAIR:
        return ()
    where = f"--cluster-name {facts.get('eks-cluster') or 'CLUSTER'} \\"
    lines = [
        f"aws eks describe-addon {where}",
        f"  --addon-name {owner.name} \\",
        "  --query addon.configurationValues",
        f"aws eks update-addon {where}",
        f"  --addon-name {owner.name} \\",
        f"  --addon-version {AGENT_ADDON} \\",
    ]
    lines += [line for one in settings for line in ("  --configuration-values \\", f"  '{one.json}' \\")]
    return (*lines, "  --resolve-conflicts PRESERVE")


def _helm(
    change: Change, owner: Owner, ref: Ref, settings: tuple[_Setting, ...], facts: Mapping[str, str]
) -> tuple[str, ...]:
    release, namespace = owner.name, owner.namespace or ref.namespace
    return (
        f"helm get values {release} -n {namespace}",
        f"helm upgrade {release} -n {namespace} \\",
        *_chart(change, facts),
        *(f"  --set-json '{one.path}={one.value}' \\" for one in settings),
        "  --reset-then-reuse-values",
    )


def _chart(change: Change, facts: Mapping[str, str]) -> tuple[str, ...]:
    if change is Change.NODE_REPAIR:
        return (f"  {_KARPENTER_CHART} \\", f"  --version {facts.get('karpenter-version') or 'VERSION'} \\")
    return (f"  {_AGENT} --version {AGENT_CHART} \\", f"  --repo {_AGENT_REPOSITORY} \\")


def _argocd(
    _change: Change, owner: Owner, _ref: Ref, _settings: tuple[_Setting, ...], _facts: Mapping[str, str]
) -> tuple[str, ...]:
    return (f"argocd app sync {owner.name or 'APPLICATION'}",)


def _flux(
    _change: Change, owner: Owner, _ref: Ref, _settings: tuple[_Setting, ...], _facts: Mapping[str, str]
) -> tuple[str, ...]:
    return (f"flux reconcile {owner.through} {owner.name} \\", f"  -n {owner.namespace} --with-source")


def _plain(
    change: Change, _owner: Owner, ref: Ref, settings: tuple[_Setting, ...], facts: Mapping[str, str]
) -> tuple[str, ...]:
    """Whoever applied rendered manifests renders them again."""
    return (
        f"helm template {ref.name} -n {ref.namespace} \\",
        *_chart(change, facts),
        *(f"  --set-json '{one.path}={one.value}' \\" for one in settings),
        "  | kubectl apply -f -",
    )


def _nothing(
    _change: Change, _owner: Owner, _ref: Ref, _settings: tuple[_Setting, ...], _facts: Mapping[str, str]
) -> tuple[str, ...]:
    """Whoever owns it knows how; the values say what."""
    return ()


_LINES: Mapping[OwnerKind, _Lines] = {
    OwnerKind.EKS_ADDON: _addon,
    OwnerKind.HELM: _helm,
    OwnerKind.ARGOCD: _argocd,
    OwnerKind.FLUX: _flux,
    OwnerKind.PLAIN: _plain,
}
#: Owners whose lines carry the values themselves.
_TYPED = frozenset({OwnerKind.EKS_ADDON, OwnerKind.HELM, OwnerKind.PLAIN})
