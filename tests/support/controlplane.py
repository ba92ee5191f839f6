"""A real API server for the tests, started from `KUBEBUILDER_ASSETS` (the convention of envtest).

One without controllers is shared by the whole session and wiped after each test that used it; one with
kube-controller-manager and kube-scheduler is started for the module that asks for it.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import ssl
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import yaml

from tests.support.crds import definitions, install
from tests.support.kubeapi import Json, KubeApi
from tests.support.ports import free_port

ASSETS = "KUBEBUILDER_ASSETS"
SERVER = ("kube-apiserver", "etcd")
#: Every write is written down, by whom it was sent and what was answered.
_AUDIT = """apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules: [{level: None, verbs: [get, list, watch]}, {level: Metadata}]
"""
CONTROLLERS = ("kube-controller-manager", "kube-scheduler")
#: Who asks: the cluster's admin, and a user whom no role binding names.
ADMIN, NOBODY = "admin", "nobody"


class ControlPlane:
    """etcd and kube-apiserver on loopback, with the controllers if asked; everything lies in one folder."""

    def __init__(self, assets: Path, folder: Path, *, controllers: bool = False) -> None:
        self._assets = assets
        self._folder = folder
        self._controllers = controllers
        self._running: list[subprocess.Popen[bytes]] = []
        self._tokens = {ADMIN: secrets.token_hex(16), NOBODY: secrets.token_hex(16)}
        etcd, peer, server = (free_port() for _ in range(3))
        self.etcd, self._peer, self._port = f"http://127.0.0.1:{etcd}", f"http://127.0.0.1:{peer}", server
        self.url = f"https://127.0.0.1:{server}"

    def start(self) -> None:
        """Start everything and wait until the API server answers, at most a minute."""
        certs = self._folder / "certs"
        certs.mkdir(parents=True)
        subprocess.run(["openssl", "genrsa", "-out", certs / "sa.key", "2048"], check=True, capture_output=True)
        groups = {ADMIN: "system:masters", NOBODY: "nobodies"}
        rows = [f"{token},{user},{user},{groups[user]}\n" for user, token in self._tokens.items()]
        (certs / "tokens.csv").write_text("".join(rows))
        (certs / "audit.yaml").write_text(_AUDIT)
        self._run("etcd", *self._etcd_flags())
        self._run("kube-apiserver", *self._server_flags(certs))
        self._wait_until_ready()
        if self._controllers:
            self.kubeconfig(ADMIN)
            shared = ("--kubeconfig", "kubeconfig-admin", "--leader-elect=false", "--secure-port", "0")
            self._run("kube-controller-manager", *shared, "--service-account-private-key-file", "certs/sa.key")
            self._run("kube-scheduler", *shared)

    def stop(self) -> None:
        """End everything at once; nothing of it is kept, so nothing is asked to tidy up."""
        for process in self._running:
            process.kill()
        for process in self._running:
            process.wait()

    def kubeconfig(self, user: str) -> Path:
        """A kubeconfig of this user."""
        path = self._folder / f"kubeconfig-{user}"
        authority = str(self._folder / "certs" / "apiserver.crt")
        config: Json = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "real", "cluster": {"server": self.url, "certificate-authority": authority}}],
            "users": [{"name": user, "user": {"token": self._tokens[user]}}],
            "contexts": [{"name": "tests", "context": {"cluster": "real", "user": user}}],
            "current-context": "tests",
        }
        path.write_text(yaml.safe_dump(config))
        return path

    def api(self, user: str = ADMIN) -> KubeApi:
        """A client of this user for setting the scene."""
        return KubeApi.at(self.url, self._tokens[user], self.trusted())

    def writes(self, agent: str) -> list[Json]:
        """The server's own log of writes from clients whose User-Agent holds this word."""
        lines = (self._folder / "audit.log").read_text().splitlines()
        found: list[Json] = [json.loads(line) for line in lines if agent in line]
        return [one for one in found if agent in one.get("userAgent", "")]

    def trusted(self) -> ssl.SSLContext:
        """What a client needs to trust the server."""
        return ssl.create_default_context(cafile=self._folder / "certs" / "apiserver.crt")

    def _etcd_flags(self) -> tuple[str, ...]:
        return (
            *("--data-dir", "etcd", "--listen-client-urls", self.etcd, "--advertise-client-urls", self.etcd),
            *("--listen-peer-urls", self._peer, "--initial-advertise-peer-urls", self._peer),
            *("--initial-cluster", f"default={self._peer}", "--unsafe-no-fsync"),
        )

    def _server_flags(self, certs: Path) -> tuple[str, ...]:
        key = str(certs / "sa.key")
        return (
            *("--etcd-servers", self.etcd, "--secure-port", str(self._port), "--bind-address", "127.0.0.1"),
            *("--advertise-address", "127.0.0.1", "--cert-dir", str(certs), "--authorization-mode", "RBAC"),
            *("--token-auth-file", str(certs / "tokens.csv"), "--allow-privileged"),
            *("--service-account-issuer", "https://kubernetes.default.svc"),
            *("--service-account-key-file", key, "--service-account-signing-key-file", key),
            *("--audit-policy-file", str(certs / "audit.yaml"), "--audit-log-path", str(self._folder / "audit.log")),
            *("--service-cluster-ip-range", "10.0.0.0/24", "--disable-admission-plugins", "ServiceAccount"),
        )

    def _run(self, name: str, *flags: str) -> None:
        with (self._folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                [self._assets / name, *flags], cwd=self._folder, stdout=log, stderr=subprocess.STDOUT
            )
        self._running.append(process)

    def _wait_until_ready(self) -> None:
        ends = time.monotonic() + 60
        while time.monotonic() < ends:
            for process in self._running:
                assert process.poll() is None, f"{process.args}: ended, see the logs in {self._folder}"
            with contextlib.suppress(httpx.TransportError, ssl.SSLError, FileNotFoundError), self.api() as api:
                if api.http.get("/readyz").status_code == 200:
                    return
            time.sleep(0.1)
        raise AssertionError(f"no API server after a minute, see the logs in {self._folder}")


