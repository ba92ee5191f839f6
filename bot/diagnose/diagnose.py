"""The diagnosis: roots first, what hangs on them, what was not examined, and the verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from bot.checks.check import Check
from bot.diagnose.gaps import with_gaps
from bot.diagnose.gone import open_question
from bot.diagnose.link import Chains, link
from bot.diagnose.run import Answers, run_checks
from bot.diagnose.text import read_texts
from bot.knowledge.base import Knowledge
from bot.model.diagnosis import Certainty, Diagnosis, Key, Root, Verdict
from bot.model.findings import Blind, Code, Finding, Kind, Severity
from bot.model.refs import CLUSTER, Ref
from bot.model.snapshot import Snapshot


def diagnose(
    snapshot: Snapshot,
    checks: Iterable[Check],
    knowledge: Knowledge,
    scope: tuple[Ref, ...] = (CLUSTER,),
    unseen: tuple[Ref, ...] = (),
) -> Diagnosis:
    """Answer one question about one snapshot.

    `scope` are the objects asked about, `CLUSTER` for all of it; `unseen` those of them that nobody could look at.
    Shuffling the snapshot changes nothing, and blanking a section only ever adds "cannot tell".
    """
    answers = examine(snapshot, checks, knowledge)
    chains = link(answers.findings, answers.blind, knowledge.links)
    gone = tuple(open_question(ref, snapshot) for ref in unseen)
    return _Answer(snapshot, answers, chains, knowledge, scope, gone).diagnosis()


def examine(snapshot: Snapshot, checks: Iterable[Check], knowledge: Knowledge) -> Answers:
    """Run the checks and read the texts; what the checks found says which missing texts are gaps."""
    checks = tuple(checks)
    answers = with_gaps(run_checks(checks, snapshot), checks, snapshot)
    return answers + read_texts(knowledge.signatures, snapshot, answers)


class _Answer:
    """One question's view of the chains: downstream and upstream by walking the links once."""

    def __init__(
        self,
        snapshot: Snapshot,
        answers: Answers,
        chains: Chains,
        knowledge: Knowledge,
        scope: tuple[Ref, ...],
        gone: tuple[Blind, ...],
    ) -> None:
        self.snapshot = snapshot
        self.answers = answers
        self.chains = chains
        self.knowledge = knowledge
        self.scope = scope
        self.gone = gone
        self.fault: dict[Key, Finding] = {one.key: one for one in chains.faults}
        self.effects: dict[Key, list[Key]] = {}
        self.causes: dict[Key, list[Key]] = {}
        for one in chains.links:
            self.effects.setdefault(one.cause, []).append(one.effect)
            self.causes.setdefault(one.effect, []).append(one.cause)

        self.concerned = {key for ref in scope for key in self._about(ref)}

    def _about(self, asked: Ref) -> list[Key]:
        """The faults of an object; of one that has none, the faults that name it (a pod on a dead node)."""
        own = [key for key, one in self.fault.items() if one.subject == asked]
        return own or [key for key, one in self.fault.items() if any(asked in refs for refs in one.refs.values())]

    def diagnosis(self) -> Diagnosis:
        all_roots = [key for key, one in self.fault.items() if self._begins_chain(key, one)]
        asked = [key for key in all_roots if self._asked(key)]
        leading, aside = self._split(asked)
        inside = {key for root in leading for key in self._downstream(root)}
        leaves = [key for key in inside if not self.effects.get(key) and key not in leading]
        judged = frozenset(inside | set(aside) | {key for key in self.fault if self._concerns(key)})
        verdict = self._verdict(judged)
        return Diagnosis(
            at=self.snapshot.at,
            scope=self.scope,
            verdict=verdict,
            judged=judged,
            roots=tuple(self._root(key) for key in leading),
            links=tuple(one for one in self.chains.links if one.cause in inside and one.effect in inside),
            findings=tuple(self.fault.values()) + tuple(f for f in self.answers.findings if f.kind is not Kind.FAULT),
            inferred=self.chains.inferred,
            blind=self.answers.blind + (() if verdict is Verdict.BROKEN else self.gone),
            affected=tuple(sorted(leaves, key=str)),
            not_examined=self._not_examined(set(all_roots) - set(leading), inside),
        )

    def _not_examined(self, roots: set[Key], inside: set[Key]) -> tuple[Key, ...]:
        """Other roots, and what hangs on them and on no leading root at their far end (a VM that waits for them)."""
        ends = {key for root in roots for key in self._downstream(root) if not self.effects.get(key)}
        far = {key for key in ends - inside if key[0] not in self.knowledge.links.never_root}
        return tuple(sorted((key for key in roots | far if self._above_info(key)), key=str))

    def _begins_chain(self, key: Key, one: Finding) -> bool:
        return not self.causes.get(key) and one.code not in self.knowledge.links.never_root

    def _above_info(self, key: Key) -> bool:
        return self.fault[key].severity is not Severity.INFO

    def _asked(self, root: Key) -> bool:
        return any(self._concerns(key) for key in self._downstream(root))

    def _concerns(self, key: Key) -> bool:
        return CLUSTER in self.scope or key in self.concerned

    def _downstream(self, root: Key) -> list[Key]:
        seen: dict[Key, None] = {root: None}
        queue = [root]
        while queue:
            for effect in self.effects.get(queue.pop(), ()):
                if effect not in seen:
                    seen[effect] = None
                    queue.append(effect)
        return list(seen)

    def _split(self, roots: list[Key]) -> tuple[list[Key], list[Key]]:
        """Leading roots, and those set aside as not examined.

        A root whose cause could not be looked at is set aside when another of its kind leads already with more that
        hangs on it, or when a leading root is of a kind that may stand before it: it has its own cause, which nobody
        looked at. Where nothing tells them apart, all lead. An object that was asked about by name is never set aside.
        """
        weight = self._weights(roots)
        leading: list[Key] = []
        aside: list[Key] = []
        for key in sorted(roots, key=lambda key: (weight[key], -len(self._downstream(key)), str(key))):
            spoken_for = any(
                key[0] == code and weight[lead] < weight[key] for lead in leading for code, _ in self._downstream(lead)
            )
            may_hang = any(lead[0] in self.knowledge.links.above(key[0]) for lead in leading)
            asked_by_name = any(subject in self.scope for _, subject in self._downstream(key))
            is_aside = (spoken_for or may_hang) and self.chains.unlooked[key] and not asked_by_name
            (aside if is_aside else leading).append(key)
        return leading, aside

    def _weights(self, roots: list[Key]) -> dict[Key, tuple[bool, int, int]]:
        """Least first: seen causes, then severity, then how much that is critical hangs on this root alone.

        What hangs on one root alone comes back with its repair; what waits for any of several does not tell which.
        """
        below = {key: self._downstream(key) for key in roots}
        hangs_on = Counter(effect for effects in below.values() for effect in effects)
        return {
            key: (
                bool(self._open_causes(key)),
                -list(Severity).index(self.fault[key].severity),
                -sum(hangs_on[one] == 1 and self.fault[one].severity is Severity.CRITICAL for one in below[key]),
            )
            for key in roots
        }

    def _open_causes(self, key: Key) -> tuple[Code, ...]:
        """What may stand before a root: first what could not be looked at, else all that was not found.

        A code that something can cause is an effect: where none of its causes was seen, its cause was not seen.
        """
        return self.chains.unlooked[key] or self.knowledge.links.possible_causes(key[0])

    def _root(self, key: Key) -> Root:
        certainty = Certainty.INFERRED if key in self.chains.inferred else Certainty.OBSERVED
        return Root(finding=self.fault[key], certainty=certainty, open_causes=self._open_causes(key))

    def _verdict(self, judged: frozenset[Key]) -> Verdict:
        if any(self._above_info(key) for key in judged):
            return Verdict.BROKEN
        return Verdict.UNKNOWN if any(map(self._required, self.answers.blind + self.gone)) else Verdict.HEALTHY

    def _required(self, one: Blind) -> bool:
        return one.required and (CLUSTER in self.scope or one.subject in (CLUSTER, *self.scope))
