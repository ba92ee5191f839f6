"""Names of systemd units, as the evidence calls them."""

from __future__ import annotations

#: Units whose process is the kubelet as well, so that their journal is its journal
#: (k3s: "Architecture", server and agent run the kubelet inside one process; https://docs.k3s.io/architecture).
_KUBELETS = frozenset({"k3s", "k3s-agent"})


def unit_name(text: str) -> str:
    """The unit without its ending; `kubelet` for whatever runs the kubelet within itself."""
    name = text.removesuffix(".service")
    return "kubelet" if name in _KUBELETS else name
