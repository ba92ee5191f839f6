"""Each role of the manifests can do exactly what it must: a matrix of every resource, verb and name that matters.

Axes: account; every resource and subresource that a real API server serves; every verb; the object's name; namespace.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import httpx
import pytest

from bot.adapters.kubernetes.cluster import LiveCluster
from bot.adapters.kubernetes.hands import KubernetesHands
from bot.adapters.kubernetes.identity import SYSTEM, cluster_uid
from bot.app.ports import Read
from bot.app.repair.ports import CannotPrepare
from bot.model.sections import RESOURCES
from bot.remedy.plan import Actor, Holder
from bot.remedy.runbook import MUTATIONS, Verb
from tests.conformance.scenes import AGENT, CONFIG_MAP, SCENES, Scene
from tests.support.controlplane import ControlPlane
from tests.support.kubeapi import Json, KubeApi, path_of
from tests.support.roles import EXECUTOR, NAMESPACE, READER, applied, client, in_force, kubeconfig, may
from tests.support.servers import QUICK
from tests.support.steps import action, draft, exec_id
from tests.support.things import config_map, node, workload

pytestmark = pytest.mark.real
VERBS = ("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection")
_RBAC, _WHO, _SIGNERS = "rbac.authorization.k8s.io", "authentication.k8s.io", "certificates.k8s.io"
#: (group, resource, subresource, verb) of rights that give other rights. Most of what they are about is served nowhere.
#: Source: https://kubernetes.io/docs/reference/access-authn-authz/authorization/#request-verb-resource
FAR_REACHING = {
    *product([""], ["users", "groups", "serviceaccounts"], [""], ["impersonate"]),
    *product([_WHO], ["uids", "userextras"], [""], ["impersonate"]),
    *product([_WHO], ["users", "groups", "serviceaccounts", "uids"], [""], ["impersonate:user-info"]),
    *product([_RBAC], ["roles", "clusterroles"], [""], ["bind", "escalate"]),
    *product([_SIGNERS], ["signers"], [""], ["approve", "attest", "sign"]),
    ("policy", "podsecuritypolicies", "", "use"),
    ("*", "*", "", "*"),
    ("*", "*", "*", "*"),
}
ELSEWHERE = "kube-system"
ANY, FREEZE, KARPENTER = "", "autopsy-freeze", "karpenter"
NAMES = (ANY, AGENT, CONFIG_MAP, KARPENTER, FREEZE, SYSTEM)

#: (verb, resource, name); the name is empty where it does not matter.
Right = tuple[str, str, str]
READS = {
    (verb, resource, ANY)
    for verb in ("get", "list")
    for resource in (
        *("nodes", "pods", "events", "daemonsets.apps", "deployments.apps", "leases.coordination.k8s.io"),
        *("nodeclaims.karpenter.sh", "nodepools.karpenter.sh", "clusterpolicies.nvidia.com"),
        *("kubevirts.kubevirt.io", "virtualmachines.kubevirt.io", "virtualmachineinstances.kubevirt.io"),
    )
} | {("get", "pods/log", ANY), ("get", "namespaces", SYSTEM)}
CHANGES = {
    ("patch", "nodes", ANY),
    ("patch", "nodes/status", ANY),
    ("create", "pods/eviction", ANY),
    ("list", "poddisruptionbudgets.policy", ANY),
    ("patch", "daemonsets.apps", AGENT),
    ("patch", "deployments.apps", KARPENTER),
    ("get", "configmaps", CONFIG_MAP),
    ("patch", "configmaps", CONFIG_MAP),
}
CLAIMS = {("create", "leases.coordination.k8s.io", ANY), ("get", "configmaps", FREEZE)}
#: What each account may do anywhere, and what only in the bot's namespace.
ACCOUNTS = {READER: (READS, set[Right]()), EXECUTOR: (READS | CHANGES, CLAIMS), "default": (set[Right](), set[Right]())}


@pytest.fixture
def api(control_plane: ControlPlane) -> Iterator[KubeApi]:
    with applied(control_plane, "executor") as api:
        yield api


def resources(api: KubeApi) -> Iterator[tuple[str, str, str]]:
    """(group, resource, subresource) of everything that the server serves."""
    groups = api.http.get("/apis").json()["groups"]
    roots = [
        ("", "/api/v1"),
        *((one["name"], f"/apis/{each['groupVersion']}") for one in groups for each in one["versions"]),
    ]
    for group, root in roots:
        for one in api.http.get(root).json()["resources"]:
            plural, _, subresource = one["name"].partition("/")
            yield group, plural, subresource


def allowed(api: KubeApi, account: str, namespace: str) -> set[Right]:
    """What it says of each right that matters."""
    user = f"system:serviceaccount:{NAMESPACE}:{account}"
    groups = ["system:serviceaccounts", f"system:serviceaccounts:{NAMESPACE}", "system:authenticated"]
    served = {(*one, verb) for one, verb in product(set(resources(api)), VERBS)}
    found: set[Right] = set()
    for group, plural, subresource, verb in sorted(served | FAR_REACHING):
        what = "/".join(filter(None, (plural, subresource)))
        resource = f"{what}.{group}" if group else what
        for name in NAMES if what in ("configmaps", "daemonsets", "deployments", "namespaces") else (ANY,):
            asked = {"group": group, "resource": plural, "subresource": subresource, "verb": verb, "name": name}
            if (verb, resource, ANY) not in found and may(api, user, groups, **asked, namespace=namespace):
                found.add((verb, resource, name))
    return found


def test_the_control_whoever_may_do_everything_may_do_what_is_far_reaching(api: KubeApi) -> None:
    for group, resource, subresource, verb in FAR_REACHING:
        asked = {"group": group, "resource": resource, "subresource": subresource, "verb": verb}
        assert may(api, "root", ["system:masters"], **asked), asked


@pytest.mark.parametrize("account", ACCOUNTS)
def test_an_account_may_do_exactly_this(api: KubeApi, account: str) -> None:
    everywhere, at_home = ACCOUNTS[account]
    elsewhere, home = (allowed(api, account, namespace) for namespace in (ELSEWHERE, NAMESPACE))
    # What any account may do: ask who it is and what it may.
    anybody = {right for right in allowed(api, "nobody", ELSEWHERE) if "selfsubject" in right[1]}
    assert elsewhere - anybody == everywhere
    assert home - anybody == everywhere | at_home


@pytest.mark.parametrize("account", [READER, EXECUTOR])
def test_an_account_can_say_which_cluster_this_is(
    control_plane: ControlPlane, api: KubeApi, tmp_path: Path, account: str
) -> None:
    uid = api.http.get("/api/v1/namespaces/kube-system").json()["metadata"]["uid"]
    assert cluster_uid(kubeconfig(control_plane, api, account, tmp_path)) == uid


def test_every_verb_has_a_scene() -> None:
    assert {scene.step.verb for scene in SCENES.values()} == MUTATIONS


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("policy", [False, True], ids=["roles", "roles and policy"])
def test_the_executors_account_can_do_every_step(
    control_plane: ControlPlane, tmp_path: Path, name: str, policy: bool
) -> None:
    scene: Scene = SCENES[name]
    with applied(control_plane, "executor", *(["executor-policy"] if policy else [])) as api:
        config = kubeconfig(control_plane, api, EXECUTOR, tmp_path)
        if policy:
            with client(control_plane, config) as executor:
                in_force(executor, api)
        hands = KubernetesHands.connect(config, patience=QUICK)
        scene.play(api)
        step = action(scene.step, hands.prepare(scene.step))
        holder = Holder(owner="executor/1")
        assert hands.claim(exec_id(name), step, [Actor("k8s:admin")], holder).result == "ours"
        assert hands.claim(exec_id(name), step, [Actor("k8s:admin")], Holder(owner="executor/2")).holder == holder
        assert not hands.frozen().frozen
        assert hands.act(exec_id(name), step).result == "applied"
        assert hands.observe(exec_id(name), step).result == "applied"
        assert [one.exec_id for one in hands.earlier(step.target)] == [exec_id(name)]
        hands.close()


def test_the_front_door_can_do_no_step(control_plane: ControlPlane, api: KubeApi, tmp_path: Path) -> None:
    path = kubeconfig(control_plane, api, READER, tmp_path)
    hands = KubernetesHands.connect(path, patience=QUICK)
    for scene in SCENES.values():
        scene.play(api)
        with pytest.raises(CannotPrepare, match="403"):
            hands.prepare(scene.step)
        api.wipe()
    hands.close()


@pytest.mark.parametrize("account", [READER, EXECUTOR])
def test_both_read_every_section(control_plane: ControlPlane, api: KubeApi, tmp_path: Path, account: str) -> None:
    cluster = LiveCluster.connect(kubeconfig(control_plane, api, account, tmp_path), patience=QUICK)
    asked = [Read(section=section) for section in RESOURCES]
    for _, pages in zip(asked, cluster.read(asked), strict=True):
        assert isinstance(pages.objects, tuple), pages.objects
    cluster.close()


@pytest.mark.parametrize(
    "step",
    [
        draft(Verb.ROLLOUT_RESTART, "ds/default/another"),
        draft(Verb.SET_ENV, "deploy/default/another", container="main", name="A", value="b"),
        draft(Verb.PATCH_CONFIGMAP, "configmap/default/another", key="a", value="b"),
    ],
    ids=lambda step: str(step.verb),
)
def test_other_names_are_not_its_business(
    control_plane: ControlPlane, api: KubeApi, tmp_path: Path, step: object
) -> None:
    api.create(workload("DaemonSet", "another"))
    api.create(workload("Deployment", "another"))
    api.create(config_map("another", a="a"))
    hands = KubernetesHands.connect(kubeconfig(control_plane, api, EXECUTOR, tmp_path), patience=QUICK)
    with pytest.raises(CannotPrepare, match="403"):
        hands.prepare(step)
    hands.close()


_DEAD = [{"type": "Ready", "status": "False"}]
#: Patches that the roles allow and the policy does not: (object, patch, subresource).
FORBIDDEN: dict[str, tuple[Json, Json, str]] = {
    "another label": (node("n1"), {"metadata": {"labels": {"a": "b"}}}, ""),
    "a label that goes": (node("n1"), {"metadata": {"labels": {"keep": None}}}, ""),
    "another annotation": (node("n1"), {"metadata": {"annotations": {"a": "b"}}}, ""),
    "a taint": (node("n1"), {"spec": {"taints": [{"key": "a", "effect": "NoExecute"}]}}, ""),
    "a finalizer": (node("n1"), {"metadata": {"finalizers": ["a.example/b"]}}, ""),
    "a condition that comes": (
        node("n1"),
        {"status": {"conditions": [{"type": "Ready", "status": "True"}, {"type": "New", "status": "True"}]}},
        "/status",
    ),
    "a condition that changes": (
        node("n1"),
        {"status": {"conditions": [{"type": "Ready", "status": "False"}]}},
        "/status",
    ),
    "Ready that goes": (node("n1"), {"status": {"conditions": None}}, "/status"),
    "the capacity": (node("n1"), {"status": {"capacity": {"cpu": "99"}}}, "/status"),
    "an image": (
        workload("Deployment", KARPENTER),
        {"spec": {"template": {"spec": {"containers": [{"name": "main", "image": "evil.example/x:1"}]}}}},
        "",
    ),
    "an account": (
        workload("Deployment", KARPENTER),
        {"spec": {"template": {"spec": {"serviceAccountName": "admin"}}}},
        "",
    ),
    "the host's network": (workload("DaemonSet", AGENT), {"spec": {"template": {"spec": {"hostNetwork": True}}}}, ""),
    "the number of replicas": (workload("Deployment", KARPENTER), {"spec": {"replicas": 0}}, ""),
    "a second container": (
        workload("DaemonSet", AGENT),
        {
            "spec": {
                "template": {
                    "spec": {
                        "containers": [
                            {"name": "main", "image": "registry.example/main:1"},
                            {"name": "evil", "image": "evil.example/x:1"},
                        ]
                    }
                }
            }
        },
        "",
    ),
}


def test_the_policy_forbids_what_no_verb_does(control_plane: ControlPlane, tmp_path: Path) -> None:
    with applied(control_plane, "executor", "executor-policy") as api:
        executor = client(control_plane, kubeconfig(control_plane, api, EXECUTOR, tmp_path))
        in_force(executor, api)
        _scene(api)
        for case, (thing, patch, subresource) in FORBIDDEN.items():
            answer = _patch(executor, thing, patch, subresource)
            assert answer.status_code == 422, (case, answer.text)
            assert "gpu-autopsy-executor" in answer.text, case
            # The control: the same patch by somebody else goes through, so that it was the policy.
            if case != "an account":
                assert _patch(api, thing, patch, subresource, dryRun="All").status_code == 200, case
        executor.http.close()


def _scene(api: KubeApi) -> None:
    api.create(node("n1", labels={"keep": "this"}))
    api.merge(node("n1"), {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}, "status")
    api.create(workload("Deployment", KARPENTER))
    api.create(workload("DaemonSet", AGENT))


def _patch(api: KubeApi, thing: Json, patch: Json, subresource: str, **query: str) -> httpx.Response:
    headers = {"Content-Type": "application/merge-patch+json"}
    return api.http.patch(path_of(thing) + subresource, json=patch, headers=headers, params=query)
