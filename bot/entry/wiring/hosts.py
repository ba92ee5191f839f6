"""Which node a file of a host is of, as the cluster's nodes tell."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bot.app.ports import Cluster, Read, Recognised
from bot.model.refs import Ref
from bot.model.sections import Section
from bot.model.snapshot import known


def node_names(cluster: Cluster) -> frozenset[str]:
    """The names of the cluster's nodes; none if they cannot be read, which the diagnosis says."""
    (pages,) = cluster.read([Read(section=Section.NODES)])
    return frozenset(one.name for one in known(pages.objects))


def handed_over(file: Path, cluster: Cluster, scope: Sequence[Ref]) -> Recognised:
    """The texts of a file; one that does not say whose it is belongs to the node that alone was asked about.

    Raises:
        ValueError: the file cannot be read or does not say which node it is of; the text names it.
    """
    from bot.adapters.files.dropped import dropped

    asked = [one.name for one in scope if one.kind == "node"]
    return dropped(file, nodes=node_names(cluster), told=asked[0] if len(asked) == 1 else "")
