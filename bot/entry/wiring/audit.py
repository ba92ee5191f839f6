"""Puts the commands of the audit together: settings -> keys -> Redis or an export."""

from __future__ import annotations

import os
import pwd
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from bot.app.repair.ports import Library, NotWritten, ReportArchive
from bot.entry.settings import PlanSettings, load_part
from bot.entry.storesettings import AuditSettings, StoreSettings
from bot.entry.wiring.identity import UID, read_uid
from bot.entry.wiring.journal import NO_KEY, OTHER_KEY, audit_keys, open_journal
from bot.entry.wiring.words import words
from bot.knowledge.words import Words
from bot.model.incident import Incident
from bot.narrate.postmortem import Story, postmortem
from bot.narrate.reasons import in_words
from bot.remedy.audit import AuditKey, Broken, record, shown, verify
from bot.remedy.decision import Entry
from bot.remedy.export import entries_of, export, lines_of, missing_anchor, verify_export
from bot.remedy.plan import Actor

if TYPE_CHECKING:
    from redis import Redis

    from bot.adapters.redis.client import Keys
    from bot.adapters.redis.journal import RedisJournal


class NoAudit(ValueError):
    """The audit cannot be looked at; the text says why."""


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """What verifying found: how many entries, the last as `NUMBER:MAC`, what does not fit, which anchor is missing."""

    entries: int
    last: str = ""
    broken: Broken | None = None
    anchor: str = ""


class _Store(msgspec.Struct, frozen=True, kw_only=True):
    redis: Redis
    keys: Keys
    journal: RedisJournal
    read_only: tuple[str, ...]


class Begun(msgspec.Struct, frozen=True, kw_only=True):
    """What `begin` did: began a journal (`new`), said which cluster it is of (`bound`); `cluster` is the one that is
    kept, `why_no_cluster` why it is none; `read_only` why the store may lose it.
    """

    new: bool
    bound: bool
    cluster: str
    why_no_cluster: str = ""
    read_only: tuple[str, ...] = ()


def begin(environ: Mapping[str, str], kubeconfig: Path | None, context: str | None, say: Words) -> Begun:
    """Begin the journal unless there is one, and say which cluster it is of unless that was said.

    Raises:
        ValueError: settings or the key are missing, the key is not this audit's, or Redis did not confirm it.
    """
    from bot.adapters.clock import WallClock

    uid, why = read_uid(kubeconfig, context)
    details = {UID: uid} if uid else {}
    begun = Entry(type="journal-begun", at=WallClock().now(), actor=account_of(os.getuid()), details=details)
    with _store(environ, say) as store:
        journal, read_only = store.journal, store.read_only
        if not journal.fits():
            raise NoAudit(say.reason(OTHER_KEY))
        if journal.begin(f"journal-begun-{uuid.uuid4().hex}", begun, uid):
            return Begun(new=True, bound=bool(uid), cluster=uid, why_no_cluster=why, read_only=read_only)
        before = journal.cluster() or ""
        if before or not uid:
            return Begun(new=False, bound=False, cluster=before, why_no_cluster=why)
        kept = journal.bind(
            f"cluster-bound-{uuid.uuid4().hex}", uid, msgspec.structs.replace(begun, type="cluster-bound")
        )
        return Begun(new=False, bound=kept == uid, cluster=kept, read_only=read_only)


def account_of(uid: int) -> Actor:
    """The account that this process runs as, `os:NAME`; one of a container's need not have a name: `os:uid-65532`.

    By the system and not by the environment, where everybody may call themselves anything.
    """
    try:
        return Actor(f"os:{pwd.getpwuid(uid).pw_name}")
    except KeyError:
        return Actor(f"os:uid-{uid}")


