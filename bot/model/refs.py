"""References: which object of the cluster is meant, in the words people type and alerts carry."""

from __future__ import annotations

import re
from typing import Self

import msgspec

from bot.model.reasoned import Reasoned

#: What people type, and the Kubernetes kind that it means.
KINDS: dict[str, str] = {
    "node": "Node",
    "vm": "VirtualMachine",
    "pod": "Pod",
    "nodeclaim": "NodeClaim",
    "nodepool": "NodePool",
    "deploy": "Deployment",
    "job": "Job",
    "ds": "DaemonSet",
}
NAMESPACED = frozenset({"vm", "pod", "deploy", "job", "ds"})
#: What can be an object's name; the API server refuses to look for anything else.
#: https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-subdomain-names
NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")


class MalformedReference(Reasoned):
    """A reference that nobody can follow; its text names the part that is wrong."""


class Ref(msgspec.Struct, frozen=True, order=True):
    """An object of the cluster: `node/omen2`, `vm/vms/gpu-fedora`, `cluster`.

    `kind` is one of `KINDS`, or the lower-case Kubernetes kind of an object that nobody asks for by name
    (`clusterpolicy`, `kubevirt`, `event`).
    """

    kind: str
    name: str = ""
    namespace: str = ""

    def __str__(self) -> str:
        return "/".join(part for part in (self.kind, self.namespace, self.name) if part)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `node/NAME`, `vm/NS/NAME`, ... or `cluster`.

        Raises:
            MalformedReference: the kind is unknown, or a name or namespace is missing.
        """
        kind, _, rest = text.strip().partition("/")
        kind = kind.lower()
        if kind == "cluster" and not rest:
            return cls("cluster")
        if kind not in KINDS:
            raise MalformedReference("reference-kind", text=repr(text), kind=repr(kind), known=", ".join(KINDS))
        parts = rest.split("/")
        wanted = 2 if kind in NAMESPACED else 1
        if len(parts) != wanted or not all(parts):
            shape = f"{kind}/NAMESPACE/NAME" if wanted == 2 else f"{kind}/NAME"
            raise MalformedReference("reference-shape", text=repr(text), shape=shape)
        return cls(kind, parts[-1], parts[0] if wanted == 2 else "")


CLUSTER = Ref("cluster")


def node(name: str) -> Ref:
    """The reference of a node."""
    return Ref("node", name)
