"""The manifests' roles on a real API server, and clients that speak with the tokens of the accounts."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml

from tests.support.bot import until
from tests.support.controlplane import ADMIN, ControlPlane
from tests.support.kubeapi import Json, KubeApi, path_of
from tests.support.things import node, workload

FOLDER = Path(__file__).parents[2] / "deploy" / "kubernetes"
NAMESPACE = "gpu-autopsy"
READER, EXECUTOR = "gpu-autopsy", "gpu-autopsy-executor"
_PLURALS = {
    "Namespace": ("/api/v1", "namespaces", False),
    "ServiceAccount": ("/api/v1", "serviceaccounts", True),
    "ClusterRole": ("/apis/rbac.authorization.k8s.io/v1", "clusterroles", False),
    "ClusterRoleBinding": ("/apis/rbac.authorization.k8s.io/v1", "clusterrolebindings", False),
    "Role": ("/apis/rbac.authorization.k8s.io/v1", "roles", True),
    "RoleBinding": ("/apis/rbac.authorization.k8s.io/v1", "rolebindings", True),
    "ValidatingAdmissionPolicy": ("/apis/admissionregistration.k8s.io/v1", "validatingadmissionpolicies", False),
    "ValidatingAdmissionPolicyBinding": (
        "/apis/admissionregistration.k8s.io/v1",
        "validatingadmissionpolicybindings",
        False,
    ),
}


def objects(*folders: str) -> list[Json]:
    """The accounts, roles and policies of the manifests and of these components."""
    paths = [path for folder in ("", *folders) for path in sorted((FOLDER / folder).glob("*.yaml"))]
    found = [one for path in paths for one in yaml.safe_load_all(path.read_text()) if one.get("kind") in _PLURALS]
    return sorted(found, key=lambda one: list(_PLURALS).index(one["kind"]))


@contextmanager
def applied(plane: ControlPlane, *folders: str) -> Iterator[KubeApi]:
    """Create them meanwhile; the namespace stays, since nothing here finishes its deletion."""
    made = objects(*folders)
    with plane.api() as api:
        try:
            for one in made:
                answer = api.http.post(_collection(one), json=one)
                assert answer.status_code in (201, 409), answer.text
            _wait_until_rights_are(True, api, made)
            yield api
        finally:
            for one in made:
                if one["kind"] != "Namespace":
                    api.http.delete(f"{_collection(one)}/{one['metadata']['name']}")
            # Whoever creates them again would take these for those.
            _wait_until_rights_are(False, api, made)


def kubeconfig(plane: ControlPlane, api: KubeApi, account: str, folder: Path) -> Path:
    """A kubeconfig with a token of this account, as the kubelet would mount one."""
    spec = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 3600}}
    answer = api.http.post(f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts/{account}/token", json=spec)
    assert answer.status_code == 201, answer.text
    config = yaml.safe_load(plane.kubeconfig(ADMIN).read_text())
    config["users"][0]["user"] = {"token": answer.json()["status"]["token"]}
    path = folder / f"kubeconfig-{account}"
    path.write_text(yaml.safe_dump(config))
    return path


def client(plane: ControlPlane, config: Path) -> KubeApi:
    """A plain client with this kubeconfig's token."""
    token = yaml.safe_load(config.read_text())["users"][0]["user"]["token"]
    return KubeApi.at(plane.url, token, plane.trusted())


def in_force(executor: KubeApi, api: KubeApi) -> None:
    """Wait until both policies are: the server takes a moment to know of them."""
    for thing in (node("policy-probe"), workload("DaemonSet", "eks-node-monitoring-agent")):
        api.create(thing)
        for _ in range(600):
            patch = {"metadata": {"labels": {"probe": "policy"}}}
            headers = {"Content-Type": "application/merge-patch+json"}
            answer = executor.http.patch(path_of(thing), json=patch, headers=headers, params={"dryRun": "All"})
            if answer.status_code == 422:
                break
            time.sleep(0.05)
        else:
            raise AssertionError(f"no policy is in force: {answer.text}")
        api.delete(thing)


def _wait_until_rights_are(given: bool, api: KubeApi, made: list[Json]) -> None:
    """Wait until the server's authorizer goes by these bindings, or no longer: it hears of both a moment later."""
    roles = {(one["kind"], one["metadata"]["name"]): one for one in made if "rules" in one}
    for one in made:
        for account in one.get("subjects", ()):
            rule = roles[one["roleRef"]["kind"], one["roleRef"]["name"]]["rules"][0]
            what: dict[str, str] = {
                "group": rule["apiGroups"][0],
                "resource": rule["resources"][0],
                "verb": rule["verbs"][0],
                "name": rule.get("resourceNames", [""])[0],
                "namespace": NAMESPACE if one["kind"] == "RoleBinding" else "",
            }
            user = f"system:serviceaccount:{NAMESPACE}:{account['name']}"
            until(f"{user}: {what} is {given}", lambda: may(api, user, [], **what) is given)  # noqa: B023  called at once


def may(api: KubeApi, user: str, groups: list[str], **asked: str) -> bool:
    """What the server's own authorizer says."""
    spec = {"user": user, "groups": groups, "resourceAttributes": asked}
    body = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": spec}
    answer = api.http.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", json=body)
    return bool(answer.json()["status"]["allowed"])


def _collection(one: Json) -> str:
    root, plural, namespaced = _PLURALS[one["kind"]]
    return f"{root}/namespaces/{NAMESPACE}/{plural}" if namespaced else f"{root}/{plural}"
