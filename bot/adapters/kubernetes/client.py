"""Every request to the Kubernetes API server passes through here: connection, deadline, bounded retries.

The official client gives configuration, TLS and authentication; its models are not used. What a reply means is
left to `replies`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import msgspec
import urllib3
import yaml
from kubernetes.client import ApiClient, ApiException, Configuration
from kubernetes.config import ConfigException, incluster_config, kube_config
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt, wait_exponential_jitter

from bot import __version__
from bot.model.reasoned import Reasoned

USER_AGENT = f"gpu-autopsy/{__version__}"
#: The name under which the server keeps who set which field.
FIELD_MANAGER = "gpu-autopsy"
#: How many requests one read of a cluster has in flight at most.
THREADS = 8
#: The loaders of the official client are not annotated.
_KUBECONFIG, _SERVICE_ACCOUNT = cast(Any, kube_config), cast(Any, incluster_config)
_THIS_MACHINE = "localhost,127.0.0.1,::1"
_CHUNK = 1 << 16
_TOKEN_FILE = Path("/var/run/secrets/kubernetes.io/serviceaccount/token")


class NoClusterConfiguration(Reasoned):
    """There is no usable kubeconfig, context or service account."""


class Patience(msgspec.Struct, frozen=True, kw_only=True):
    """How long one request may take, in seconds, and how often it is tried.

    `read` bounds the silence between two pieces of a reply, `whole` the reply, so that a dripping one ends too.
    A server that asks for a longer pause than `longest_wait` is not waited for.
    """

    connect: float = 5.0
    read: float = 30.0
    whole: float = 60.0
    attempts: int = 3
    first_wait: float = 0.2
    longest_wait: float = 10.0


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What the server answered, undecoded."""

    status: int
    content_type: str
    body: bytes


class Write(msgspec.Struct, frozen=True, kw_only=True):
    """A request that changes something. `content_type` is explicit: for a patch the client would guess another form.

    `agent` is added to the User-Agent, so that the server's own audit log names the step.
    """

    method: str
    path: str
    body: dict[str, Any] | list[dict[str, Any]]
    content_type: str = "application/json"
    agent: str = ""


class NoReply(Exception):
    """There was no usable answer within the bounded tries: time-outs, broken connections, 429, 5xx.

    `pause` is the Retry-After in seconds, where the server gave one.
    """

    def __init__(self, why: str, pause: float | None = None) -> None:
        super().__init__(why)
        self.pause = pause


