"""What every Kubernetes object shares, and the one rule that maps our names to the API's."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import msgspec

from bot.model.refs import KINDS, Ref

_WORDS = {"id": "ID", "ip": "IP", "ips": "IPs", "uuid": "UUID", "uid": "UID", "pci": "PCI", "cidr": "CIDR"}
_WHOLE = {"pci_host_devices": "pciHostDevices", "pci_vendor_selector": "pciVendorSelector"}


def api_name(field: str) -> str:
    """The API's name of one of our fields: `boot_id` -> `bootID`, where plain camel case says `bootId`."""
    if field in _WHOLE:
        return _WHOLE[field]
    first, *rest = field.split("_")
    return first + "".join(_WORDS.get(word, word.capitalize()) for word in rest)


class KubeStruct(msgspec.Struct, frozen=True, kw_only=True, rename=api_name, gc=False):
    """Base of everything decoded from the API: frozen, renamed by `api_name`, unknown fields skipped."""


class OwnerReference(KubeStruct, frozen=True, kw_only=True):
    """An entry of `metadata.ownerReferences`."""

    kind: str
    name: str
    controller: bool = False


class ManagedFields(KubeStruct, frozen=True, kw_only=True):
    """Who wrote to the object; the fields themselves are not kept."""

    manager: str = ""
    time: datetime | None = None


class ObjectMeta(KubeStruct, frozen=True, kw_only=True):
    """`metadata`, as far as it is used."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    generation: int = 0
    creation_timestamp: datetime | None = None
    deletion_timestamp: datetime | None = None
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    owner_references: tuple[OwnerReference, ...] = ()
    managed_fields: tuple[ManagedFields, ...] = ()


class Condition(KubeStruct, frozen=True, kw_only=True):
    """An entry of `status.conditions`, of any kind of object."""

    type: str
    status: str = ""
    reason: str = ""
    message: str = ""
    last_transition_time: datetime | None = None
    last_heartbeat_time: datetime | None = None


def condition(conditions: Iterable[Condition], kind: str) -> Condition | None:
    """The condition of this type, or None."""
    return next((one for one in conditions if one.type == kind), None)


class KubeObject(KubeStruct, frozen=True, kw_only=True):
    """Any object of the cluster."""

    kind: str = ""
    metadata: ObjectMeta = ObjectMeta()

    @property
    def name(self) -> str:
        """`metadata.name`."""
        return self.metadata.name

    @property
    def namespace(self) -> str:
        """`metadata.namespace`, empty for cluster-scoped objects."""
        return self.metadata.namespace


_WORD_OF_KIND = {kind: word for word, kind in KINDS.items()}


def ref_of(thing: KubeObject) -> Ref:
    """The reference of an object."""
    return Ref(word_of(thing.kind or type(thing).__name__), thing.name, thing.namespace)


def word_of(kind: str) -> str:
    """Our word for a Kubernetes kind: `VirtualMachine` -> `vm`; other kinds in lower case."""
    return _WORD_OF_KIND.get(kind, kind.lower())
