"""Small Kubernetes objects for tests, as plain data and as our structs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeVar
from zlib import crc32

import msgspec

from bot.model.objects import KubeObject

T = TypeVar("T", bound=KubeObject)


def thing(
    kind: str, name: str, namespace: str = "", *, api: str = "v1", meta: dict[str, Any] | None = None, **rest: Any
) -> dict[str, Any]:
    """An object as `kubectl get -o json` writes it."""
    metadata: dict[str, Any] = {"name": name, **({"namespace": namespace} if namespace else {}), **(meta or {})}
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **rest}


def node(name: str, ready: str = "True", **meta: Any) -> dict[str, Any]:
    """A node with only its Ready condition."""
    condition = {"type": "Ready", "status": ready, "lastTransitionTime": "2026-11-30T06:00:00Z"}
    return thing("Node", name, meta=meta, status={"conditions": [condition]})


def event(kind: str, about: str, namespace: str, message: str, *, reason: str = "Told", **rest: Any) -> dict[str, Any]:
    """An event about an object; its own name is made of the object's and the message's."""
    involved = {"kind": kind, "name": about, "namespace": namespace}
    digest = crc32(f"{kind} {message}".encode())
    name = f"{about}.{digest:x}"
    return thing("Event", name, namespace or "default", involvedObject=involved, reason=reason, message=message, **rest)


def listed(*items: dict[str, Any], kind: str = "List") -> dict[str, Any]:
    """A list as `kubectl get -o json` writes it."""
    return {"apiVersion": "v1", "kind": kind, "items": list(items)}


def decoded(data: dict[str, Any], kind: type[T]) -> T:
    """The object as the adapters decode it."""
    return msgspec.convert(data, kind)


def write(folder: Path, name: str, *documents: object) -> Path:
    """Write documents one after the other into a file of the folder."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in documents))
    return path
