"""Which cluster the journal is of: said once, and compared by whoever believes an API server.

What it leaves to others: how a cluster says which it is (`adapters.kubernetes.identity`), and where that is kept
(`adapters.redis.journal`).
"""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from bot.app.repair.ports import NotBegun, NotWritten
from bot.entry.wiring.words import words
from bot.knowledge.words import Words
from bot.narrate.reasons import in_words
from bot.remedy.decision import Entry
from bot.remedy.plan import BOT

if TYPE_CHECKING:
    from bot.adapters.kubernetes.identity import Sitting
    from bot.adapters.redis.journal import RedisJournal

#: What an entry of the audit calls it.
UID = "kube-system"

_log = structlog.get_logger(__name__)


class OtherCluster(ValueError):
    """The API server is not known to be of the journal's cluster; the text names both."""


def read_uid(kubeconfig: Path | None, context: str | None) -> tuple[str, str]:
    """Which cluster this is, or an empty text and why that cannot be told."""
    from bot.adapters.kubernetes.client import NoClusterConfiguration
    from bot.adapters.kubernetes.identity import CannotTell, cluster_uid

    try:
        return cluster_uid(kubeconfig, context), ""
    except (CannotTell, NoClusterConfiguration) as why:
        return "", str(why)


def bound(journal: RedisJournal, kubeconfig: Path | None) -> None:
    """At a start with the cluster: say which one the journal is of, unless somebody has.

    What cannot be told or written now is told at the next start: until then nobody is believed in a terminal.

    Raises:
        OtherCluster: the journal is of another one.
    """
    from bot.adapters.clock import WallClock

    uid, why = read_uid(kubeconfig, None)
    if not uid:
        _log.warning("cluster_not_told", why=why)
        return
    entry = Entry(type="cluster-bound", at=WallClock().now(), actor=BOT, details={UID: uid})
    try:
        kept = journal.bind(f"cluster-bound-{uuid.uuid4().hex}", uid, entry)
    except NotBegun as unbegun:
        _log.warning("audit_not_begun", why=str(unbegun))
        return
    except NotWritten as unwritten:
        _log.warning("cluster_not_kept", why=str(unwritten))
        return
    if kept != uid:
        raise OtherCluster(_differs(uid, kept, words("en")))


def same(journal: RedisJournal, here: Sitting, say: Words) -> None:
    """Whether an API server may say who somebody is: only the one of the journal's own cluster.

    Where no journal was begun everything is frozen and nothing can be written, so a look is harmless.

    Raises:
        OtherCluster: it is another one, or one of both cannot be told.
        NotWritten: the journal is out of reach.
    """
    kept = journal.cluster()
    if not kept:
        if kept is not None:
            raise OtherCluster(say.reason("cli-audit-without-cluster"))
    elif not here.cluster:
        raise OtherCluster(
            in_words(say, "cli-cluster-untold", {"why": here.why_no_cluster, "namespace": UID, "kept": kept})
        )
    elif here.cluster != kept:
        raise OtherCluster(_differs(here.cluster, kept, say))


def _differs(here: str, kept: str, say: Words) -> str:
    return say.told("cli-other-cluster", namespace=UID, here=here, kept=kept)
