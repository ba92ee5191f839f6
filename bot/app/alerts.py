"""What an alert says about the cluster: which objects its labels name, and which firing of which alert it is.

Labels are untrusted and mean different things to different exporters, so an object that is only guessed at counts
only if it is there; the caller asks the cluster.
"""

from __future__ import annotations

import hashlib
import ipaddress
import re
from collections.abc import Iterable, Mapping

import msgspec

from bot.app.requests import Alert
from bot.model.refs import KINDS, Ref, node

#: Labels that hold a node's name: kube-state-metrics and Karpenter; `exported_` where a scrape renames it;
#: `Hostname` is NVIDIA's dcgm-exporter.
_NODES = ("node", "exported_node", "node_name", "nodename", "kubernetes_node", "Hostname")
#: Labels that hold an object in `namespace` (label, kind). An exporter's own pod stands in `pod` wherever the
#: subject had to be renamed to `exported_pod`.
_NAMESPACED = (
    ("vm", "vm"),
    ("deployment", "deploy"),
    ("daemonset", "ds"),
    ("job_name", "job"),
)
_CLUSTER_WIDE = (("nodepool", "nodepool"), ("nodeclaim", "nodeclaim"))
#: A Kubernetes name that stands by itself:
#: https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-subdomain-names
_NAME = re.compile(r"(?<![\w.-])[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?(?![\w-])")
#: Words that mean a kind, not a name.
_NO_NAMES = frozenset({*KINDS, "cluster"})
#: A name is rarely a plain word; those that are not are looked up first.
_TELLING = re.compile(r"[0-9.-]")
#: Every word costs a request to the API server.
_MOST_WORDS = 30
#: Alertmanager's default title of a message whose alerts have all ended (prometheus/alertmanager
#: `template/default.tmpl`).
_RESOLVED = re.compile(r"\[RESOLVED\b")


class Named(msgspec.Struct, frozen=True):
    """`refs` are named as what they are, even if they are gone; `guesses` are names of something, if it is there."""

    refs: tuple[Ref, ...] = ()
    guesses: tuple[str, ...] = ()


def named_by(alerts: Iterable[Alert]) -> Named:
    """What the labels of these alerts name, each once."""
    refs: dict[Ref, None] = {}
    guesses: dict[str, None] = {}
    for alert in alerts:
        one = _named(alert.labels)
        refs.update(dict.fromkeys(one.refs))
        guesses.update(dict.fromkeys(one.guesses))
    return Named(tuple(refs), tuple(guesses))


def _named(labels: Mapping[str, str]) -> Named:
    refs = [node(labels[one]) for one in _NODES if labels.get(one)]
    namespace = labels.get("exported_namespace") or labels.get("namespace", "")
    if namespace:
        refs += [Ref(kind, labels[label], namespace) for label, kind in _NAMESPACED if labels.get(label)]
        pod = labels.get("exported_pod") or labels.get("pod")
        # The pod beside a node is as a rule the exporter that watches the node.
        if pod and (labels.get("exported_pod") or not refs):
            refs.append(Ref("pod", pod, namespace))
    refs += [Ref(kind, labels[label]) for label, kind in _CLUSTER_WIDE if labels.get(label)]
    return Named(tuple(refs), tuple(one for one in (_host(labels.get("instance", "")), labels.get("name", "")) if one))


def _host(instance: str) -> str:
    """The host of `HOST:PORT`; an address is no name."""
    host = instance.rpartition(":")[0] or instance
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return host
    return ""


def names_in(text: str) -> tuple[str, ...]:
    """The words of a text that could be names of objects, the likely ones first, at most thirty."""
    words = [one for one in dict.fromkeys(_NAME.findall(text)) if not one.isdigit() and one not in _NO_NAMES]
    return tuple(sorted(words, key=lambda one: not _TELLING.search(one))[:_MOST_WORDS])


def firing_id(alert: Alert) -> str:
    """Which firing of which alert: the fingerprint and since when."""
    labels = "\n".join(f"{name}={value}" for name, value in sorted(alert.labels.items()))
    fingerprint = alert.fingerprint or hashlib.sha256(labels.encode()).hexdigest()[:16]
    return f"{fingerprint}@{alert.starts_at.isoformat() if alert.starts_at else ''}"


def tells_an_end(text: str) -> bool:
    """Whether an alert message says that its alert is over."""
    return bool(_RESOLVED.search(text))
