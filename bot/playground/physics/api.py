"""The few calls that the controllers make, over the official client's transport; objects are plain dicts."""

from __future__ import annotations

import json
from typing import Any, cast

from kubernetes import client, config

#: A Kubernetes object as JSON has it.
Object = dict[str, Any]
_TIMEOUT = (3, 10)
_JSON = "application/json"
_MERGED, _JOINED = "application/merge-patch+json", "application/strategic-merge-patch+json"
NODES = "/api/v1/nodes"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
NODECLAIMS = "/apis/karpenter.sh/v1/nodeclaims"
EVENTS = "/api/v1/namespaces/default/events"
PODS = "/api/v1/pods"
INSTANCES = "/apis/kubevirt.io/v1/virtualmachineinstances"
MACHINES = "/apis/kubevirt.io/v1/virtualmachines"


def path_of(collection: str, thing: Object) -> str:
    """The path of a namespaced object, of which `collection` holds those of all namespaces."""
    root, _, plural = collection.rpartition("/")
    return f"{root}/namespaces/{thing['metadata']['namespace']}/{plural}/{thing['metadata']['name']}"


class Refused(Exception):
    """The API server answered with an error; `status` is its HTTP status."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"{status}: {text[:300]}")
        self.status = status


class Api:
    """One API server.

    Args:
        kubeconfig: a kubeconfig as a dict; its current context is used.
    """

    def __init__(self, kubeconfig: Object) -> None:
        self._client: client.ApiClient = cast(Any, config).new_client_from_config_dict(kubeconfig, persist_config=False)

    def list(self, path: str) -> list[Object]:
        """All objects of a collection.

        Raises:
            Refused: the server answered with an error.
        """
        return cast(list[Object], self._call("GET", path)["items"] or [])

    def get(self, path: str) -> Object | None:
        """One object, None if there is none.

        Raises:
            Refused: the server answered with another error.
        """
        return self._unless_gone("GET", path)

    def create(self, path: str, body: Object) -> Object:
        """Create an object in a collection.

        Raises:
            Refused: the server answered with an error (409: it is there already).
        """
        return self._call("POST", path, body)

    def patch(self, path: str, body: Object, *, joined: bool = False) -> Object | None:
        """Merge patch, or one that joins lists by their keys (strategic); None if the object is gone.

        Raises:
            Refused: the server answered with another error.
        """
        return self._unless_gone("PATCH", path, body, _JOINED if joined else _MERGED)

    def delete(self, path: str, *, at_once: bool = False) -> None:
        """Delete an object; one that is gone is no error.

        A pod is gone only when its kubelet says so, or `at_once`, as pod garbage collection deletes those whose
        node is gone.

        Raises:
            Refused: the server answered with another error.
        """
        options = {"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0} if at_once else None
        self._unless_gone("DELETE", path, options)

    def _unless_gone(self, method: str, path: str, body: Object | None = None, form: str = _JSON) -> Object | None:
        try:
            return self._call(method, path, body, form)
        except Refused as why:
            if why.status == 404:
                return None
            raise

    def _call(self, method: str, path: str, body: Object | None = None, form: str = _JSON) -> Object:
        request = self._client.param_serialize(
            method,
            path,
            header_params={"Accept": "application/json", "Content-Type": form},
            body=body,
            auth_settings=["BearerToken"],
        )
        reply = self._client.call_api(*request, _request_timeout=_TIMEOUT)
        text = cast(Any, reply).read().decode()
        if reply.status >= 400:
            raise Refused(reply.status, text)
        return cast(Object, json.loads(text))
