"""Reading pods: the adapter against the official client's typed list, from a server that sends ready bytes."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import yaml
from kubernetes import client, config

from bot.adapters.files.documents import documents
from bot.adapters.kubernetes.cluster import PAGE, LiveCluster
from bot.app.ports import Read
from bot.model.sections import Section
from tests.bench.measure import Row, medians

PODS = 2_000
DUMP = Path(__file__).parent.parent / "scenarios" / "swap-kubelet" / "dump" / "pods.yaml"


def rows() -> list[Row]:
    """Both clients list the same pods, page by page."""
    with TemporaryDirectory() as folder, _server(_pages()) as port:
        path = Path(folder) / "kubeconfig"
        path.write_text(yaml.safe_dump(_kubeconfig(port)))
        ours = LiveCluster.connect(path)
        typed = client.CoreV1Api(config.new_client_from_config(str(path)))
        found = medians({"adapter": lambda: _read(ours), "typed": lambda: _typed(typed)})
    return [Row(f"read {PODS} pods, adapter", found["adapter"], "official client, typed list", found["typed"])]


def _read(cluster: LiveCluster) -> None:
    (pages,) = cluster.read([Read(section=Section.PODS)])
    assert isinstance(pages.objects, tuple)
    assert len(pages.objects) == PODS


def _typed(api: client.CoreV1Api) -> None:
    count, following = 0, None
    while following != "":
        more = {"_continue": following} if following else {}
        page = api.list_pod_for_all_namespaces(limit=PAGE, **more)
        count += len(page.items)
        following = page.metadata.var_continue or ""
    assert count == PODS


def _pages() -> list[bytes]:
    """The scenario's pods over and over, with the managed fields of a pod that kubelet and controller wrote."""
    templates = [one.item for one in documents(DUMP) if one.item]
    pods = [_pod(templates[number % len(templates)], number) for number in range(PODS)]
    pages = []
    for start in range(0, PODS, PAGE):
        following = str(start + PAGE) if start + PAGE < PODS else ""
        body = {"kind": "PodList", "apiVersion": "v1", "metadata": {"continue": following}}
        pages.append(json.dumps({**body, "items": pods[start : start + PAGE]}).encode())
    return pages


def _pod(template: dict[str, Any], number: int) -> dict[str, Any]:
    pod = copy.deepcopy(template)
    pod["metadata"]["name"] = f"{pod['metadata']['name']}-{number}"
    fields = {f"f:field{one}": {".": {}, "f:name": {}, "f:value": {}} for one in range(60)}
    pod["metadata"]["managedFields"] = [
        {"manager": name, "operation": "Update", "fieldsType": "FieldsV1", "fieldsV1": copy.deepcopy(fields)}
        for name in ("kube-controller-manager", "kubelet")
    ]
    return pod


@contextmanager
def _server(pages: list[bytes]) -> Iterator[int]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            start = int(parse_qs(urlsplit(self.path).query).get("continue", ["0"])[0])
            body = pages[start // PAGE]
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


def _kubeconfig(port: int) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "bench", "cluster": {"server": f"http://127.0.0.1:{port}"}}],
        "users": [{"name": "bench", "user": {"token": "bench"}}],
        "contexts": [{"name": "bench", "context": {"cluster": "bench", "user": "bench"}}],
        "current-context": "bench",
    }
