"""The adapter on an API server's bad days. Axes: what goes wrong, where (first page, later page), how often."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from bot import __version__
from bot.adapters.kubernetes.client import NoClusterConfiguration, NoReply, Patience, connect
from bot.adapters.kubernetes.cluster import PAGE, RESTARTS, LiveCluster
from bot.app.ports import Pages, Read
from bot.model.refs import Ref
from bot.model.sections import RESOURCES, Section, Unknown, UnknownReason
from bot.playground.apiserver.faults import Effect, Fault
from tests.support.bot import until
from tests.support.servers import QUICK, Simulated
from tests.support.things import node, pod

NODES = Read(section=Section.NODES)
ATTEMPTS = QUICK.attempts


def fault(simulated: Simulated, effect: Effect, **fields: object) -> None:
    simulated.server.faults.clear()
    simulated.server.faults.add(Fault(effect=effect, **fields))  # type: ignore[arg-type]


def asked(simulated: Simulated) -> int:
    return len(simulated.server.faults.requests)


def read(simulated: Simulated, one: Read = NODES) -> Pages:
    (pages,) = simulated.cluster().read([one])
    return pages


def why(pages: Pages) -> str:
    assert isinstance(pages.objects, Unknown), pages.objects
    return pages.objects.detail


@pytest.fixture
def two_pages(simulated: Simulated) -> Simulated:
    simulated.server.load(node(f"n{number:04}") for number in range(PAGE + 1))
    return simulated


TRANSIENT = {
    "busy": (Effect.TOO_MANY_REQUESTS, {"seconds": 0}),
    "internal error": (Effect.ERROR, {"code": 500}),
    "unavailable": (Effect.ERROR, {"code": 503}),
    "gateway time-out": (Effect.ERROR, {"code": 504}),
}


@pytest.mark.parametrize("case", TRANSIENT)
def test_what_passes_is_waited_for(simulated: Simulated, case: str) -> None:
    effect, fields = TRANSIENT[case]
    fault(simulated, effect, times=ATTEMPTS - 1, **fields)
    assert read(simulated).objects == ()
    assert asked(simulated) == ATTEMPTS


@pytest.mark.parametrize("case", TRANSIENT)
def test_what_does_not_pass_makes_the_section_unknown(simulated: Simulated, case: str) -> None:
    effect, fields = TRANSIENT[case]
    fault(simulated, effect, **fields)
    found = read(simulated)
    assert isinstance(found.objects, Unknown)
    assert found.objects.reason is UnknownReason.FAILED
    assert "HTTP" in found.objects.detail
    assert asked(simulated) == ATTEMPTS


@pytest.mark.parametrize(("seconds", "waits", "tries"), [(1, [1.0, 1.0], 3), (60, [], 1)], ids=["short", "too long"])
def test_retry_after_is_honoured_within_bounds(
    simulated: Simulated, tmp_path: Path, seconds: int, waits: list[float], tries: int
) -> None:
    fault(simulated, Effect.TOO_MANY_REQUESTS, seconds=seconds)
    slept: list[float] = []
    client, _ = connect(simulated.server.write_kubeconfig(tmp_path / "config"), None, QUICK, slept.append)
    with pytest.raises(NoReply, match="HTTP 429"):
        client.get("/api/v1/nodes", {})
    client.close()
    assert slept == waits
    assert asked(simulated) == tries


def test_a_silent_server_ends_in_a_time_out(simulated: Simulated, tmp_path: Path) -> None:
    fault(simulated, Effect.SLOW, seconds=0.3)
    patience = Patience(connect=1, read=0.05, attempts=2, first_wait=0.01)
    cluster = LiveCluster.connect(simulated.server.write_kubeconfig(tmp_path / "config"), patience=patience)
    (found,) = cluster.read([NODES])
    cluster.close()
    assert "timed out" in why(found)
    # Whoever gives up does not wait until the server has noticed that it was asked.
    until("both tries have come", lambda: asked(simulated) >= 2)
    assert asked(simulated) == 2


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = {
        "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{port}"}}],
        "users": [{"name": "u", "user": {"token": "t"}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    (tmp_path / "config").write_text(yaml.safe_dump(config))
    (found,) = LiveCluster.connect(tmp_path / "config", patience=QUICK).read([NODES])
    assert "refused" in why(found)


@pytest.mark.parametrize("continued", [False, True], ids=["first page", "later page"])
@pytest.mark.parametrize(
    ("effect", "reason", "words"),
    [
        (Effect.CUT, UnknownReason.FAILED, "reply-unreadable"),
        (Effect.FORBIDDEN, UnknownReason.FORBIDDEN, "forbidden"),
        (Effect.ERROR, UnknownReason.FAILED, "HTTP 500"),
    ],
)
def test_a_page_that_fails_makes_the_whole_list_unknown(
    two_pages: Simulated, effect: Effect, reason: UnknownReason, words: str, continued: bool
) -> None:
    fault(two_pages, effect, continued=continued)
    found = read(two_pages).objects
    assert isinstance(found, Unknown)
    assert found.reason is reason
    assert words in found.detail


def test_an_expired_list_is_begun_anew(two_pages: Simulated) -> None:
    fault(two_pages, Effect.EXPIRED, continued=True, times=RESTARTS)
    found = read(two_pages).objects
    assert isinstance(found, tuple)
    assert len(found) == PAGE + 1
    assert asked(two_pages) == 2 * (RESTARTS + 1)


def test_a_list_that_expires_again_and_again_is_unknown(two_pages: Simulated) -> None:
    fault(two_pages, Effect.EXPIRED, continued=True)
    assert "expired" in why(read(two_pages))


def test_one_unreadable_object_does_not_hide_the_others(simulated: Simulated) -> None:
    broken = {**node("broken"), "status": {"conditions": "none"}}
    simulated.server.load([node("a"), broken, node("z")])
    found = read(simulated)
    assert isinstance(found.objects, tuple)
    assert [one.name for one in found.objects] == ["a", "z"]
    (unreadable,) = found.unreadable
    assert (unreadable.section, unreadable.name) == (Section.NODES, "broken")
    assert "conditions" in unreadable.detail
    by_name = read(simulated, Read(section=Section.NODES, name="broken"))
    assert by_name == Pages(objects=(), unreadable=found.unreadable)


def test_an_unreadable_object_does_not_end_the_list(two_pages: Simulated) -> None:
    two_pages.server.load([{**node("a"), "status": {"conditions": "none"}}])
    found = read(two_pages)
    assert isinstance(found.objects, tuple)
    assert len(found.objects) == PAGE + 1
    assert len(found.unreadable) == 1


def test_a_failed_read_leaves_the_others(simulated: Simulated) -> None:
    fault(simulated, Effect.FORBIDDEN, plural="pods")
    pages = dict(zip(RESOURCES, simulated.cluster().read([Read(section=one) for one in RESOURCES]), strict=True))
    unknown = {section for section, found in pages.items() if isinstance(found.objects, Unknown)}
    assert unknown == {Section.PODS}


def test_the_server_is_told_who_asks(simulated: Simulated) -> None:
    simulated.server.faults.clear()
    read(simulated)
    (request,) = simulated.server.faults.requests
    assert request.user_agent == f"gpu-autopsy/{__version__}"
    assert request.query == f"limit={PAGE}"


class TestLogs:
    POD = Ref("pod", "p1", "default")

    @pytest.fixture
    def with_pod(self, simulated: Simulated) -> Iterator[Simulated]:
        simulated.server.load([pod("p1", "n1")])
        simulated.server.put_log("default", "p1", "main", "".join(f"line {number}\n" for number in range(300)))
        return simulated

    def test_the_last_lines(self, with_pod: Simulated) -> None:
        found = with_pod.cluster().pod_log(self.POD, "main")
        assert not isinstance(found, Unknown)
        lines = found.text.splitlines()
        assert (len(lines), lines[0], lines[-1]) == (200, "line 100", "line 299")

    def test_the_run_before(self, with_pod: Simulated) -> None:
        with_pod.server.put_log("default", "p1", "main", "before\n", previous=True)
        found = with_pod.cluster().pod_log(self.POD, "main", previous=True)
        assert not isinstance(found, Unknown)
        assert (found.text, found.previous) == ("before\n", True)

    def test_no_run_before(self, with_pod: Simulated) -> None:
        ready = {"type": "Ready", "status": "True"}
        with_pod.server.load([{**node("n1"), "status": {"conditions": [ready]}}])
        found = with_pod.cluster().pod_log(self.POD, "main", previous=True)
        assert isinstance(found, Unknown)
        assert "previous terminated container" in found.detail


class TestConnection:
    def test_the_name_is_the_contexts_cluster_unless_given(self, simulated: Simulated, tmp_path: Path) -> None:
        path = simulated.server.write_kubeconfig(tmp_path / "config")
        assert LiveCluster.connect(path).name == "playground"
        assert LiveCluster.connect(path, context="playground").name == "playground"
        assert LiveCluster.connect(path, name="lab").name == "lab"

    @pytest.mark.parametrize("text", [None, "", "a: [", "kind: Config\n", "- a\n"])
    def test_no_usable_kubeconfig(self, tmp_path: Path, text: str | None) -> None:
        path = tmp_path / "config"
        if text is not None:
            path.write_text(text)
        with pytest.raises(NoClusterConfiguration):
            LiveCluster.connect(path)

    def test_no_such_context(self, simulated: Simulated, tmp_path: Path) -> None:
        path = simulated.server.write_kubeconfig(tmp_path / "config")
        with pytest.raises(NoClusterConfiguration, match="other"):
            LiveCluster.connect(path, context="other")

    def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(
        self, simulated: Simulated, tmp_path: Path
    ) -> None:
        path = simulated.server.write_kubeconfig(tmp_path / "config")
        script = (
            "import sys; from pathlib import Path\n"
            "from bot.adapters.kubernetes.cluster import LiveCluster; from bot.app.ports import Read\n"
            "from bot.model.sections import Section\n"
            "print(LiveCluster.connect(Path(sys.argv[1])).read([Read(section=Section.NODES)])[0].objects)\n"
        )
        env = {**os.environ, "HTTP_PROXY": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9"}
        done = subprocess.run(
            [sys.executable, "-c", script, path], check=False, env=env, capture_output=True, text=True
        )
        assert (done.stdout.strip(), done.returncode) == ("()", 0)
