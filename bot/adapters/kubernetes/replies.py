"""What a reply of the API server means: objects, an error that is a fact, an error that tells nothing."""

from __future__ import annotations

from enum import Enum

import msgspec

from bot.adapters.decode import decode_objects
from bot.adapters.kubernetes.client import Reply
from bot.model.objects import KubeObject
from bot.model.objects.meta import KubeStruct
from bot.model.sections import NotInstalled, Resource, Section, Unknown, UnknownReason, UnreadableObject
from bot.model.snapshot import TYPES


class Outcome(Enum):
    """Errors that the reader of a list acts on itself."""

    ABSENT = "absent"
    EXPIRED = "expired"


class ListMeta(KubeStruct, frozen=True, kw_only=True):
    """A list's `metadata`; `continue` asks for the next page."""

    continue_: str = msgspec.field(default="", name="continue")


class Cause(KubeStruct, frozen=True, kw_only=True):
    """One cause in a Status: a field, or the disruption budget that forbids an eviction."""

    message: str = ""


class Details(KubeStruct, frozen=True, kw_only=True):
    """A Status' `details`."""

    causes: tuple[Cause, ...] | None = None


class Status(KubeStruct, frozen=True, kw_only=True):
    """meta/v1 Status: how the API server words an error."""

    kind: str = ""
    reason: str = ""
    message: str = ""
    details: Details | None = None


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """One page of a list; `next` is empty on the last."""

    objects: tuple[KubeObject, ...] = ()
    unreadable: tuple[UnreadableObject, ...] = ()
    next: str = ""


class _List(KubeStruct, frozen=True, kw_only=True):
    kind: str = ""
    metadata: ListMeta = ListMeta()


#: A list of each section's objects. `kind` is decoded too: a Status would pass as a list without items.
_LISTS: dict[Section, msgspec.json.Decoder[_List]] = {
    section: msgspec.json.Decoder(
        msgspec.defstruct(
            f"{kind.__name__}List",
            [("items", tuple[kind, ...] | None, None)],  # type: ignore[valid-type]
            bases=(_List,),
            frozen=True,
            kw_only=True,
            gc=False,
        )
    )
    for section, kind in TYPES.items()
}


def problem(reply: Reply, resource: Resource) -> Outcome | Unknown | NotInstalled | None:
    """What is wrong with the reply; None for an ordinary one.

    A resource that is not served is told from an object that is not there by the form of the 404: plain text
    against a Status (measured on Kubernetes 1.36). Resources of Kubernetes itself are always served, so a plain 404
    for one of them comes from something else than an API server.
    """
    if reply.status == 200:
        return None
    status = _status(reply)
    if reply.status == 404:
        if status is not None and status.reason == "NotFound":
            return Outcome.ABSENT
        if status is None and reply.body.strip() == b"404 page not found" and _is_custom(resource):
            return NotInstalled(f"{resource.section.value}.{resource.group}")
    if reply.status == 410:
        return Outcome.EXPIRED
    reason = UnknownReason.FORBIDDEN if reply.status == 403 else UnknownReason.FAILED
    return Unknown(reason, f"HTTP {reply.status}: {told(reply)}")


def told(reply: Reply) -> str:
    """The server's own words for an error, shortened."""
    status = _status(reply)
    text = status.message if status else reply.body[:300].decode("utf-8", "replace")
    return " ".join(text.split())[:300]


def causes(reply: Reply) -> tuple[str, ...]:
    """What the server adds to its words, such as which disruption budget forbids an eviction."""
    status = _status(reply)
    found = (status.details.causes if status and status.details else None) or ()
    return tuple(" ".join(one.message.split())[:300] for one in found)


def page(reply: Reply, section: Section) -> Page | Unknown:
    """Decode one page of a list; where an object does not decode, object by object."""
    try:
        found = _LISTS[section].decode(reply.body)
    except msgspec.ValidationError:
        return _page_by_item(reply, section)
    except msgspec.DecodeError as why:
        return _unreadable(why)
    if not found.kind.endswith("List"):
        return _not_a_list(found.kind)
    objects: tuple[KubeObject, ...] | None = getattr(found, "items", None)
    return Page(objects=objects or (), next=found.metadata.continue_)


def single(reply: Reply, section: Section) -> Page | Unknown:
    """Decode the one object that was asked for by its name."""
    try:
        data = msgspec.json.decode(reply.body)
    except msgspec.DecodeError as why:
        return _unreadable(why)
    if not isinstance(data, dict) or data.get("kind") == "Status":
        return _not_a_list(data.get("kind") if isinstance(data, dict) else data)
    objects, unreadable = decode_objects(section, [data])
    return Page(objects=objects, unreadable=unreadable)


def _page_by_item(reply: Reply, section: Section) -> Page | Unknown:
    try:
        data = msgspec.json.decode(reply.body)
    except msgspec.DecodeError as why:
        return _unreadable(why)
    if not isinstance(data, dict) or not str(data.get("kind", "")).endswith("List"):
        return _not_a_list(data.get("kind") if isinstance(data, dict) else data)
    items, metadata = data.get("items") or [], data.get("metadata") or {}
    if not isinstance(items, list) or not isinstance(metadata, dict):
        return Unknown(UnknownReason.FAILED, "reply-no-object")
    objects, unreadable = decode_objects(section, items)
    return Page(objects=objects, unreadable=unreadable, next=str(metadata.get("continue") or ""))


def _status(reply: Reply) -> Status | None:
    try:
        status = msgspec.json.decode(reply.body, type=Status)
    except msgspec.DecodeError:
        return None
    return status if status.kind == "Status" else None


def _is_custom(resource: Resource) -> bool:
    return "." in resource.group and not resource.group.endswith(".k8s.io")


def _unreadable(why: Exception) -> Unknown:
    return Unknown(UnknownReason.FAILED, f"reply-unreadable {why}")


def _not_a_list(kind: object) -> Unknown:
    return Unknown(UnknownReason.FAILED, f"reply-of-another-kind {str(kind)[:80]}")
