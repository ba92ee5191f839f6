"""Who the API server says that one is: how the terminal knows a person (authentication.k8s.io/v1, since 1.28)."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bot.adapters.kubernetes.client import NoReply, Patience, Write, connect
from bot.adapters.kubernetes.replies import told
from bot.remedy.plan import Actor

_PATH = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
_BODY = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
_PATIENCE = Patience(connect=5, read=10, whole=15)


class Nobody(Exception):
    """The API server did not say who this is; the text says why."""


class _User(msgspec.Struct, frozen=True):
    username: str


class _Status(msgspec.Struct, frozen=True, rename={"user_info": "userInfo"}):
    user_info: _User


class _Review(msgspec.Struct, frozen=True):
    status: _Status


def whoami(kubeconfig: Path | None = None, context: str | None = None, patience: Patience = _PATIENCE) -> Actor:
    """The person behind a kubeconfig, `k8s:NAME`. Nothing that they type has a say in it.

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
    except (NoReply, msgspec.DecodeError) as why:
        raise Nobody(str(why)) from why
    finally:
        client.close()
    if not name:
        raise Nobody("the server names no user")
    return Actor(f"k8s:{name}")
