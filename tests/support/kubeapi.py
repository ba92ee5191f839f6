"""Writes to an API server over plain HTTP, real or simulated: what a test needs to set a scene and to look at it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

import httpx

from bot.adapters.kubernetes.hands import NAMESPACE
from bot.model.sections import RESOURCES

Json = dict[str, Any]
#: (group, version, plural, namespaced) by (apiVersion's group, kind): what the bot reads, and what tests put beside it.
KINDS: dict[tuple[str, str], tuple[str, str, str, bool]] = {
    **{
        (one.group, one.kind): (one.group, one.version, one.section.value, one.namespaced) for one in RESOURCES.values()
    },
    ("", "Namespace"): ("", "v1", "namespaces", False),
    ("", "ConfigMap"): ("", "v1", "configmaps", True),
    ("apps", "ReplicaSet"): ("apps", "v1", "replicasets", True),
    ("policy", "PodDisruptionBudget"): ("policy", "v1", "poddisruptionbudgets", True),
    ("karpenter.kwok.sh", "KWOKNodeClass"): ("karpenter.kwok.sh", "v1alpha1", "kwoknodeclasses", False),
    ("apiextensions.k8s.io", "CustomResourceDefinition"): (
        "apiextensions.k8s.io",
        "v1",
        "customresourcedefinitions",
        False,
    ),
    ("rbac.authorization.k8s.io", "ClusterRole"): ("rbac.authorization.k8s.io", "v1", "clusterroles", False),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): (
        "rbac.authorization.k8s.io",
        "v1",
        "clusterrolebindings",
        False,
    ),
}
#: Owners before what they own, so that the new uid of an owner is known.
_ORDER = (
    *("Node", "ClusterPolicy", "KubeVirt", "NodePool", "NodeClaim", "DaemonSet", "Deployment", "ReplicaSet"),
    *("VirtualMachine", "VirtualMachineInstance"),
)
#: Kinds of the bot's sections without a status subresource: their status is written with the object.
_WITHOUT_STATUS = frozenset({"VirtualMachineInstance", "Lease", "Event", "ConfigMap", "KWOKNodeClass"})
#: What the API server sets itself.
_SERVER_FIELDS = ("uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "selfLink")
_OWN_NAMESPACES = frozenset({"default", "kube-system", "kube-public", "kube-node-lease"})
FINALIZER = "tests.example/keep"


class Refused(AssertionError):
    """The server did not take what a test needs; the text is its answer."""


class KubeApi:
    """One user's view of an API server."""

    def __init__(self, http: httpx.Client) -> None:
        self.http = http

    @classmethod
    def at(cls, url: str, token: str, verify: Any = True) -> Self:
        """A client with a bearer token; `verify` is the TLS context, where the server speaks TLS."""
        headers = {"Authorization": f"Bearer {token}", "User-Agent": "gpu-autopsy-tests"}
        return cls(httpx.Client(base_url=url, headers=headers, verify=verify, timeout=30, trust_env=False))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def create(self, thing: Json) -> Json:
        """POST the object as it stands."""
        return _taken(self.http.post(collection_of(thing), json=thing))

    def get(self, thing: Json) -> Json:
        """The object of this kind, name and namespace, as it is now."""
        return _taken(self.http.get(path_of(thing)))

    def merge(self, thing: Json, patch: Json, subresource: str = "") -> Json:
        """Merge-patch the object or its subresource."""
        path = path_of(thing) + (f"/{subresource}" if subresource else "")
        return _taken(self.http.patch(path, json=patch, headers={"Content-Type": "application/merge-patch+json"}))

    def delete(self, thing: Json, **options: Any) -> httpx.Response:
        """DELETE with DeleteOptions."""
        return self.http.request("DELETE", path_of(thing), json=options)

    def items(self, group: str, version: str, plural: str) -> Iterator[Json]:
        """Every object of a resource in all namespaces."""
        root = f"/apis/{group}/{version}" if group else f"/api/{version}"
        answer = self.http.get(f"{root}/{plural}")
        if answer.status_code == 404:
            return
        yield from _taken(answer).get("items") or ()

    def add_namespace(self, name: str = NAMESPACE) -> None:
        """The namespace is there, if it was not before; the bot's own unless said otherwise."""
        answer = self.http.post("/api/v1/namespaces", json=namespace(name))
        if answer.status_code != 409:
            _taken(answer)

    def load(self, objects: Iterable[Mapping[str, Any]], *, collected: bool = False) -> None:
        """Create objects of a dump with their status, namespaces first; owners are known by their new uids.

        `collected` says that a garbage collector runs, which would delete what names an owner that is not there. A pod
        that a dump shows as Terminating gets a finalizer and is deleted: without a kubelet it then stays so.
        """
        things = sorted(({**one} for one in objects), key=_rank)
        for name in sorted({one["metadata"]["namespace"] for one in things if one["metadata"].get("namespace")}):
            self.add_namespace(name)
        uids: dict[str, str] = {}
        for one in things:
            self._load(one, uids, collected=collected)

    def _load(self, thing: Json, uids: dict[str, str], *, collected: bool) -> None:
        body, status = _for_creation(thing, uids, collected=collected)
        made = self.create(body)
        uids[thing["metadata"].get("uid", "")] = made["metadata"]["uid"]
        if status and thing["kind"] not in _WITHOUT_STATUS:
            self.merge(body, {"status": status}, "status")
        if thing["metadata"].get("deletionTimestamp"):
            _taken(self.delete(body))

    def wipe(self) -> None:
        """Remove every object of the kinds above except definitions and roles, and then the namespaces."""
        for group, version, plural, _ in KINDS.values():
            if plural in ("namespaces", "customresourcedefinitions", "clusterroles", "clusterrolebindings"):
                continue
            for one in self.items(group, version, plural):
                self._remove({"apiVersion": f"{group}/{version}".lstrip("/"), **one, "kind": kind_of(group, plural)})

        for one in list(self.items("", "v1", "namespaces")):
            if one["metadata"]["name"] not in _OWN_NAMESPACES:
                self._remove_namespace(one["metadata"]["name"])

    def _remove_namespace(self, name: str) -> None:
        """Delete it and do what the namespace controller would: without one it stays Terminating for ever."""
        path = path_of(namespace(name))
        self.http.delete(path)
        self.http.put(f"{path}/finalize", json={**namespace(name), "spec": {"finalizers": []}})

    def _remove(self, thing: Json) -> None:
        if thing["metadata"].get("finalizers"):
            patched = self.http.patch(
                path_of(thing),
                json={"metadata": {"finalizers": None}},
                headers={"Content-Type": "application/merge-patch+json"},
            )
            if patched.status_code == 404:
                return
        self.delete(thing, gracePeriodSeconds=0, propagationPolicy="Background")