def check(
    environ: Mapping[str, str], file: Path | None, old_keys: Sequence[Path], anchors: Sequence[str], say: Words
) -> Checked:
    """Verify an export, or what is in Redis.

    Raises:
        ValueError: the key or other settings are missing, a file cannot be read, or Redis is out of reach.
    """
    keys = _keys(environ, old_keys, say)
    if file is not None:
        data = _read(file)
        lines, broken = entries_of(data), verify_export(data, keys)
    else:
        with _store(environ, say) as store:
            lines, head = store.journal.audit()
        broken = verify(lines, keys, head) if lines or head else None
    if broken is not None or not lines:
        return Checked(entries=len(lines), broken=broken)
    last = record(lines[-1])
    return Checked(entries=len(lines), last=f"{last['seq']}:{last['mac']}", anchor=missing_anchor(lines, anchors))


def exported(environ: Mapping[str, str], incident: str, say: Words) -> bytes:
    """The audit as JSON lines, whole or of one incident.

    Raises:
        ValueError: settings or the key are missing, or Redis is out of reach.
    """
    from bot.adapters.clock import WallClock

    with _store(environ, say) as store:
        lines, head = store.journal.audit()
    chosen = lines_of(lines, incident) if incident else lines
    return export(chosen, _keys(environ, (), say)[0], head, at=WallClock().now(), incident=incident)


def story_of(environ: Mapping[str, str], incident_id: str, lang: str) -> str:
    """The post-mortem of an incident.

    Raises:
        ValueError: settings or the key are missing, Redis is out of reach, or the incident is not kept.
    """
    from bot.adapters.files.runbooks import load_runbooks
    from bot.adapters.redis.incidents import RedisIncidents
    from bot.adapters.redis.reports import RedisReports

    knowledge = load_part(PlanSettings, environ).knowledge
    catalogue, runbooks = words(lang, knowledge), load_runbooks(knowledge)
    with _store(environ, catalogue) as store:
        incident = RedisIncidents(store.redis, store.keys).by_id(incident_id)
        if incident is None:
            raise NoAudit(catalogue.told("repair-no-such-incident", incident=incident_id))
        reports = RedisReports(store.redis, store.keys)
        return told_story(store.journal, reports, _keys(environ, (), catalogue), incident, catalogue, runbooks)


def told_story(
    journal: RedisJournal,
    reports: ReportArchive,
    keys: Sequence[AuditKey],
    incident: Incident,
    catalogue: Words,
    runbooks: Library,
) -> str:
    """The post-mortem of an incident, from what was kept.

    Raises:
        NotWritten: Redis is out of reach.
    """
    lang = catalogue.lang
    plans = journal.plans(incident=incident.id)
    kept = [found for one in plans if (found := reports.of(one.id, lang))]
    since = journal.since(incident.id)
    lines, head = journal.audit(since=since)
    story = Story(
        incident=incident,
        plans=plans,
        entries=tuple(shown(line) for line in lines),
        report=kept[0].report if kept else None,
        report_sha256=kept[0].sha256 if kept else "",
        chain_holds=verify(lines, keys, head, since=since) is None,
        since=since,
    )
    return postmortem(story, catalogue, lambda book, section: runbooks.text(book, section, lang).partition("\n")[0])


@contextmanager
def _store(environ: Mapping[str, str], say: Words) -> Iterator[_Store]:
    from bot.adapters.clock import WallClock
    from bot.adapters.redis.client import Keys, connect

    settings = load_part(StoreSettings, environ)
    password = settings.redis_password.get_secret_value() if settings.redis_password else None
    names = Keys(settings.cluster)
    with connect(settings.redis_url.get_secret_value(), password) as client:
        opened = open_journal(settings, client, names, WallClock())
        if opened.journal is None:
            raise NoAudit(say.reason(NO_KEY))
        try:
            yield _Store(redis=client, keys=names, journal=opened.journal, read_only=opened.read_only)
        except NotWritten as why:
            raise NoAudit(in_words(say, "cli-redis", {"why": str(why)})) from why


def _keys(environ: Mapping[str, str], old_keys: Sequence[Path], say: Words) -> tuple[AuditKey, ...]:
    told = audit_keys(load_part(AuditSettings, environ))
    if not told:
        raise NoAudit(say.reason(NO_KEY))
    return tuple(AuditKey(one) for one in (*told, *(_read(path).strip() for path in old_keys)))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as why:
        raise NoAudit(f"{path}: {why.strerror}") from None
