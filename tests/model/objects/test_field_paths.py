"""Every field that our structs name exists in the API: plain camel case alone would lose `providerID` and the like.

Compared with the CustomResourceDefinitions where a folder of them is named, and with the OpenAPI of a real API server
where there is one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
import yaml

from bot.model.objects.meta import KubeStruct
from bot.model.sections import RESOURCES, Resource, Section
from bot.model.snapshot import TYPES
from tests.support.controlplane import ControlPlane
from tests.support.crds import FOLDER, is_custom

Json = dict[str, Any]
CUSTOM = [section for section, one in RESOURCES.items() if is_custom(one)]
#: Fields of structs that several places share: the kinds that have them there.
_DEVICES = "spec.configuration.permittedHostDevices"
ONLY: dict[str, set[Section]] = {
    "status.conditions.lastHeartbeatTime": {Section.NODES},
    "spec.replicas": {Section.DEPLOYMENTS},
    f"{_DEVICES}.pciHostDevices.mdevNameSelector": set(),
    f"{_DEVICES}.mediatedDevices.pciVendorSelector": set(),
}
BUILT_IN = [section for section in RESOURCES if section not in CUSTOM]


def paths(kind: type[KubeStruct], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every field path of a struct, in the API's names; lists are stepped through."""
    for field in msgspec.structs.fields(kind):
        path = (*above, field.encode_name)
        yield path
        for inner in _structs(field.type):
            yield from paths(inner, path)


def _structs(annotation: Any) -> Iterator[type[KubeStruct]]:
    if isinstance(annotation, type) and issubclass(annotation, KubeStruct):
        yield annotation
    for inner in get_args(annotation):
        yield from _structs(inner)


def missing(schema: Json, section: Section, definitions: Json) -> list[str]:
    """The field paths of the section's struct that the schema does not have. A schema that is open ends the search."""
    lacking = [".".join(path) for path in paths(TYPES[section]) if not _has(schema, path, definitions)]
    return [path for path in lacking if section in ONLY.get(path, {section})]


def _has(schema: Json, path: tuple[str, ...], definitions: Json) -> bool:
    for step in path:
        schema = _resolved(schema, definitions)
        while "items" in schema:
            schema = _resolved(schema["items"], definitions)
        if schema.get("x-kubernetes-preserve-unknown-fields"):
            return True
        if step not in schema.get("properties", {}):
            return False
        schema = schema["properties"][step]
    return True


def _resolved(schema: Json, definitions: Json) -> Json:
    if "$ref" in schema:
        found: Json = definitions[schema["$ref"].rpartition("/")[2]]
        return found
    parts = schema.get("allOf") or ()
    return _resolved(parts[0], definitions) if parts else schema


def _definition(folder: Path, resource: Resource) -> Json:
    for path in sorted(folder.glob("*.yaml")):
        for one in yaml.load_all(path.read_text(), yaml.CSafeLoader):
            if one and one["metadata"]["name"] == f"{resource.section.value}.{resource.group}":
                schema: Json = next(
                    each["schema"]["openAPIV3Schema"]
                    for each in one["spec"]["versions"]
                    if each["name"] == resource.version
                )
                return schema
    raise AssertionError(f"{folder} has no definition of {resource.section.value}.{resource.group} {resource.version}")


@pytest.mark.parametrize("section", CUSTOM)
def test_custom_resources_have_our_fields(section: Section) -> None:
    folder = os.environ.get(FOLDER)
    if not folder:
        pytest.skip(f"{FOLDER} names no folder of CustomResourceDefinitions")
    schema = _definition(Path(folder), RESOURCES[section])
    # A definition only says that metadata is an object; ObjectMeta itself is checked with the built-in kinds.
    schema["properties"]["metadata"] = {"x-kubernetes-preserve-unknown-fields": True}
    assert missing(schema, section, {}) == []


@pytest.mark.parametrize("section", BUILT_IN)
def test_kubernetes_itself_has_our_fields(control_plane: ControlPlane, section: Section) -> None:
    resource = RESOURCES[section]
    root = f"apis/{resource.api_version}" if resource.group else f"api/{resource.api_version}"
    with control_plane.api() as api:
        definitions = api.http.get(f"/openapi/v3/{root}").json()["components"]["schemas"]
    wanted = {"group": resource.group, "kind": resource.kind, "version": resource.version}
    schema = next(one for one in definitions.values() if wanted in one.get("x-kubernetes-group-version-kind", ()))
    assert missing(schema, section, definitions) == []


def test_the_comparison_notices_a_wrong_name() -> None:
    schema = {"properties": {"kind": {}, "metadata": {"x-kubernetes-preserve-unknown-fields": True}}}
    assert "status.nodeInfo.bootID" in missing(schema, Section.NODES, {})