def collection_of(thing: Json) -> str:
    """The path of the list that the object belongs to."""
    group = thing["apiVersion"].rpartition("/")[0]
    group, version, plural, namespaced = KINDS[group, thing["kind"]]
    root = f"/apis/{group}/{version}" if group else f"/api/{version}"
    scope = f"/namespaces/{thing['metadata'].get('namespace', 'default')}" if namespaced else ""
    return f"{root}{scope}/{plural}"


def path_of(thing: Json) -> str:
    """The path of the object."""
    return f"{collection_of(thing)}/{thing['metadata']['name']}"


def kind_of(group: str, plural: str) -> str:
    """The kind that a resource holds."""
    return next(kind for (_, kind), (its, _, name, _) in KINDS.items() if (its, name) == (group, plural))


def namespace(name: str) -> Json:
    """A namespace."""
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def _rank(thing: Json) -> int:
    return _ORDER.index(thing["kind"]) if thing["kind"] in _ORDER else len(_ORDER)


def _for_creation(thing: Json, uids: Mapping[str, str], *, collected: bool) -> tuple[Json, Json]:
    """The object as it can be created, and the status that follows."""
    meta = {key: value for key, value in thing["metadata"].items() if key not in _SERVER_FIELDS}
    if meta.pop("deletionTimestamp", None):
        meta["finalizers"] = [*(meta.get("finalizers") or ()), FINALIZER]
    meta.pop("deletionGracePeriodSeconds", None)
    owners = [
        {"apiVersion": "v1", **one, "uid": uids.get(one["uid"], one["uid"])}
        for one in meta.pop("ownerReferences", None) or ()
        if one["uid"] in uids or not collected
    ]
    if owners:
        meta["ownerReferences"] = owners
    return {**thing, "metadata": meta}, thing.get("status") or {}


def _taken(answer: httpx.Response) -> Json:
    if answer.status_code >= 300:
        raise Refused(f"{answer.request.method} {answer.request.url}: {answer.status_code} {answer.text[:800]}")
    data: Json = answer.json()
    return data
