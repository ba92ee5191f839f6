"""Writes to etcd behind the API server's back: what the API does not let anybody set, and expiry of lists."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from typing import Any

import httpx

from tests.support.kubeapi import KINDS, KubeApi

#: Times of an object that only the server sets.
_TIMES = ("creationTimestamp", "deletionTimestamp")


class Etcd:
    """etcd through its JSON gateway."""

    def __init__(self, url: str) -> None:
        self._url = url

    def date_back(self, api: KubeApi, things: Iterable[Mapping[str, Any]]) -> None:
        """Give loaded objects the creation and deletion times that their dump has."""
        with self._client() as etcd:
            for thing in things:
                meta = thing["metadata"]
                times = {key: meta[key] for key in _TIMES if meta.get(key)}
                if not times:
                    continue
                stored = api.get(dict(thing))
                stored["metadata"] |= times
                stored["metadata"].pop("resourceVersion")
                self._put(etcd, _key(thing), json.dumps(stored))

    def compact(self) -> None:
        """Forget every revision but the newest: lists that are being read from etcd itself expire."""
        with self._client() as etcd:
            revision = self._put(etcd, "/tests/any", "any")
            etcd.post("/v3/kv/compaction", json={"revision": revision, "physical": True}).raise_for_status()

    def _client(self) -> httpx.Client:
        return httpx.Client(base_url=self._url, trust_env=False)

    def _put(self, etcd: httpx.Client, key: str, value: str) -> str:
        body = {"key": _encoded(key), "value": _encoded(value)}
        answer = etcd.post("/v3/kv/put", json=body).raise_for_status()
        revision: str = answer.json()["header"]["revision"]
        return revision


def _key(thing: Mapping[str, Any]) -> str:
    """Where the API server keeps an object; nodes still lie under their first name."""
    group, _, plural, namespaced = KINDS[thing["apiVersion"].rpartition("/")[0], thing["kind"]]
    resource = f"{group}/{plural}" if "." in group and not group.endswith(".k8s.io") else plural
    parts = ["minions" if plural == "nodes" else resource]
    if namespaced:
        parts.append(thing["metadata"].get("namespace", "default"))
    return "/".join(["/registry", *parts, thing["metadata"]["name"]])


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
