"""The use case behind every answer: read what the question needs, run the checks, follow what they found.

Reads come in waves. The first is planned from the question alone; each further one from what the checks found in the
picture so far (suspect nodes, their pods and events, the logs of failing containers). The checks then run again on
the richer picture. Everything is bounded, and what was left unread is said.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bot.app.gather import Readings
from bot.app.hosttexts import current
from bot.app.leads import LOGS, LogLead, log_leads, spoken_of, suspect_nodes
from bot.app.ports import Clock, Cluster, HostTexts
from bot.app.reads import SUSPECTS, first_reads, follow_reads
from bot.app.resolve import Resolved, resolve
from bot.app.scope import is_unseen, stand_in, widen
from bot.checks.check import Check
from bot.diagnose.diagnose import diagnose
from bot.knowledge.base import Knowledge
from bot.model.diagnosis import Diagnosis
from bot.model.findings import Kind
from bot.model.hosttext import PodLog
from bot.model.moment import Moment
from bot.model.refs import CLUSTER, Ref
from bot.model.report import MomentSource
from bot.model.sections import Section, Unknown, UnknownReason
from bot.model.snapshot import RepairPolicy, Snapshot, UnreadFile, known

#: The first wave and those that follow leads.
WAVES = 3


class Investigated(msgspec.Struct, frozen=True, kw_only=True):
    """An answer, with the picture that it rests on and the moment from which its ages count."""

    diagnosis: Diagnosis
    snapshot: Snapshot
    moment: Moment
    cluster: str


class Investigator:
    """Answers questions about one cluster."""

    def __init__(
        self,
        *,
        cluster: Cluster,
        hosts: HostTexts,
        clock: Clock,
        checks: Sequence[Check],
        knowledge: Knowledge,
        repair_policies: Sequence[RepairPolicy] = (),
        unread_files: Sequence[UnreadFile] = (),
    ) -> None:
        self.cluster = cluster
        self._hosts = hosts
        self._clock = clock
        self._checks = tuple(checks)
        self._knowledge = knowledge
        self._policies = tuple(repair_policies)
        self._unread = tuple(unread_files)

    def resolve(self, words: str) -> Resolved:
        """The references that a person's words mean.

        Raises:
            MalformedReference: a full reference has too few or too many parts.
        """
        return resolve(self.cluster, words)

    def investigate(
        self, scope: Sequence[Ref] = (), moment: Moment | None = None, *, typed: bool = True
    ) -> Investigated:
        """Answer the question about these objects, about the whole cluster for none.

        `moment` is the world time from which ages count, the clock's for None. In a scope that nobody `typed` the pool
        stands for a machine that was replaced.

        Raises:
            NoSuchObject: a reference names nothing that is there or has left a trace.
        """
        when = moment or Moment(self._clock.now(), MomentSource.NOW)
        return _Inquiry(self, tuple(scope) or (CLUSTER,), when, typed=typed).answer()

    def picture(self, readings: Readings, moment: Moment) -> Snapshot:
        """The snapshot of what was read so far."""
        bare = readings.snapshot(moment.at, (), self._policies)
        texts = current(self._hosts.texts(), [one.name for one in known(bare.nodes)])
        return msgspec.structs.replace(bare, host_texts=texts, unread_files=self._unread)

    def diagnosis(self, snapshot: Snapshot, scope: tuple[Ref, ...], unseen: tuple[Ref, ...]) -> Diagnosis:
        """What the checks say about the snapshot; `unseen` of the scope nobody could look at."""
        return diagnose(snapshot, self._checks, self._knowledge, scope, unseen)


class _Inquiry:
    """One question on its way: what was asked, what was read so far."""

    def __init__(self, investigator: Investigator, asked: tuple[Ref, ...], moment: Moment, *, typed: bool) -> None:
        self.by = investigator
        self.asked = asked
        self.moment = moment
        self.typed = typed
        self.readings = Readings()
        self.logs: dict[LogLead, PodLog | Unknown] = {}

    def answer(self) -> Investigated:
        reads = first_reads(self.asked)
        self.readings.first = dict(zip(reads, self.by.cluster.read(reads), strict=True))
        snapshot, diagnosis = self._look()
        for _ in range(WAVES - 1):
            if not self._follow(snapshot, diagnosis):
                break
            snapshot, diagnosis = self._look()
        return Investigated(diagnosis=diagnosis, snapshot=snapshot, moment=self.moment, cluster=self.by.cluster.name)

    def _look(self) -> tuple[Snapshot, Diagnosis]:
        """Diagnose what there is; a fault of a node that a pod of the question runs on widens the question."""
        snapshot = self.by.picture(self.readings, self.moment)
        asked = self.asked if self.typed else tuple(dict.fromkeys(stand_in(one, snapshot) for one in self.asked))
        scope = widen(asked, snapshot)
        unseen = tuple(ref for ref in asked if is_unseen(ref, snapshot))
        diagnosis = self.by.diagnosis(snapshot, scope, unseen)
        faulty = {one.subject for one in diagnosis.findings if one.kind is Kind.FAULT and one.subject.kind == "node"}
        wider = widen(asked, snapshot, frozenset(faulty))
        return snapshot, diagnosis if wider == scope else self.by.diagnosis(snapshot, wider, unseen)

    def _follow(self, snapshot: Snapshot, diagnosis: Diagnosis) -> bool:
        """Read what the diagnosis makes worth reading; whether there was anything new."""
        findings = spoken_of(diagnosis)
        nodes = suspect_nodes(diagnosis.scope, findings)
        if len(nodes) > SUSPECTS:
            detail = f"{SUSPECTS} of {len(nodes)} suspect nodes were read closely"
            for section in (Section.PODS, Section.EVENTS):
                self.readings.left_out[section] = Unknown(UnknownReason.NOT_COLLECTED, detail)
        done = self.readings.known_reads()
        reads = [one for one in follow_reads(snapshot, nodes, diagnosis.scope) if one not in done]
        leads = [one for one in log_leads(diagnosis.scope, nodes, findings, snapshot) if one not in self.logs]
        leads = leads[: max(0, LOGS - len(self.logs))]
        self.readings.later.update(zip(reads, self.by.cluster.read(reads) if reads else (), strict=True))
        for lead in leads:
            self.logs[lead] = self.by.cluster.pod_log(lead.pod, lead.container, previous=lead.previous)
        self.readings.logs = tuple(log for log in self.logs.values() if isinstance(log, PodLog))
        return bool(reads or leads)
