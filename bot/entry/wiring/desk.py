"""Puts the desk together: the same use cases for Slack, for the command line and for a rehearsal."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from bot.app.ports import Clock, Cluster, Incidents, Investigator, Poster, Presenter, Read, Recogniser, Summariser
from bot.app.repair.ports import Authority, Cards, ConfigMaps, Hands, Library, Silencer
from bot.app.threads import without_llm
from bot.entry.stories import AuditedJournal, KeptReports, Stories
from bot.model.sections import Section
from bot.model.snapshot import RepairPolicy, known
from bot.remedy.audit import AuditKey
from bot.remedy.decision import Policy

if TYPE_CHECKING:
    from redis import Redis

    from bot.adapters.redis.client import Keys
    from bot.app.desk import Desk
    from bot.app.repair.together import Repairs


class RepairParts(msgspec.Struct, frozen=True, kw_only=True):
    """What repair needs besides.

    Attributes:
        audit_keys: those that the journal chains with, the current one first.
        lang_of: the language of a channel.
        hands: None where the bot changes nothing.
    """

    journal: AuditedJournal
    audit_keys: tuple[AuditKey, ...]
    policy: Policy
    authority: Authority
    library: Library
    cards_of: Callable[[str], Cards]
    lang_of: Callable[[str], str]
    hands: Hands | None = None
    configmaps: ConfigMaps | None = None
    silencer: Silencer | None = None


class DeskParts(msgspec.Struct, frozen=True, kw_only=True):
    """What the desk is made of.

    Attributes:
        world: the clock from which ages count.
        wall: the clock of decisions and expiries.
        pastes_kept: how long a pasted text counts.
        knowledge: the operator's own folder of signatures, links and words.
        repair_policy: whose repair policies Karpenter follows (`policies.toml`).
        repair: None where plans are not offered.
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
    repair: RepairParts | None = None


class Bench(NamedTuple):
    """The desk, and what carries its plans out."""

    desk: Desk
    repairs: Repairs | None


def build_desk(parts: DeskParts) -> Bench:
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
    recogniser = PasteRecogniser(lambda: _nodes(parts.cluster))
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
        repair=repairs.desk if repairs else None,
    )
    return Bench(desk, repairs)


def _repairs(
    parts: DeskParts,
    incidents: Incidents,
    investigator: Investigator,
    recogniser: Recogniser,
    policies: Sequence[RepairPolicy],
) -> Repairs | None:
    from bot.adapters.files.knowledge import LANGUAGES, load_words
    from bot.adapters.files.runbooks import runbook_names
    from bot.adapters.redis.reports import RedisReports
    from bot.app.repair.owning import ClusterOwners
    from bot.app.repair.together import Parts, Repairs

    repair = parts.repair
    if repair is None:
        return None
    archive = RedisReports(parts.redis, parts.keys)
    words = {lang: load_words(lang, parts.knowledge) for lang in LANGUAGES}
    names = runbook_names(parts.knowledge)
    reports = KeptReports(archive, parts.cluster.name, tuple(words.values()), names)
    stories = Stories(
        repair.journal,
        archive,
        repair.audit_keys,
        lambda channel: words[repair.lang_of(channel)],
        repair.library.text,
    )
    return Repairs(
        Parts(
            cluster=parts.cluster,
            incidents=incidents,
            journal=repair.journal,
            investigator=investigator,
            recogniser=recogniser,
            poster=parts.poster,
            presenter_of=parts.presenter_of,
            cards_of=repair.cards_of,
            library=repair.library,
            authority=repair.authority,
            owners=ClusterOwners(parts.cluster, repair.configmaps),
            policy=repair.policy,
            clock=parts.wall,
            world=parts.world,
            new_id=lambda: uuid.uuid4().hex[:12],
            name=uuid.uuid4().hex,
            hands=repair.hands,
            configmaps=repair.configmaps,
            repair_policies=policies,
            silencer=repair.silencer,
            stories=stories,
            keep_report=reports.keep,
        )
    )


def _nodes(cluster: Cluster) -> frozenset[str]:
    """The names of the cluster's nodes; none if they cannot be read, which the diagnosis says."""
    (pages,) = cluster.read([Read(section=Section.NODES)])
    return frozenset(one.name for one in known(pages.objects))