class Client:
    """One connection pool to one API server, as one user. Safe to share between threads."""

    def __init__(self, api: ApiClient, patience: Patience, sleep: Callable[[float], None] = time.sleep) -> None:
        self._api = api
        self._patience = patience
        self._sleep = sleep

    def close(self) -> None:
        """Close the connections that are kept open."""
        self._api.rest_client.close()

    def get(self, path: str, query: Mapping[str, str | int]) -> Reply:
        """GET, tried again where that can help.

        Raises:
            NoReply: every try ended in a time-out, a broken connection, 429 or 5xx.
        """
        bounds = self._patience
        retrying = Retrying(
            sleep=self._sleep,
            stop=stop_after_attempt(bounds.attempts),
            wait=self._wait,
            retry=retry_if_exception(
                lambda why: isinstance(why, NoReply) and (why.pause or 0) <= bounds.longest_wait,
            ),
            reraise=True,
        )
        return retrying(self._send, "GET", path, query)

    def send(self, write: Write, *, dry_run: bool = False) -> Reply:
        """Send a change exactly once; every status code is an answer.

        A reply whose body cannot be read to its end keeps its status: the server had decided by then.

        Raises:
            NoReply: no status came back. What became of the request is not known.
        """
        query = {"fieldManager": FIELD_MANAGER, "fieldValidation": "Strict", **({"dryRun": "All"} if dry_run else {})}
        try:
            response = self._open(write.method, write.path, query, write)
        except (urllib3.exceptions.HTTPError, ApiException, OSError) as why:
            raise NoReply(_short(why)) from why
        try:
            body = self._body(response)
        except (urllib3.exceptions.HTTPError, OSError, NoReply):
            body = b""
        return Reply(status=response.status, content_type=response.headers.get("Content-Type", ""), body=body)

    def _wait(self, state: RetryCallState) -> float:
        why = state.outcome.exception() if state.outcome else None
        if isinstance(why, NoReply) and why.pause is not None:
            return why.pause
        first, longest = self._patience.first_wait, self._patience.longest_wait
        return wait_exponential_jitter(multiplier=first, max=longest, jitter=first)(state)

    def _send(self, method: str, path: str, query: Mapping[str, str | int]) -> Reply:
        """One read, one answer.

        Raises:
            NoReply: no answer, or one that asks to come back later.
        """
        try:
            response = self._open(method, path, query)
            body = self._body(response)
        except (urllib3.exceptions.HTTPError, ApiException, OSError) as why:
            raise NoReply(_short(why)) from why
        if response.status == 429 or response.status >= 500:
            raise NoReply(f"HTTP {response.status} {_text(body)}".rstrip(), _pause(response.headers))
        return Reply(status=response.status, content_type=response.headers.get("Content-Type", ""), body=body)

    def _open(self, method: str, path: str, query: Mapping[str, str | int], write: Write | None = None) -> Any:
        """Send the request and return urllib3's response below the client's: only it can be read piece by piece."""
        method, url, headers, _, _ = self._api.param_serialize(
            method,
            path,
            query_params=list(query.items()),
            header_params={"Accept": "application/json, */*"},
            auth_settings=["BearerToken"],
        )
        body = None
        if write is not None:
            # The client serializes `body` itself, so it is handed over as it is, and not as text.
            body = write.body
            headers |= {"Content-Type": write.content_type, "User-Agent": f"{USER_AGENT} {write.agent}".rstrip()}
        bounds = (self._patience.connect, self._patience.read)
        return cast(Any, self._api.call_api(method, url, headers, body, _request_timeout=bounds)).response

    def _body(self, response: Any) -> bytes:
        ends = time.monotonic() + self._patience.whole
        body = bytearray()
        try:
            while piece := response.read1(_CHUNK):
                body += piece
                if time.monotonic() > ends:
                    raise NoReply(f"TimeoutError: {self._patience.whole:g} s")
        except BaseException:
            # A half-read connection must not go back into the pool.
            response.close()
            raise
        response.release_conn()
        return bytes(body)


def connect(
    kubeconfig: Path | None, context: str | None, patience: Patience, sleep: Callable[[float], None] = time.sleep
) -> tuple[Client, str]:
    """A client and the cluster's name: by a kubeconfig, or as the service account of the pod that we run in.

    Raises:
        NoClusterConfiguration: neither is usable.
    """
    configuration = Configuration()
    # The client would send a GET four times on its own; tries are counted here.
    configuration.retries = cast(Any, False)
    configuration.connection_pool_maxsize = THREADS
    # As for kubectl, a proxy that the environment names is not asked for what runs on this machine.
    configuration.no_proxy = ",".join(filter(None, (configuration.no_proxy, _THIS_MACHINE)))
    try:
        if kubeconfig is None and context is None and _in_a_pod():
            _SERVICE_ACCOUNT.load_incluster_config(client_configuration=configuration)
            name = "in-cluster"
        else:
            name = _load_kubeconfig(kubeconfig, context, configuration)
    # The client's loader lets errors of files, YAML and plugins through as they are.
    except (ConfigException, yaml.YAMLError, OSError, ValueError, TypeError, KeyError, AttributeError) as why:
        raise NoClusterConfiguration("no-cluster-configuration", detail=_short(why)) from why
    api = ApiClient(configuration)
    api.user_agent = USER_AGENT
    return Client(api, patience, sleep), name


def _in_a_pod() -> bool:
    return "KUBECONFIG" not in os.environ and "KUBERNETES_SERVICE_HOST" in os.environ and _TOKEN_FILE.is_file()


def _load_kubeconfig(path: Path | None, context: str | None, configuration: Configuration) -> str:
    file = None if path is None else str(path)
    contexts, current = _KUBECONFIG.list_kube_config_contexts(file)
    _KUBECONFIG.load_kube_config(file, context=context, client_configuration=configuration, persist_config=False)
    chosen = next((one for one in contexts if one["name"] == context), current)
    return str(chosen["context"]["cluster"])


def _pause(headers: Mapping[str, str]) -> float | None:
    """Retry-After in seconds; the API server never sends its date form."""
    try:
        return max(float(headers["Retry-After"]), 0.0)
    except (KeyError, ValueError):
        return None


def _text(body: bytes) -> str:
    return " ".join(body[:300].decode("utf-8", "replace").split())


def _short(why: BaseException) -> str:
    return f"{type(why).__name__}: {' '.join(str(why).split())[:300]}"
