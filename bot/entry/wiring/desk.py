"""Puts the desk together: the same use cases for Slack and for a rehearsal."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from bot.app.ports import Clock, Cluster, Poster, Presenter, Read, Summariser
from bot.app.threads import without_llm
from bot.model.sections import Section
from bot.model.snapshot import known

if TYPE_CHECKING:
    from redis import Redis

    from bot.adapters.redis.client import Keys
    from bot.app.desk import Desk


class DeskParts(msgspec.Struct, frozen=True, kw_only=True):
    """What the desk is made of.

    Attributes:
        world: the clock from which ages count.
        wall: the clock of decisions and expiries.
        pastes_kept: how long a pasted text counts.
        knowledge: the operator's own folder of signatures, links and words.
        repair_policy: whose repair policies Karpenter follows (`policies.toml`).
    """

    cluster: Cluster
    redis: Redis
    keys: Keys
    world: Clock
    wall: Clock
    poster: Poster
    presenter_of: Callable[[str], Presenter]
    pastes_kept: timedelta
    knowledge: Path | None = None
    repair_policy: str = "aws"
    summariser_of: Callable[[str], Summariser | None] = without_llm


def build_desk(parts: DeskParts) -> Desk:
    """The desk of one cluster."""
    from bot.adapters.files.knowledge import load_knowledge, load_policies
    from bot.adapters.files.paste import PasteRecogniser
    from bot.adapters.redis.incidents import RedisIncidents
    from bot.adapters.redis.pastes import RedisPastes
    from bot.app.desk import Desk
    from bot.app.investigate import Investigator
    from bot.checks import CHECKS

    pastes = RedisPastes(parts.redis, parts.keys, parts.wall, parts.pastes_kept)
    return Desk(
        cluster=parts.cluster.name,
        clock=parts.wall,
        incidents=RedisIncidents(parts.redis, parts.keys),
        investigator=Investigator(
            cluster=parts.cluster,
            hosts=pastes,
            clock=parts.world,
            checks=CHECKS,
            knowledge=load_knowledge(parts.knowledge),
            repair_policies=load_policies(parts.repair_policy, parts.knowledge),
        ),
        pastes=pastes,
        poster=parts.poster,
        presenter_of=parts.presenter_of,
        recogniser=PasteRecogniser(lambda: _nodes(parts.cluster)),
        waiting=RedisPastes(parts.redis, parts.keys, parts.wall, parts.pastes_kept, "waiting"),
        summariser_of=parts.summariser_of,
    )


def _nodes(cluster: Cluster) -> frozenset[str]:
    """The names of the cluster's nodes; none if they cannot be read, which the diagnosis says."""
    (pages,) = cluster.read([Read(section=Section.NODES)])
    return frozenset(one.name for one in known(pages.objects))
