"""Puts `gpu-autopsy diagnose` together: a cluster or a dump, what is known, and the words. Loads nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from bot.app.investigate import Investigated, Investigator
from bot.app.ports import Cluster, HostTexts
from bot.entry.wiring.hosts import handed_over
from bot.knowledge.base import PROVIDER
from bot.knowledge.words import Words
from bot.model.hosttext import HostText
from bot.model.moment import Moment
from bot.model.refs import Ref
from bot.model.report import Report
from bot.model.snapshot import UnreadFile
from bot.narrate.report import report


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """Where the answer is read from. `moment` is the newest time of a dump, None on a live cluster.

    `unread` are files that could not be read, `ignored` those whose names say nothing about what they hold.
    """

    cluster: Cluster
    hosts: HostTexts
    moment: Moment | None = None
    unread: tuple[UnreadFile, ...] = ()
    ignored: tuple[str, ...] = ()


def dump(folder: Path, name: str = "") -> Source:
    """A folder of files; without a name the answer calls it by its path.

    Raises:
        ValueError: the folder is not there; the text names it.
    """
    from bot.adapters.files.dump import DumpCluster

    cluster = DumpCluster(folder, name or str(folder))
    return Source(
        cluster=cluster, hosts=cluster, moment=cluster.newest(), unread=cluster.unread, ignored=cluster.ignored
    )


def live(kubeconfig: Path | None, context: str | None) -> Source:
    """A cluster that answers.

    Raises:
        ValueError: there is no usable configuration.
    """
    from bot.adapters.files.hosts import GivenTexts
    from bot.adapters.kubernetes.cluster import LiveCluster

    return Source(cluster=LiveCluster.connect(kubeconfig, context), hosts=GivenTexts(()))


def with_journal(source: Source, journal: Path, scope: Sequence[Ref]) -> tuple[Source, tuple[str, ...]]:
    """The source with the texts of one more file, and the lines of it that were not understood.

    Raises:
        ValueError: the file cannot be read or does not say which node it is of; the text names it.
    """
    from bot.adapters.files.hosts import GivenTexts

    found = handed_over(journal, source.cluster, scope)
    texts: tuple[HostText, ...] = source.hosts.texts() + found.texts
    return msgspec.structs.replace(source, hosts=GivenTexts(texts)), found.unrecognised


def investigator(source: Source, knowledge: Path | None = None, repair_policy: str = PROVIDER) -> Investigator:
    """The use case over this source, with the operator's folder and the policy of Karpenter's provider.

    Raises:
        ValueError: a file of the knowledge is broken, or there is no such provider.
    """
    from bot.adapters.clock import WallClock
    from bot.adapters.files.knowledge import load_knowledge, load_policies
    from bot.checks import CHECKS

    return Investigator(
        cluster=source.cluster,
        hosts=source.hosts,
        clock=WallClock(),
        checks=CHECKS,
        knowledge=load_knowledge(knowledge),
        repair_policies=load_policies(repair_policy, knowledge),
        unread_files=source.unread,
    )


def reported(found: Investigated, catalogue: Words, knowledge: Path | None = None) -> Report:
    """The answer in words, with the bot's runbooks and the operator's.

    Raises:
        ValueError: a runbook's front matter is broken.
    """
    from bot.adapters.files.runbooks import runbook_names

    return report(
        found.diagnosis,
        catalogue,
        cluster=found.cluster,
        at_source=found.moment.source,
        at_where=found.moment.where,
        runbooks=runbook_names(knowledge),
    )
