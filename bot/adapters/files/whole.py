"""Whether a list of nodes is whole: YAML that was cut at the edge of an item reads like a complete list.

Other objects of the same dump give it away. Only of files this is asked: a live API server's list is whole, and a
node may go between two of its answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bot.app.ports import Pages
from bot.model.objects import Lease, Pod
from bot.model.sections import Section, Unknown, UnknownReason

_LEASES = "kube-node-lease"
#: Pods in these phases stay for a while when their node is gone.
_OVER = frozenset({"Succeeded", "Failed"})
_NAMED = 3


def missing_nodes(pages: Mapping[Section, Pages]) -> dict[Section, Pages]:
    """The pages, the nodes with a gap where leases or pods name nodes that are not among them."""
    listed = pages.get(Section.NODES)
    if listed is None or not isinstance(listed.objects, tuple) or listed.gap is not None:
        return dict(pages)
    known = {one.name for one in listed.objects} | {one.name for one in listed.unreadable}
    missing = sorted({*_holders(pages.get(Section.LEASES)), *_hosts(pages.get(Section.PODS))} - known)
    if not missing:
        return dict(pages)
    told = ", ".join(missing[:_NAMED]) + (f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else "")
    gap = Unknown(UnknownReason.FAILED, f"leases or pods name nodes that are not in the list: {told}")
    return {**pages, Section.NODES: Pages(objects=listed.objects, unreadable=listed.unreadable, gap=gap)}


def _holders(page: Pages | None) -> Iterable[str]:
    objects = page.objects if page and isinstance(page.objects, tuple) else ()
    return (one.name for one in objects if isinstance(one, Lease) and one.namespace == _LEASES)


def _hosts(page: Pages | None) -> Iterable[str]:
    """The nodes of pods that are to run: what ends, or has ended, may outlive its node."""
    objects = page.objects if page and isinstance(page.objects, tuple) else ()
    pods = (one for one in objects if isinstance(one, Pod) and one.spec.node_name)
    return (
        one.spec.node_name for one in pods if one.status.phase not in _OVER and one.metadata.deletion_timestamp is None
    )
