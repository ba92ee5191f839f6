"""Puts repair together, for the Slack bot, the executor and a terminal: who may, the journal, whose hands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import msgspec
import structlog

from bot.app.ports import Incidents
from bot.app.repair.ports import Authority, Cards, Library
from bot.entry.repairsettings import RepairSettings
from bot.entry.settings import PlanSettings
from bot.entry.wiring.desk import RepairParts
from bot.model.diagnosis import Diagnosis
from bot.model.incident import Incident
from bot.remedy.decision import Policy
from bot.remedy.plan import Plan
from bot.remedy.timing import stilled

if TYPE_CHECKING:
    from redis import Redis

    from bot.adapters.redis.client import Keys
    from bot.adapters.redis.journal import RedisJournal
    from bot.app.requests import Press
    from bot.entry.cards import Cards as PlanCards
    from bot.entry.presenter import Presenter
    from bot.entry.slack.settings import SlackSettings
    from bot.entry.wiring.store import Store

#: The kind of process that has hands.
EXECUTOR = "executor"

_log = structlog.get_logger(__name__)


class NoHands(ValueError):
    """The executor may not run with these settings; the text says which."""


def called(settings: PlanSettings) -> tuple[str, ...]:
    """Who is called on a card that waits: the groups, or else everybody by name."""
    groups = tuple(f"slack:group/{one}" for one in settings.approver_groups)
    return groups or tuple(f"slack:{settings.team}/{one}" for one in settings.approvers)


def forwarding(settings: PlanSettings, store: Store, is_there: Callable[[], bool]) -> Callable[[Press], bool]:
    """Hands a press on to the executor's process, and tells whether it is there to take it."""
    from bot.adapters.redis.queue import CHOICES, RedisQueue
    from bot.entry.wiring.journal import seals_of

    queue = RedisQueue(store.client, store.keys, CHOICES, audit=seals_of(settings))

    def forward(press: Press) -> bool:
        queue.enqueue(press, dedupe=())
        return is_there()

    return forward


def keeping(
    client: Redis, keys: Keys, presenters: Mapping[str, Presenter]
) -> Callable[[str, Diagnosis], dict[str, str]]:
    """Keeps the report of a plan in every language; the audit names what was kept."""
    from bot.adapters.redis.reports import RedisReports

    reports = RedisReports(client, keys)

    def keep(plan_id: str, diagnosis: Diagnosis) -> dict[str, str]:
        kept = {lang: reports.keep(plan_id, one.report(diagnosis)) for lang, one in presenters.items()}
        return {"report" if lang == "en" else f"report-{lang}": sha256 for lang, sha256 in kept.items()}

    return keep


class RepairSetup(msgspec.Struct, frozen=True, kw_only=True):
    """What every process of repair has: the journal, the runbooks, the cards of each language.

    Attributes:
        read_only: why nothing may be changed on the strength of the store.
        policy: the operator's rules.
    """

    journal: RedisJournal
    read_only: tuple[str, ...]
    policy: Policy
    library: Library
    cards: Mapping[str, PlanCards]

    def in_channel(self, told: SlackSettings) -> Callable[[str], PlanCards]:
        """The cards in a channel's language."""
        return lambda channel: self.cards[told.lang_of(channel)]


def open_setup(settings: PlanSettings, store: Store, team: Callable[[], str]) -> RepairSetup | None:
    """What this process has; None without an audit key, and then nothing is offered. `team` tells the workspace of
    Slack's ids.
    """
    from bot.adapters.clock import WallClock
    from bot.adapters.files.knowledge import LANGUAGES, load_words
    from bot.adapters.files.runbooks import load_runbooks
    from bot.entry.cards import Cards
    from bot.entry.wiring.journal import open_journal

    opened = open_journal(settings, store.client, store.keys, WallClock())
    if opened.journal is None:
        _log.info("no_repair", why=", ".join(opened.read_only))
        return None
    policy = settings.policy(team())
    if opened.read_only:
        policy = msgspec.structs.replace(policy, mutations=False)
    library = load_runbooks(settings.knowledge)
    cards = {
        lang: Cards(
            load_words(lang, settings.knowledge),
            settings.cluster,
            policy,
            library,
            called(settings),
            best_effort=opened.journal.best_effort,
            silences=settings.alertmanager_url is not None,
        )
        for lang in LANGUAGES
    }
    return RepairSetup(journal=opened.journal, read_only=opened.read_only, policy=policy, library=library, cards=cards)


