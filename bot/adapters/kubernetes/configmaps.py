"""Single ConfigMaps by their names, with the executor's rights: nobody lists them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bot.adapters.kubernetes.client import Client, NoReply
from bot.adapters.kubernetes.paths import path_of
from bot.adapters.kubernetes.replies import told
from bot.model.objects import ConfigMap
from bot.model.refs import Ref
from bot.model.sections import Unknown, UnknownReason


class KubernetesConfigMaps:
    """`app.repair.ports.ConfigMaps`."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def configmaps(self, refs: Sequence[Ref]) -> tuple[ConfigMap, ...] | Unknown:
        """Those that are there; unknown as soon as one cannot be read."""
        found: list[ConfigMap] = []
        for ref in refs:
            try:
                reply = self._client.get(path_of(ref), {})
                if reply.status == 404:
                    continue
                if reply.status != 200:
                    reason = UnknownReason.FORBIDDEN if reply.status == 403 else UnknownReason.FAILED
                    return Unknown(reason, f"{ref}: HTTP {reply.status}: {told(reply)}")
                found.append(msgspec.json.decode(reply.body, type=ConfigMap))
            except (NoReply, msgspec.DecodeError) as why:
                return Unknown(UnknownReason.FAILED, f"{ref}: {why}")
        return tuple(found)
