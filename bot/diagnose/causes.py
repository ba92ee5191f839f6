"""Which lines count as the cause of a fault: it must be a fault now, and it has one cause at a time.

A kubelet that starts again and again dies each time for the reason that it wrote last, and writes it again within
seconds. What it wrote before it was last seen alive is over: it has lived since.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

import msgspec

from bot.checks.views.liveness import alive_kubelets
from bot.diagnose.run import Answers
from bot.knowledge.signatures import Signature
from bot.model.findings import Finding
from bot.model.refs import CLUSTER, Ref
from bot.model.refs import node as node_ref
from bot.model.snapshot import Snapshot

#: A line may be written in the zone of its host, which klog does not name.
ZONES = timedelta(days=1)


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """What one row found in one text: the place and the time of its last line there.

    `text` tells the texts apart.
    """

    row: Signature
    finding: Finding
    text: int
    place: int
    when: datetime | None


class Told:
    """What is known of each object before its texts are read."""

    def __init__(self, snapshot: Snapshot, answers: Answers) -> None:
        self.found: Mapping[tuple[str, Ref], Finding] = {one.key: one for one in answers.findings}
        self._open = {(code, one.subject) for one in answers.blind for code in one.codes}
        self._alive = {node_ref(name) for name in alive_kubelets(snapshot)}

    def counts(self, row: Signature, subject: Ref) -> bool:
        """Whether the row may speak of this object: what it explains is there or not told, or it is asked for."""
        return not row.explains or self._stands(row.explains, subject) or (row.code, subject) in self._open

    def began(self, row: Signature, subject: Ref) -> datetime | None:
        """When what the row explains began, less what zones make out; None where nothing says when."""
        fault = self.found.get((row.explains, subject))
        faults = [fault] if fault else [one for one in self.found.values() if one.subject == subject]
        onsets = [one.onset.at for one in faults if one.onset]
        return min(onsets) - ZONES if onsets else None

    def _stands(self, code: str, subject: Ref) -> bool:
        key = (code, subject)
        # What is not told of the whole list is told of a node whose kubelet is seen alive.
        return key in self.found or key in self._open or ((code, CLUSTER) in self._open and subject not in self._alive)


def last_causes(hits: Iterable[Hit]) -> list[Hit]:
    """The hits without those that a later line about the same fault overrules; undated texts overrule nothing."""
    alone: list[Hit] = []
    rivals: dict[tuple[str, str, Ref], list[Hit]] = {}
    for one in hits:
        if one.row.explains:
            rivals.setdefault((one.row.source, one.row.explains, one.finding.subject), []).append(one)
        else:
            alone.append(one)
    return alone + [one for many in rivals.values() for one in _newest(_last_lines(many))]


def _last_lines(many: list[Hit]) -> list[Hit]:
    """Of each text the rows whose line is its last."""
    last: dict[int, int] = {}
    for one in many:
        last[one.text] = max(one.place, last.get(one.text, one.place))
    return [one for one in many if one.place == last[one.text]]


def _newest(many: list[Hit]) -> list[Hit]:
    """Of several texts the causes that the newest one names."""
    dated = [one.when for one in many if one.when]
    if not dated:
        return many
    codes = {one.row.code for one in many if one.when == max(dated)}
    return [one for one in many if one.row.code in codes]