def found(setup: RepairSetup, incidents: Incidents) -> Callable[[str], tuple[Plan, Incident] | None]:
    """Finds a plan with its incident."""

    def find(plan_id: str) -> tuple[Plan, Incident] | None:
        there = setup.journal.read(plan_id)
        plan = stilled(there.plan, there.freeze) if there.plan else None
        incident = incidents.by_id(plan.incident) if plan else None
        return (plan, incident) if plan and incident else None

    return find


def repair_parts(
    setup: RepairSetup,
    settings: PlanSettings,
    store: Store,
    cards_of: Callable[[str], Cards],
    presenters: Mapping[str, Presenter],
    authority: Authority,
    lang_of: Callable[[str], str],
) -> RepairParts:
    """Repair in a process without hands: choices go to the executor, if one is there; without it plans are dry."""
    from bot.adapters.alertmanager import AlertmanagerSilencer
    from bot.adapters.clock import WallClock
    from bot.adapters.redis.presence import RedisPresence

    if setup.read_only:
        _log.warning("mutations_off", why=", ".join(setup.read_only))
    executor = RedisPresence(store.client, store.keys, EXECUTOR)
    url, token = settings.alertmanager_url, settings.alertmanager_token
    return RepairParts(
        journal=setup.journal,
        policy=setup.policy,
        authority=authority,
        library=setup.library,
        cards_of=cards_of,
        namespace=settings.namespace,
        silencer=AlertmanagerSilencer(url, WallClock(), token.get_secret_value() if token else "") if url else None,
        stories=_Stories(setup, settings, store, lang_of),
        keep_report=keeping(store.client, store.keys, presenters),
        can_run=lambda: setup.policy.mutations and executor.is_there(),
        forward=forwarding(settings, store, executor.is_there),
    )


class _Stories:
    """`app.repair.ports.PostMortems` from what this process keeps."""

    def __init__(self, setup: RepairSetup, settings: PlanSettings, store: Store, lang_of: Callable[[str], str]) -> None:
        from bot.adapters.redis.reports import RedisReports
        from bot.entry.wiring.journal import seals_of

        self._setup = setup
        self._knowledge = settings.knowledge
        self._reports = RedisReports(store.client, store.keys)
        self._keys = seals_of(settings)
        self._lang_of = lang_of

    def markdown(self, incident: Incident, channel: str) -> str:
        from bot.adapters.files.knowledge import load_words
        from bot.entry.wiring.audit import told_story

        words = load_words(self._lang_of(channel), self._knowledge)
        return told_story(self._setup.journal, self._reports, self._keys, incident, words, self._setup.library)


def with_hands(parts: RepairParts, settings: RepairSettings) -> RepairParts:
    """The same in the executor's process: the rights of its own account, and choices are built here."""
    from bot.adapters.kubernetes.client import Patience, connect
    from bot.adapters.kubernetes.configmaps import KubernetesConfigMaps
    from bot.adapters.kubernetes.hands import PATIENCE, KubernetesHands

    kubeconfig = settings.executor_kubeconfig
    reader, _ = connect(kubeconfig, None, Patience())
    return msgspec.structs.replace(
        parts,
        hands=KubernetesHands.connect(kubeconfig, namespace=settings.namespace, patience=PATIENCE),
        configmaps=KubernetesConfigMaps(reader),
        can_run=None,
        forward=None,
    )
