"""Who the API server says that one is (authentication.k8s.io/v1, since 1.28), and which cluster it is."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bot.adapters.kubernetes.client import Client, NoReply, Patience, Write, connect
from bot.adapters.kubernetes.paths import Served, path
from bot.adapters.kubernetes.replies import told
from bot.remedy.plan import TERMINAL, Actor

_PATH = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
_BODY = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
_NAMESPACES = Served("v1", "namespaces", namespaced=False)
_PATIENCE = Patience(connect=5, read=10, whole=15)


#: The namespace whose uid names a cluster.
SYSTEM = "kube-system"


class Nobody(Exception):
    """The API server did not say who this is; the text says why, as a reason of the catalogue or in its own words."""


class CannotTell(Exception):
    """The API server did not say which cluster it is; the text says why, in the same way."""


class _Metadata(msgspec.Struct, frozen=True):
    uid: str = ""


class _Namespace(msgspec.Struct, frozen=True):
    metadata: _Metadata


class _User(msgspec.Struct, frozen=True):
    username: str


class _Status(msgspec.Struct, frozen=True, rename={"user_info": "userInfo"}):
    user_info: _User


class _Review(msgspec.Struct, frozen=True):
    status: _Status


class Sitting(msgspec.Struct, frozen=True, kw_only=True):
    """Who sits here and in front of which cluster, by the word of one API server."""

    actor: Actor
    cluster: str
    """The uid of its namespace `kube-system`, or empty."""
    why_no_cluster: str = ""


def sitting(kubeconfig: Path | None = None, context: str | None = None, patience: Patience = _PATIENCE) -> Sitting:
    """The person behind a kubeconfig, `k8s:NAME`, and the cluster that says so. Nothing that they type has a say in it.

    Raises:
        Nobody: the server refuses or does not answer.
        NoClusterConfiguration: there is no usable configuration.
    """
    client, _ = connect(kubeconfig, context, patience)
    try:
        reply = client.send(Write(method="POST", path=_PATH, body=_BODY))
        if reply.status != 201:
            raise Nobody(f"HTTP {reply.status}: {told(reply)}")
        name = msgspec.json.decode(reply.body, type=_Review).status.user_info.username
        if not name:
            raise Nobody("identity-no-user")
        actor = Actor(f"{TERMINAL}{name}")
        try:
            return Sitting(actor=actor, cluster=_uid(client))
        except CannotTell as why:
            return Sitting(actor=actor, cluster="", why_no_cluster=str(why))
    except (NoReply, msgspec.DecodeError) as why:
        raise Nobody(str(why)) from why
    finally:
        client.close()


def cluster_uid(kubeconfig: Path | None = None, context: str | None = None, patience: Patience = _PATIENCE) -> str:
    """Which cluster it is: the uid of its namespace `kube-system`, which every cluster has from its first start.

    Raises:
        CannotTell: the server does not answer or does not let us read it.
        NoClusterConfiguration: there is no usable configuration.
    """
    client, _ = connect(kubeconfig, context, patience)
    try:
        return _uid(client)
    finally:
        client.close()


def _uid(client: Client) -> str:
    try:
        reply = client.get(path(_NAMESPACES, "", SYSTEM), {})
        if reply.status != 200:
            raise CannotTell(f"namespace {SYSTEM}: HTTP {reply.status}: {told(reply)}")
        uid = msgspec.json.decode(reply.body, type=_Namespace).metadata.uid
    except (NoReply, msgspec.DecodeError) as why:
        raise CannotTell(f"namespace {SYSTEM}: {why}") from why
    if not uid:
        raise CannotTell(f"identity-no-uid {SYSTEM}")
    return uid
