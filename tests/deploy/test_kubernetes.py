"""The manifests: every reference leads somewhere, and every pod is as locked up as it can be."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client import CollectorRegistry
from starlette.routing import Route

from bot.entry.settings import CONFIG, SECRETS_DIR, Settings, load_settings, variable
from bot.entry.webhook import Door, webhook_app
from tests.entry.fakes import MemoryQueue

FOLDER = Path(__file__).parents[2] / "deploy" / "kubernetes"
KUSTOMIZATION = yaml.safe_load((FOLDER / "kustomization.yaml").read_text())
COMPONENTS = ("executor", "executor-policy")


def objects(folder: Path) -> list[dict[str, Any]]:
    paths = [path for path in sorted(folder.glob("*.yaml")) if path.name != "kustomization.yaml"]
    return [one for path in paths for one in yaml.safe_load_all(path.read_text())]


BASE = objects(FOLDER)
OBJECTS = [*BASE, *(one for name in COMPONENTS for one in objects(FOLDER / name))]
WORKLOADS = [one for one in OBJECTS if one["kind"] in ("Deployment", "StatefulSet")]
GENERATED = {one["name"]: one["files"] for one in KUSTOMIZATION["configMapGenerator"]}
#: What docs/install.md lets people create.
SECRETS = {"gpu-autopsy", "gpu-autopsy-redis"}


def named(kind: str, name: str) -> dict[str, Any]:
    return next(one for one in OBJECTS if (one["kind"], one["metadata"]["name"]) == (kind, name))


def pod(workload: dict[str, Any]) -> dict[str, Any]:
    spec: dict[str, Any] = workload["spec"]["template"]["spec"]
    return spec


def labels(workload: dict[str, Any]) -> dict[str, str]:
    found: dict[str, str] = workload["spec"]["template"]["metadata"]["labels"]
    return found


BOT = pod(named("Deployment", "gpu-autopsy"))
(BOT_CONTAINER,) = BOT["containers"]


def by_name(workload: dict[str, Any]) -> str:
    return str(workload["metadata"]["name"])


def test_the_kustomization_lists_every_file() -> None:
    files = {path.name for path in FOLDER.iterdir() if path.is_file()} - {"kustomization.yaml"}
    listed = {*KUSTOMIZATION["resources"], *(name for names in GENERATED.values() for name in names)}
    assert files == listed


@pytest.mark.parametrize("name", COMPONENTS)
def test_a_component_lists_every_file(name: str) -> None:
    component = yaml.safe_load((FOLDER / name / "kustomization.yaml").read_text())
    assert component["kind"] == "Component"
    assert {*component["resources"], "kustomization.yaml"} == {path.name for path in (FOLDER / name).iterdir()}
    assert f"#   - {name}\n" in (FOLDER / "kustomization.yaml").read_text(), "it is off by default"
    assert "components" not in KUSTOMIZATION


def test_the_executor_is_no_front_door_and_the_front_door_no_executor() -> None:
    executor, front = pod(named("Deployment", "gpu-autopsy-executor")), BOT
    assert executor["serviceAccountName"] != front["serviceAccountName"]
    assert (executor["containers"][0]["args"], front["containers"][0]["args"]) == (["execute"], ["serve"])
    bound = {
        one["roleRef"]["name"]: {each["name"] for each in one["subjects"]}
        for one in OBJECTS
        if one["kind"] in ("ClusterRoleBinding", "RoleBinding")
        and one["metadata"]["name"] != "gpu-autopsy-executor-reads"
    }
    assert bound == {
        "gpu-autopsy-reader": {"gpu-autopsy"},
        "gpu-autopsy-executor": {"gpu-autopsy-executor"},
        "gpu-autopsy-claims": {"gpu-autopsy-executor"},
    }
    same = ("env", "volumeMounts", "securityContext")
    assert [executor["containers"][0][key] for key in same] == [front["containers"][0][key] for key in same]
    assert executor["volumes"] == front["volumes"]


def test_the_policies_name_the_executors_account() -> None:
    account = f"system:serviceaccount:{KUSTOMIZATION['namespace']}:gpu-autopsy-executor"
    policies = [one for one in OBJECTS if one["kind"] == "ValidatingAdmissionPolicy"]
    for one in policies:
        (condition,) = one["spec"]["matchConditions"]
        assert condition["expression"] == f'request.userInfo.username == "{account}"'
        assert one["spec"]["failurePolicy"] == "Fail"
    bound = {one["spec"]["policyName"] for one in OBJECTS if one["kind"] == "ValidatingAdmissionPolicyBinding"}
    assert bound == {one["metadata"]["name"] for one in policies}


def test_the_role_is_the_one_that_is_bound() -> None:
    binding = named("ClusterRoleBinding", "gpu-autopsy-reader")
    role = named("ClusterRole", binding["roleRef"]["name"])
    assert {verb for rule in role["rules"] for verb in rule["verbs"]} <= {"get", "list", "watch"}
    (subject,) = binding["subjects"]
    account = named("ServiceAccount", subject["name"])
    assert subject["namespace"] == KUSTOMIZATION["namespace"] == named("Namespace", "gpu-autopsy")["metadata"]["name"]
    assert BOT["serviceAccountName"] == account["metadata"]["name"]


@pytest.mark.parametrize("workload", WORKLOADS, ids=by_name)
def test_volumes_lead_somewhere(workload: dict[str, Any]) -> None:
    spec = pod(workload)
    claims = {one["metadata"]["name"] for one in workload["spec"].get("volumeClaimTemplates", ())}
    assert {mount["name"] for one in spec["containers"] for mount in one["volumeMounts"]} == claims | {
        volume["name"] for volume in spec["volumes"]
    }
    assert {name for kind, name in _sources(spec) if kind == "secret"} <= SECRETS
    assert {name for kind, name in _sources(spec) if kind == "configMap"} <= set(GENERATED)


def _sources(spec: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for volume in spec["volumes"]:
        for one in volume.get("projected", {}).get("sources", [volume]):
            if "secret" in one:
                yield "secret", one["secret"].get("secretName") or one["secret"]["name"]
            if "configMap" in one:
                yield "configMap", one["configMap"]["name"]


@pytest.mark.parametrize("workload", WORKLOADS, ids=by_name)
def test_secrets_are_files_and_no_variables(workload: dict[str, Any]) -> None:
    containers = pod(workload)["containers"]
    assert containers
    for container in containers:
        assert not container.get("envFrom")
        assert all("valueFrom" not in one for one in container.get("env", ()))


@pytest.mark.parametrize("workload", WORKLOADS, ids=by_name)
def test_pods_are_locked_up(workload: dict[str, Any]) -> None:
    spec = pod(workload)
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert spec["securityContext"]["runAsUser"] > 0
    assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    for container in spec["containers"]:
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert set(container["resources"]["requests"]) == {"cpu", "memory"}
        assert "memory" in container["resources"]["limits"]
        assert {"startupProbe", "livenessProbe", "readinessProbe"} <= set(container)


@pytest.mark.parametrize("workload", WORKLOADS, ids=by_name)
def test_pods_stay_off_gpu_nodes(workload: dict[str, Any]) -> None:
    affinity = pod(workload)["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    ((term),) = affinity["nodeSelectorTerms"]
    assert {"key": "nvidia.com/gpu.present", "operator": "NotIn", "values": ["true"]} in term["matchExpressions"]
    assert "tolerations" not in pod(workload)


@pytest.mark.parametrize("workload", WORKLOADS, ids=by_name)
def test_selectors_meet_the_pods(workload: dict[str, Any]) -> None:
    name = by_name(workload)
    assert workload["spec"]["selector"]["matchLabels"] == labels(workload)
    assert named("Service", name)["spec"]["selector"] == labels(workload)
    assert named("NetworkPolicy", name)["spec"]["podSelector"]["matchLabels"] == labels(workload)
    ports = {port["name"] for container in pod(workload)["containers"] for port in container["ports"]}
    assert {one["targetPort"] for one in named("Service", name)["spec"]["ports"]} <= ports


def test_only_the_bot_speaks_to_redis() -> None:
    (rule,) = named("NetworkPolicy", "gpu-autopsy-redis")["spec"]["ingress"]
    (sender,) = rule["from"]
    assert sender == {"podSelector": {"matchLabels": labels(named("Deployment", "gpu-autopsy"))}}
    assert "egress" not in named("NetworkPolicy", "gpu-autopsy-redis")["spec"]


def test_redis_loses_nothing() -> None:
    lines = (FOLDER / "redis.conf").read_text().splitlines()
    options = dict(line.split(" ", 1) for line in lines if not line.startswith("#"))
    assert (options["appendonly"], options["appendfsync"]) == ("yes", "always")
    assert options["maxmemory-policy"] == "noeviction"
    (data,) = named("StatefulSet", "gpu-autopsy-redis")["spec"]["volumeClaimTemplates"]
    (redis,) = pod(named("StatefulSet", "gpu-autopsy-redis"))["containers"]
    mounts = {mount["name"]: mount["mountPath"] for mount in redis["volumeMounts"]}
    assert mounts[data["metadata"]["name"]] == options["dir"]
    assert "requirepass $(cat " in redis["args"][0]


def test_the_bots_variables_are_settings_and_its_folders_are_mounted() -> None:
    environ = {one["name"]: one["value"] for one in BOT_CONTAINER["env"]}
    settings = {variable(name, field) for name, field in Settings.model_fields.items()}
    assert set(environ) - {CONFIG, SECRETS_DIR} <= settings
    mounts = {mount["name"]: mount["mountPath"] for mount in BOT_CONTAINER["volumeMounts"]}
    assert environ[CONFIG] == f"{mounts['config']}/{GENERATED['gpu-autopsy'][0]}"
    assert environ[SECRETS_DIR] == mounts["secrets"]
    host, port = re.fullmatch(r"redis://([a-z-]+):(\d+)/0", environ["REDIS_URL"]).groups()  # type: ignore[union-attr]
    assert int(port) in {one["port"] for one in named("Service", host)["spec"]["ports"]}


def test_the_config_loads(tmp_path: Path) -> None:
    for name, value in {
        "SLACK_BOT_TOKEN": "xoxb-1",
        "SLACK_APP_TOKEN": "xapp-1",
        "AUTOPSY_WEBHOOK_TOKEN": "t" * 32,
        "REDIS_PASSWORD": "p",
    }.items():
        (tmp_path / name).write_text(value)
    environ = {one["name"]: one["value"] for one in BOT_CONTAINER["env"]}
    settings = load_settings(environ | {CONFIG: str(FOLDER / "config.toml"), SECRETS_DIR: str(tmp_path)})
    assert settings.webhook_port in {port["containerPort"] for port in BOT_CONTAINER["ports"]}
    assert BOT["terminationGracePeriodSeconds"] > settings.stop_seconds


def test_probes_ask_what_the_bot_answers() -> None:
    door = Door(queue=MemoryQueue(), token=None, channels={}, alive={}, ready={}, registry=CollectorRegistry())
    routes = {route.path for route in webhook_app(door).routes if isinstance(route, Route)}
    probes = {name: BOT_CONTAINER[name]["httpGet"]["path"] for name in BOT_CONTAINER if name.endswith("Probe")}
    assert probes == {"startupProbe": "/healthz", "livenessProbe": "/healthz", "readinessProbe": "/readyz"}
    assert set(probes.values()) <= routes


def test_the_image_is_the_one_that_is_named() -> None:
    names = {one["name"]: one for one in KUSTOMIZATION["images"]}
    assert BOT_CONTAINER["image"] in names
    assert names[BOT_CONTAINER["image"]]["newTag"] not in ("", "latest")
    (redis,) = pod(named("StatefulSet", "gpu-autopsy-redis"))["containers"]
    assert re.search(r":\d+\.\d+\.\d+", redis["image"])


@pytest.mark.parametrize(
    "components", [(), ("executor",), COMPONENTS], ids=["alone", "executor", "executor and policy"]
)
def test_kustomize_builds_it(tmp_path: Path, components: tuple[str, ...]) -> None:
    kubectl = Path(os.environ.get("KUBEBUILDER_ASSETS", "/nonexistent")) / "kubectl"
    if not kubectl.exists():
        pytest.skip("no kubectl: KUBEBUILDER_ASSETS does not name a folder that has it")
    folder = shutil.copytree(FOLDER, tmp_path / "kubernetes")
    (folder / "kustomization.yaml").write_text(yaml.safe_dump(KUSTOMIZATION | {"components": list(components)}))
    built = subprocess.run([kubectl, "kustomize", folder], capture_output=True, text=True, check=True).stdout
    made = list(yaml.safe_load_all(built))
    wanted = [*BASE, *(one for name in components for one in objects(FOLDER / name))]
    assert {(one["kind"], re.sub(r"-[a-z0-9]{10}$", "", one["metadata"]["name"])) for one in made} == {
        (one["kind"], one["metadata"]["name"]) for one in wanted
    } | {("ConfigMap", name) for name in GENERATED}
    (policy,) = (
        one for one in made if (one["kind"], one["metadata"]["name"]) == ("NetworkPolicy", "gpu-autopsy-redis")
    )
    (rule,) = policy["spec"]["ingress"]
    senders = {one["podSelector"]["matchLabels"]["app.kubernetes.io/name"] for one in rule["from"]}
    assert senders == {"gpu-autopsy", *({"gpu-autopsy-executor"} if components else ())}
