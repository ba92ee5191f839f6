"""What of a diagnosis touches the question: the leading chains and the objects on them."""

from __future__ import annotations

from collections.abc import Mapping

from bot.model.diagnosis import Diagnosis, Key, Link
from bot.model.findings import Blind, Finding, Kind
from bot.model.refs import CLUSTER, Ref

#: Subjects that stand for the whole cluster: what is said of them concerns every chain.
_CLUSTER_WIDE = frozenset({"cluster", "kubevirt", "clusterpolicy"})


class Reach:
    """The leading chains of one diagnosis, and who is near them."""

    def __init__(self, diagnosis: Diagnosis) -> None:
        self.diagnosis = diagnosis
        self.whole = CLUSTER in diagnosis.scope
        self.findings: Mapping[Key, Finding] = {one.key: one for one in diagnosis.findings}
        self.keys: tuple[Key, ...] = self._chain_keys()
        self.subjects: frozenset[Ref] = frozenset({subject for _, subject in self.keys} | set(diagnosis.scope))
        roots = [root.finding for root in diagnosis.roots]
        self.near: frozenset[Ref] = self.subjects | {ref for one in roots for refs in one.refs.values() for ref in refs}

    def touches(self, finding: Finding) -> bool:
        """Whether it is about an object of the chains, or of the whole cluster."""
        if finding.subject.kind in _CLUSTER_WIDE or finding.subject in self.near:
            return True
        return any(ref in self.subjects for refs in finding.refs.values() for ref in refs)

    def concerns(self, finding: Finding) -> bool:
        """Whether it belongs to the question; of faults exactly those that the verdict was judged by do."""
        if finding.kind is Kind.FAULT:
            return self.whole or finding.key in self.diagnosis.judged or finding.key in self.keys
        return self.whole or self.touches(finding)

    def of_kind(self, kind: Kind) -> list[Finding]:
        """What to say of this kind: near the chains first; the rest only where the whole cluster was asked about."""
        near: list[Finding] = []
        far: list[Finding] = []
        for one in self.diagnosis.findings:
            if one.kind is kind:
                (near if self.touches(one) else far).append(one)
        return near + far if self.whole else near

    def blind(self) -> list[Blind]:
        """What was not seen and concerns the question: the open causes of the leading root first."""
        concerned = [one for one in self.diagnosis.blind if self.whole or one.subject in {CLUSTER, *self.near}]
        return sorted(concerned, key=self._distance)

    def ordered_links(self) -> list[Link]:
        """The links from each root to its leaves, step by step."""
        below: dict[Key, list[Link]] = {}
        for one in self.diagnosis.links:
            below.setdefault(one.cause, []).append(one)
        ordered: dict[Link, None] = {}
        for root in self.diagnosis.roots:
            queue = [root.finding.key]
            for key in queue:  # grows while it is walked: breadth first
                fresh = [link for link in below.get(key, ()) if link not in ordered]
                ordered.update(dict.fromkeys(fresh))
                queue += [link.effect for link in fresh]
        return list(ordered)

    def downstream(self, root: Key) -> list[Finding]:
        """The root and everything that hangs on it, nearest first."""
        reached = {root: None}
        for link in self.ordered_links():
            if link.cause in reached:
                reached[link.effect] = None
        return [self.findings[key] for key in reached]

    def _distance(self, blind: Blind) -> int:
        for place, root in enumerate(self.diagnosis.roots):
            if set(blind.codes) & set(root.open_causes) and blind.subject in (root.finding.subject, CLUSTER):
                return place
        return len(self.diagnosis.roots) + (blind.subject not in self.subjects)

    def _chain_keys(self) -> tuple[Key, ...]:
        """The findings of the chains, roots first, then step by step."""
        keys = dict.fromkeys(root.finding.key for root in self.diagnosis.roots)
        for link in self.ordered_links():
            keys[link.effect] = None
        return tuple(keys)
