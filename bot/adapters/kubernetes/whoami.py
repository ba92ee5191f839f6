"""Who the API server says that we are: the person at a terminal, by their own kubeconfig."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bot.adapters.kubernetes.client import NoReply, Patience, Write, connect
from bot.adapters.kubernetes.replies import told

_REVIEWS = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
_PATIENCE = Patience(connect=5, read=10, whole=15)


class Nobody(ValueError):
    """The API server does not say who asks; the text says why."""


class _User(msgspec.Struct, frozen=True):
    username: str


class _Status(msgspec.Struct, frozen=True, rename="camel"):
    user_info: _User


class _Review(msgspec.Struct, frozen=True):
    status: _Status


def whoami(kubeconfig: Path | None = None, context: str | None = None, patience: Patience = _PATIENCE) -> str:
    """The user's name as the API server knows it (SelfSubjectReview, authentication.k8s.io/v1, since Kubernetes 1.28).

    Raises:
        Nobody: it does not answer, or does not know who asks.
        NoClusterConfiguration: there is no usable configuration.
    """
    client, _ = connect(kubeconfig, context, patience)
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    try:
        reply = client.send(Write(method="POST", path=_REVIEWS, body=body))
        if reply.status != 201:
            raise Nobody(f"SelfSubjectReview: HTTP {reply.status}: {told(reply)}")
        name = msgspec.json.decode(reply.body, type=_Review).status.user_info.username
    except (NoReply, msgspec.DecodeError) as why:
        raise Nobody(f"SelfSubjectReview: {why}") from why
    finally:
        client.close()
    if not name or name == "system:anonymous":
        raise Nobody("the API server does not know who asks")
    return name
