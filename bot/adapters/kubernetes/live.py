"""Reads what a step acts on, as it is now: one object, or those that a selection finds."""

from __future__ import annotations

from typing import Any

import msgspec

from bot.adapters.kubernetes.client import Client, Reply
from bot.adapters.kubernetes.mutations import Json, Mutation, Params, marked, uid_of
from bot.adapters.kubernetes.notdone import Gone, Unfit, Unreadable
from bot.adapters.kubernetes.paths import NODES, path, path_of
from bot.adapters.kubernetes.replies import told
from bot.checks.views.karpenter import POOL_LABEL
from bot.model.refs import Ref
from bot.remedy.plan import Target


class Selected(msgspec.Struct, frozen=True):
    """What a selection finds: its own object's uid, the objects that need the change, and how many had it already."""

    uid: str
    needing: tuple[tuple[Ref, str], ...]
    done: int = 0


class Targets:
    """Looks objects up with the executor's own rights."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def one(self, ref: Ref, uid: str = "") -> Json:
        """The object as it is, read from the quorum.

        Raises:
            Gone: it is not there, or is another one than the uid's.
            Unreadable: the server refuses.
            NoReply: no answer within the bounded tries.
        """
        reply = self._client.get(path_of(ref), {})
        if reply.status == 404:
            raise Gone(ref)
        if reply.status != 200:
            raise Unreadable(f"HTTP {reply.status}: {told(reply)}")
        live = decoded(reply)
        if uid and uid_of(live) != uid:
            raise Gone(ref)
        return live

    def selected(self, target: Target, mutation: Mutation, params: Params, exec_id: str) -> Selected:
        """The nodes of a NodePool (`nodepool=NAME`) that need the change. Nodes come and go, the pool stays.

        Raises:
            Unfit: it is no selection that this can be done to.
            Unreadable: the server refuses, or the pool is not there.
            NoReply: no answer within the bounded tries.
        """
        kind, _, name = target.select.partition("=")
        if kind != "nodepool" or not name:
            raise Unfit("hands-other-selection", select=target.select)
        pool = self.one(Ref("nodepool", name))
        reply = self._client.get(path(NODES), {"labelSelector": f"{POOL_LABEL}={name}"})
        if reply.status != 200:
            raise Unreadable(f"HTTP {reply.status}: {told(reply)}")
        needing: list[tuple[Ref, str]] = []
        done = 0
        for node in decoded(reply).get("items") or ():
            if mutation.fields(node, params) != mutation.wanted(node, params, exec_id):
                needing.append((Ref("node", node["metadata"]["name"]), uid_of(node)))
            elif marked(node) == exec_id:
                done += 1
        return Selected(uid_of(pool), tuple(needing), done)


def decoded(reply: Reply) -> Json:
    """The reply as plain data.

    Raises:
        Unreadable: it is no JSON object.
    """
    try:
        data: Any = msgspec.json.decode(reply.body)
    except msgspec.DecodeError as why:
        raise Unreadable("reply-unreadable", detail=str(why)) from why
    if not isinstance(data, dict):
        raise Unreadable("reply-no-object")
    return data