def assets_or_skip(*programs: str) -> Path:
    """The folder of the control plane's programs; skips the test, by name, where one is missing."""
    folder = os.environ.get(ASSETS)
    if not folder:
        pytest.skip(f"{ASSETS} names no folder with {', '.join(programs)}")
    missing = [name for name in programs if not (Path(folder) / name).is_file()]
    if missing:
        pytest.skip(f"{ASSETS}={folder} lacks {', '.join(missing)}")
    if not shutil.which("openssl"):
        pytest.skip("openssl is missing: it makes the key that signs service accounts' tokens")
    return Path(folder)


@pytest.fixture(scope="session")
def shared_control_plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """The session's API server, with the CustomResourceDefinitions installed."""
    yield from _running(ControlPlane(assets_or_skip(*SERVER), tmp_path_factory.mktemp("control-plane")))


@pytest.fixture
def control_plane(shared_control_plane: ControlPlane) -> Iterator[ControlPlane]:
    """The session's API server, empty again after the test."""
    yield shared_control_plane
    with shared_control_plane.api() as api:
        api.wipe()


@pytest.fixture(scope="module")
def live_control_plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """An API server of the module's own with the real controllers and scheduler: dead nodes are noticed."""
    programs = assets_or_skip(*SERVER, *CONTROLLERS)
    yield from _running(ControlPlane(programs, tmp_path_factory.mktemp("control-plane"), controllers=True))


def _running(plane: ControlPlane) -> Iterator[ControlPlane]:
    try:
        plane.start()
        with plane.api() as api:
            install(api, definitions())
        yield plane
    finally:
        plane.stop()
