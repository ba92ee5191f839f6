"""The objects of the simulated cluster, and the API's rules for changing them. Knows nothing of HTTP.

An object that is stored is never changed in place: each write stores a new one, so that a list that is read page by
page stays the list it was.
"""

from __future__ import annotations

import base64
import json
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from datetime import datetime
from threading import RLock
from typing import Any
from uuid import uuid4

import msgspec

from bot.app.ports import Clock
from bot.playground.apiserver import errors, rules
from bot.playground.apiserver.selectors import selected
from bot.playground.apiserver.types import TYPES, Json, ResourceType, of_kind

#: Lists that are being read page by page; the oldest expires when there are more.
_OPEN_LISTS = 64
_NAMESPACES = ("default", "kube-system", "kube-public", "kube-node-lease")


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """What a list request asks for; `limit` 0 means everything."""

    labels: str = ""
    fields: str = ""
    limit: int = 0
    token: str = ""


class Moment(msgspec.Struct, frozen=True):
    """All stored objects, none of which is ever changed."""

    objects: Mapping[ResourceType, Mapping[str, Json]]


def _new_uid() -> str:
    return str(uuid4())


class Store:
    """All objects by resource. `clock` is world time: creation and deletion times come from it."""

    def __init__(self, clock: Clock, new_uid: Callable[[], str] = _new_uid) -> None:
        self._clock = clock
        self._new_uid = new_uid
        self._lock = RLock()
        self._revision = 1
        self._served = {(one.group, one.version, one.plural): one for one in TYPES if not one.custom}
        self._objects: dict[ResourceType, dict[str, Json]] = {}
        self._open_lists: OrderedDict[tuple[ResourceType, int], list[tuple[str, Json]]] = OrderedDict()
        self.load({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in _NAMESPACES)

    def now(self) -> datetime:
        """World time."""
        return self._clock.now()

    def moment(self) -> Moment:
        """Everything as it is now, for `set_back`."""
        with self._lock:
            return Moment({kind: dict(things) for kind, things in self._objects.items()})

    def set_back(self, to: Moment) -> None:
        """Make everything as it was at that moment; the revision goes on, as if all of it were written anew."""
        with self._lock:
            self._revision += 1
            self._objects = {kind: dict(things) for kind, things in to.objects.items()}

    def install(self, group: str) -> None:
        """Serve the custom resources of this group, as if their definitions were created."""
        with self._lock:
            self._served |= {(one.group, one.version, one.plural): one for one in TYPES if one.group == group}

    def uninstall(self, kind: ResourceType) -> None:
        """No longer serve this resource; its objects go with it."""
        with self._lock:
            self._served.pop((kind.group, kind.version, kind.plural), None)
            self._objects.pop(kind, None)

    def serves(self, group: str, version: str, plural: str) -> ResourceType | None:
        """The resource at this place of the API, None if there is none."""
        return self._served.get((group, version, plural))

    def load(self, objects: Iterable[Mapping[str, Any]]) -> None:
        """Put objects in as they are: their uid, times and status are kept where they have them.

        What they need is made: their namespaces, the definitions of their kinds.

        Raises:
            ValueError: an object is of a kind that this server does not know, or has no name.
        """
        with self._lock:
            for given in objects:
                thing = deepcopy(dict(given))
                kind = of_kind(str(thing.get("apiVersion", "")), str(thing.get("kind", "")))
                meta = thing.get("metadata")
                if kind is None or not isinstance(meta, dict) or not meta.get("name"):
                    raise ValueError(f"cannot load {thing.get('apiVersion')} {thing.get('kind')} {meta}")
                if kind.custom:
                    self.install(kind.group)
                if kind.namespaced:
                    self._ensure_namespace(meta.setdefault("namespace", "default"))
                meta.setdefault("uid", self._new_uid())
                meta.setdefault("creationTimestamp", rules.timestamp(self._clock.now()))
                self._put(kind, thing)

    def page(self, kind: ResourceType, namespace: str, query: Query) -> Json:
        """A page of the list, in the order of keys; the later pages are of the same moment as the first.

        Raises:
            ApiError: 400 for a query that cannot be read, 410 where the list has expired.
        """
        wanted = selected(kind, query.labels, query.fields)
        with self._lock:
            everything, revision, start = self._moment(kind, query.token)
            found = [
                (key, thing)
                for key, thing in everything
                if key > start and (not namespace or thing["metadata"]["namespace"] == namespace) and wanted(thing)
            ]
            meta: Json = {"resourceVersion": str(revision)}
            if query.limit and len(found) > query.limit:
                left = len(found) - query.limit
                found = found[: query.limit]
                meta["continue"] = _token(revision, found[-1][0])
                if not query.labels and not query.fields:
                    meta["remainingItemCount"] = left
                self._keep(kind, revision, everything)
        items = [thing if kind.custom else _bare(thing) for _, thing in found]
        return {"kind": f"{kind.kind}List", "apiVersion": kind.api_version, "metadata": meta, "items": items}

    def expire_lists(self) -> None:
        """Forget every list that is being read: its next page is answered with 410."""
        with self._lock:
            self._open_lists.clear()

    def get(self, kind: ResourceType, namespace: str, name: str) -> Json:
        """One object.

        Raises:
            ApiError: 404.
        """
        try:
            return self._objects.get(kind, {})[_key(namespace, name)]
        except KeyError:
            raise errors.not_found(kind, name) from None

    def find(self, plural: str, namespace: str, name: str) -> Json | None:
        """An object of Kubernetes itself, None if it is not there."""
        return self._objects.get(_BUILT_IN[plural], {}).get(_key(namespace, name))

    def create(self, kind: ResourceType, namespace: str, given: Json, *, dry_run: bool = False) -> Json:
        """Create an object.

        Raises:
            ApiError: 404 without its namespace, 409 where the name is taken, 400 or 422 for what is no such object.
        """
        thing = rules.for_creation(kind, namespace, deepcopy(given), self._clock.now(), self._new_uid)
        name = thing["metadata"]["name"]
        with self._lock:
            if kind.namespaced and _key("", namespace) not in self._objects[_NAMESPACE]:
                raise errors.not_found(_NAMESPACE, namespace)
            if _key(namespace, name) in self._objects.get(kind, {}):
                raise errors.already_exists(kind, name)
            return thing if dry_run else self._put(kind, thing)

    def update(
        self,
        kind: ResourceType,
        namespace: str,
        name: str,
        change: Callable[[Json], Json],
        *,
        subresource: str = "",
        dry_run: bool = False,
    ) -> Json:
        """Change an object, or only what the subresource covers; nothing is written where nothing changes.

        Raises:
            ApiError: 404, 409 for a stale resourceVersion, 422 for a change of what cannot change.
        """
        with self._lock:
            before = self.get(kind, namespace, name)
            after = rules.after_update(kind, before, change(before), subresource)
            if after == before or dry_run:
                return after
            stored = self._put(kind, after)
            if rules.is_gone(stored):
                self._drop(kind, namespace, name)
            return stored

    def delete(
        self, kind: ResourceType, namespace: str, name: str, options: Json, *, dry_run: bool = False
    ) -> Json | None:
        """Delete an object; what is still there afterwards (finalizers, a pod's grace) is returned, else None.

        Raises:
            ApiError: 404, 409 where a precondition does not hold.
        """
        with self._lock:
            before = self.get(kind, namespace, name)
            rules.check_preconditions(kind, before, options.get("preconditions") or {})
            after = rules.after_deletion(kind, before, options.get("gracePeriodSeconds"), self._clock.now())
            gone = rules.is_gone(after)
            if not dry_run:
                if gone:
                    self._drop(kind, namespace, name)
                elif after != before:
                    after = self._put(kind, after)
            return None if gone else after

    def _moment(self, kind: ResourceType, token: str) -> tuple[list[tuple[str, Json]], int, str]:
        """Everything of a resource as it is, or as it was when the list behind the token began."""
        if not token:
            return sorted(self._objects.get(kind, {}).items()), self._revision, ""
        revision, start = _read_token(token)
        kept = self._open_lists.get((kind, revision))
        if kept is None:
            raise errors.expired()
        return kept, revision, start

    def _keep(self, kind: ResourceType, revision: int, everything: list[tuple[str, Json]]) -> None:
        self._open_lists[kind, revision] = everything
        self._open_lists.move_to_end((kind, revision))
        while len(self._open_lists) > _OPEN_LISTS:
            self._open_lists.popitem(last=False)

    def _put(self, kind: ResourceType, thing: Json) -> Json:
        self._revision += 1
        meta = {**thing["metadata"], "resourceVersion": str(self._revision)}
        stored = {**thing, "apiVersion": kind.api_version, "kind": kind.kind, "metadata": meta}
        self._objects.setdefault(kind, {})[_key(meta.get("namespace", ""), meta["name"])] = stored
        return stored

    def _drop(self, kind: ResourceType, namespace: str, name: str) -> None:
        self._revision += 1
        del self._objects[kind][_key(namespace, name)]

    def _ensure_namespace(self, name: str) -> None:
        if _key("", name) not in self._objects[_NAMESPACE]:
            self.load([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}])


_BUILT_IN = {one.plural: one for one in TYPES if not one.custom}
_NAMESPACE = _BUILT_IN["namespaces"]


def _key(namespace: str, name: str) -> str:
    return f"{namespace}/{name}"


def _bare(thing: Json) -> Json:
    """An item of a built-in resource's list: it does not repeat its kind."""
    return {key: value for key, value in thing.items() if key not in ("kind", "apiVersion")}


def _token(revision: int, last: str) -> str:
    text = json.dumps({"v": "meta.k8s.io/v1", "rv": revision, "start": f"{last}\0"})
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _read_token(token: str) -> tuple[int, str]:
    try:
        data = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
        return int(data["rv"]), str(data["start"])
    except (ValueError, KeyError, TypeError) as why:
        raise errors.bad_request(f"invalid continue token: {why}") from None
