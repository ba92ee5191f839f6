"""What a command says when the store fails under it. Axes: whether it was written; whether that can be told."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import pytest
import redis
from rich.console import Console

from bot.adapters.files.knowledge import load_words
from bot.adapters.redis.client import Keys, connect
from bot.adapters.redis.incidents import RedisIncidents
from bot.adapters.redis.journal import RedisJournal
from bot.adapters.terminal.poster import TerminalPoster
from bot.app.repair.desk import RepairDesk
from bot.app.repair.ports import NotWritten
from bot.app.requests import Press, PressKind
from bot.entry.terminal.session import Session
from bot.entry.terminal.showing import Showing
from bot.remedy.decision import Entry
from bot.remedy.plan import BOT, Actor
from tests.support.cards import Texts, cards
from tests.support.clusters import MemoryCluster
from tests.support.desk import PlainPresenter, StubCluster, chains
from tests.support.journals import journal
from tests.support.plans import AT
from tests.support.redis import SetClock, client, redis_server, redis_url

__all__ = ["client", "redis_server", "redis_url"]

KEYS = Keys("lab")


class Failing:
    """A desk whose store fails, after `before` was done."""

    def __init__(self, before: Callable[[Press], None]) -> None:
        self._before = before

    def handle(self, press: Press) -> None:
        self._before(press)
        raise NotWritten("the disk is full")


def pressing(store: RedisJournal, before: Callable[[Press], None]) -> Session:
    incidents = RedisIncidents(connect("redis://127.0.0.1:9/0"), KEYS)
    showing = Showing(
        journal=store,
        incidents=incidents,
        library=Texts(),
        cards=cards(),
        presenter=PlainPresenter(),
        poster=TerminalPoster(Console(), load_words("en")),
    )
    return Session(
        actor=Actor("k8s:admin"),
        cluster=MemoryCluster(),
        desk=cast("RepairDesk", Failing(before)),
        journal=store,
        incidents=incidents,
        investigator=StubCluster([], lambda _: chains()),
        showing=showing,
        keep=lambda _file, _scope: None,
        clock=SetClock(AT),
        words=load_words("en"),
    )


@pytest.fixture
def store(client: redis.Redis) -> RedisJournal:
    one = journal(client, KEYS)
    one.begin("begin", Entry(type="journal-begun", at=AT, actor=BOT))
    return one


def test_what_was_written_is_done_with_a_warning(store: RedisJournal) -> None:
    entry = Entry(type="freeze", at=AT, actor=BOT)
    session = pressing(store, lambda press: store.note(press.id, entry))
    session.press(PressKind.FREEZE, reason="odd")
    assert session.warnings == ("Done, but Redis does not confirm that it keeps it: the disk is full",)
    assert not session.refused


def test_what_was_not_written_was_not_done(store: RedisJournal) -> None:
    with pytest.raises(NotWritten, match="nothing was done: the disk is full"):
        pressing(store, lambda _: None).press(PressKind.FREEZE, reason="odd")


def test_where_nobody_can_tell_that_is_said() -> None:
    away = journal(connect("redis://127.0.0.1:9/0"), KEYS)
    with pytest.raises(NotWritten, match="nobody can tell whether it was done: the disk is full"):
        pressing(away, lambda _: None).press(PressKind.FREEZE, reason="odd")
