"""CustomResourceDefinitions for a test's API server: the real ones from a folder, or some without a schema."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import yaml

from bot.model.sections import RESOURCES, Resource, Section
from tests.support.kubeapi import Json, KubeApi

#: Names the folder of the CustomResourceDefinitions that real clusters hold.
FOLDER = "AUTOPSY_TEST_CRDS"


def definitions() -> list[Json]:
    """The definitions of the folder, or schema-less ones of what the bot reads where no folder is named."""
    folder = os.environ.get(FOLDER)
    if not folder:
        return [_without_schema(one) for one in RESOURCES.values() if is_custom(one)]
    texts = [path.read_text() for path in sorted(Path(folder).glob("*.yaml"))]
    return [one for text in texts for one in yaml.load_all(text, yaml.CSafeLoader) if one]


def is_custom(resource: Resource) -> bool:
    """Whether the resource comes with a CustomResourceDefinition."""
    return "." in resource.group and not resource.group.endswith(".k8s.io")


def install(api: KubeApi, wanted: list[Json]) -> None:
    """Create the definitions and wait until the server serves them."""
    for one in wanted:
        api.create(one)
    for one in wanted:
        _wait(api, one, 30.0)


def uninstall(api: KubeApi, one: Json) -> None:
    """Delete a definition with everything of its kind, and wait until the server no longer serves it."""
    api.delete(one)
    ends = time.monotonic() + 30
    while api.http.get(_served_at(one)).status_code != 404:
        assert time.monotonic() < ends, f"{one['metadata']['name']} is still served"
        time.sleep(0.05)


def _wait(api: KubeApi, one: Json, seconds: float) -> None:
    ends = time.monotonic() + seconds
    while api.http.get(_served_at(one)).status_code != 200:
        assert time.monotonic() < ends, f"{one['metadata']['name']} is not served: {api.get(one).get('status')}"
        time.sleep(0.05)


def _served_at(one: Json) -> str:
    spec = one["spec"]
    version = next(each["name"] for each in spec["versions"] if each["served"])
    return f"/apis/{spec['group']}/{version}/{spec['names']['plural']}"


def _without_schema(resource: Resource) -> Json:
    plural, kind = resource.section.value, resource.kind
    subresources: dict[str, Any] = {} if resource.section is Section.VIRTUALMACHINEINSTANCES else {"status": {}}
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {
        "name": resource.version,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": anything},
        "subresources": subresources,
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{resource.group}"},
        "spec": {
            "group": resource.group,
            "scope": "Namespaced" if resource.namespaced else "Cluster",
            "names": {"plural": plural, "singular": kind.lower(), "kind": kind, "listKind": f"{kind}List"},
            "versions": [version],
        },
    }
