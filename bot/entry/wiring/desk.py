"""Puts the desk together: the same use cases for Slack, for the command line and for a rehearsal."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from bot.app.afterwards import Repair
from bot.app.ports import Clock, Cluster, Incidents, Investigator, Poster, Presenter, Recogniser
from bot.app.ports.writer import Summariser
from bot.app.repair.together import Means, Parts, Repairs
from bot.app.threads import Threads, without_llm
from bot.entry.wiring.hosts import node_names
from bot.knowledge.base import PROVIDER
from bot.model.snapshot import RepairPolicy
from bot.remedy.plan import Actor

if TYPE_CHECKING:
    from redis import Redis

    from bot.adapters.redis.client import Keys
    from bot.app.desk import Desk
    from bot.entry.settings import PlanSettings
    from bot.entry.wiring.store import Store


class RepairParts(Means, frozen=True, kw_only=True):
    """What repair needs besides the desk's parts; `hands` is None where this process changes nothing.

    Attributes:
        name: of this process, which no other has, ever.
    """

    name: str = msgspec.field(default_factory=lambda: uuid.uuid4().hex)


class DeskParts(msgspec.Struct, frozen=True, kw_only=True):
    """What the desk is made of.

    Attributes:
        world: the clock from which ages count.
        wall: the clock of decisions and expiries.
        pastes_kept: how long a pasted text counts.
        knowledge: the operator's own folder of signatures, links and words.
        repair_policy: whose repair policies Karpenter follows (`policies.toml`).
        repair: None where plans are not offered.
        no_plans: why they are not, a reason of the catalogue, told where one would have been; empty: nothing is said.
        team: the Slack workspace whose people ask; whoever asks is the requester of the plan.
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
    repair_policy: str = PROVIDER
    summariser_of: Callable[[str], Summariser | None] = without_llm
    repair: RepairParts | None = None
    no_plans: str = ""
    team: str = ""


class UseCases(NamedTuple):
    """The use cases of one cluster: the desk, repair where there is any, and what both look things up in."""

    desk: Desk
    repairs: Repairs | None
    investigator: Investigator
    incidents: Incidents


def build_use_cases(parts: DeskParts) -> UseCases:
    """The use cases of one cluster."""
    from bot.adapters.files.knowledge import load_knowledge, load_policies
    from bot.adapters.files.paste import PasteRecogniser
    from bot.adapters.redis.incidents import RedisIncidents
    from bot.adapters.redis.pastes import RedisPastes
    from bot.app.desk import Desk
    from bot.app.investigate import Investigator as ClusterInvestigator
    from bot.checks import CHECKS

    pastes = RedisPastes(parts.redis, parts.keys, parts.wall, parts.pastes_kept)
    incidents = RedisIncidents(parts.redis, parts.keys)
    recogniser = PasteRecogniser(lambda: node_names(parts.cluster))
    policies = load_policies(parts.repair_policy, parts.knowledge)
    investigator = ClusterInvestigator(
        cluster=parts.cluster,
        hosts=pastes,
        clock=parts.world,
        checks=CHECKS,
        knowledge=load_knowledge(parts.knowledge),
        repair_policies=policies,
    )
    repairs = _repairs(parts, incidents, investigator, recogniser, policies)
    desk = Desk(
        cluster=parts.cluster.name,
        clock=parts.wall,
        incidents=incidents,
        investigator=investigator,
        pastes=pastes,
        poster=parts.poster,
        presenter_of=parts.presenter_of,
        recogniser=recogniser,
        waiting=RedisPastes(parts.redis, parts.keys, parts.wall, parts.pastes_kept, "waiting"),
        summariser_of=parts.summariser_of,
        repair=repairs.desk if repairs else _without_plans(parts, incidents),
        actor_of=lambda user: Actor(f"slack:{parts.team}/{user}"),
    )
    return UseCases(desk, repairs, investigator, incidents)


def live_use_cases(
    settings: PlanSettings,
    store: Store,
    cluster: Cluster,
    *,
    poster: Poster,
    presenter_of: Callable[[str], Presenter],
    repair: RepairParts | None,
    summariser_of: Callable[[str], Summariser | None] = without_llm,
    team: str = "",
    no_plans: str = "",
) -> UseCases:
    """The use cases as the settings say, on a cluster that lives: ages count from now."""
    from bot.adapters.clock import WallClock

    clock = WallClock()
    return build_use_cases(
        DeskParts(
            cluster=cluster,
            redis=store.client,
            keys=store.keys,
            world=clock,
            wall=clock,
            poster=poster,
            presenter_of=presenter_of,
            pastes_kept=timedelta(hours=settings.paste_expiry_hours),
            knowledge=settings.knowledge,
            repair_policy=settings.repair_policy,
            summariser_of=summariser_of,
            repair=repair,
            team=team,
            no_plans=no_plans,
        )
    )


def _without_plans(parts: DeskParts, incidents: Incidents) -> Repair | None:
    from bot.adapters.files.runbooks import load_runbooks
    from bot.app.repair.absent import NoPlans
    from bot.app.repair.posting import Postings

    if not parts.no_plans:
        return None
    threads = Threads(incidents=incidents, poster=parts.poster, presenter_of=parts.presenter_of, clock=parts.wall)
    return NoPlans(threads, Postings(threads, _new_id), load_runbooks(parts.knowledge), parts.no_plans)


def _new_id() -> str:
    return uuid.uuid4().hex[:12]


def _repairs(
    parts: DeskParts,
    incidents: Incidents,
    investigator: Investigator,
    recogniser: Recogniser,
    policies: Sequence[RepairPolicy],
) -> Repairs | None:
    from bot.app.repair.owning import ClusterOwners
    from bot.entry.tending import guarded

    repair = parts.repair
    if repair is None:
        return None
    return Repairs(
        Parts(
            **msgspec.structs.asdict(repair),
            cluster=parts.cluster,
            incidents=incidents,
            investigator=investigator,
            recogniser=recogniser,
            poster=parts.poster,
            presenter_of=parts.presenter_of,
            owners=ClusterOwners(parts.cluster, repair.configmaps),
            clock=parts.wall,
            world=parts.world,
            new_id=_new_id,
            guard=guarded,
            repair_policies=policies,
        )
    )
