"""What a person would type instead of the bot: where mutations are off, a plan is commands to copy."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bot.model.refs import Ref
from bot.remedy.runbook import Verb

_Params = Mapping[str, str]


def commands(verb: Verb, ref: Ref, select: str, params: _Params) -> tuple[str, ...]:
    """One line each, a backslash joins two; none for a verb that changes nothing."""
    make = _COMMANDS.get(verb)
    return make(ref, select, params) if make else ()


def _label(ref: Ref, _select: str, params: _Params) -> tuple[str, ...]:
    return (f"kubectl label node {ref.name} --overwrite \\", f"  {params['label']}={params['value']}")


def _on_node(word: str) -> Callable[[Ref, str, _Params], tuple[str, ...]]:
    return lambda ref, _select, _params: (f"kubectl {word} {ref.name}",)


def _evict(ref: Ref, _select: str, _params: _Params) -> tuple[str, ...]:
    return (f"kubectl delete pod -n {ref.namespace} \\", f"  {ref.name}")


def _restart(ref: Ref, _select: str, _params: _Params) -> tuple[str, ...]:
    return (f"kubectl -n {ref.namespace} rollout restart \\", f"  {ref.kind}/{ref.name}")


def _config(ref: Ref, _select: str, params: _Params) -> tuple[str, ...]:
    return (
        f"kubectl -n {ref.namespace} edit configmap \\",
        f"  {ref.name}",
        f"# {params['key']}: {params.get('path', '')}: {params['value']}",
    )


def _env(ref: Ref, _select: str, params: _Params) -> tuple[str, ...]:
    """One gate among others is edited in place: `set env` would write the whole list as it was once read."""
    setting = f"{params['gate']}={params['value']}" if "gate" in params else params["value"]
    return (
        f"kubectl -n {ref.namespace} edit {ref.kind}/{ref.name}",
        f"# {params['container']}: {params['name']}: {setting}",
    )


def _clear(ref: Ref, select: str, params: _Params) -> tuple[str, ...]:
    pool = select.partition("=")[2]
    shown = (f"kubectl get nodes -l karpenter.sh/nodepool={pool}",) if pool else ()
    name = "NODE" if pool else ref.name
    return (*shown, f"kubectl edit node {name} --subresource=status", f"# - status.conditions[{params['condition']}]")


_COMMANDS: Mapping[Verb, Callable[[Ref, str, _Params], tuple[str, ...]]] = {
    Verb.LABEL_NODE: _label,
    Verb.CORDON: _on_node("cordon"),
    Verb.UNCORDON: _on_node("uncordon"),
    Verb.EVICT_POD: _evict,
    Verb.ROLLOUT_RESTART: _restart,
    Verb.PATCH_CONFIGMAP: _config,
    Verb.SET_ENV: _env,
    Verb.CLEAR_CONDITION: _clear,
}
