"""The bot's own pods where people are about to work on a host: it may fall silent just then."""

from __future__ import annotations

from bot.app.ports import Cluster, Read
from bot.model.objects import Pod
from bot.model.refs import Ref
from bot.model.sections import NotInstalled, Section, Unknown
from bot.remedy.plan import Note
from bot.remedy.rules import because
from bot.remedy.runbook import Verb


class OwnPods:
    """Looks who lives on a node.

    Args:
        cluster: where pods are read from.
        namespace: the bot's own, with its Redis where that is in the cluster; empty where nobody knows of one.
    """

    def __init__(self, cluster: Cluster, namespace: str) -> None:
        self._cluster = cluster
        self._namespace = namespace

    def notes(self, verb: Verb, target: Ref) -> tuple[Note, ...]:
        """What the card of such a step has to say of them; nothing for what is no work on a host."""
        node = target.name
        if verb is not Verb.HOST or not self._namespace:
            return ()
        on_it = Read(section=Section.PODS, namespace=self._namespace, field_selector=f"spec.nodeName={node}")
        (pages,) = self._cluster.read((on_it,))
        found = pages.objects
        if isinstance(found, Unknown):
            values = because({"name": node}, found.why, found.about(Section.PODS))
            return (Note("repair-own-pods-unread", values),)
        there = () if isinstance(found, NotInstalled) else found
        ours = [
            one.name
            for one in there
            # A cluster of files gives more than it was asked for.
            if isinstance(one, Pod) and (one.namespace, one.spec.node_name) == (self._namespace, node)
        ]
        return (Note("repair-own-pods", {"name": node, "pods": ", ".join(sorted(ours))}),) if ours else ()
