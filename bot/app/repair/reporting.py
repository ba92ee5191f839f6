"""Judges what a person pastes as evidence of a step on a host: by that text alone, if it is of that host.

What is said here is never what the bot saw itself.
"""

from __future__ import annotations

from datetime import datetime

import msgspec

from bot.app.ports import Recogniser
from bot.app.repair.observing import Observer
from bot.model.findings import Evidence, Reporter
from bot.model.hosttext import Output
from bot.remedy.events import Proof
from bot.remedy.plan import Actor, PlanStep
from bot.remedy.probes import Answer


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """What the report rests on, the reason key with its values, and the evidence under the reporter's name."""

    result: Proof
    why: str = ""
    values: dict[str, str] = {}
    evidence: tuple[Evidence, ...] = ()


class Reports:
    """Judges pastes.

    Args:
        recogniser: tells texts of hosts from the rest.
        observer: asks the step's probe.
    """

    def __init__(self, recogniser: Recogniser, observer: Observer) -> None:
        self._recogniser = recogniser
        self._observer = observer

    def judge(self, step: PlanStep, text: str, actor: Actor, at: datetime) -> Judged:
        """Judge what was pasted for this step; without a word of evidence there is none."""
        command = "; ".join(step.action.verify.pasted)
        if not text.strip():
            return Judged(result=Proof.NONE)
        reporter = Reporter(actor.id, at)
        host = step.action.target.ref.name
        # A paste as a rule does not say whose it is; the step does.
        shown = [
            msgspec.structs.replace(one, node=one.node or host) for one in self._recogniser.outputs(text, reporter)
        ]
        others = tuple(dict.fromkeys(one.node for one in shown if one.node != host))
        if others and len(others) == len({one.node for one in shown}):
            values = {"command": command, "host": host, "others": ", ".join(others)}
            return Judged(result=Proof.BAD, why="repair-paste-of-another", values=values)
        judged = self._asked(step, shown, reporter, command)
        foreign = tuple(dict.fromkeys(one.shell for one in shown if one.shell not in ("", host)))
        if judged.result is not Proof.GOOD or not foreign:
            return judged
        # The danger counts wherever it stands; what is good must have been shown by the host's own shell.
        own = [one if one.shell in ("", host) else Output(node=one.node) for one in shown]
        alone = self._asked(step, own, reporter, command)
        if alone.result is Proof.GOOD:
            return alone
        values = {"command": command, "host": host, "others": ", ".join(foreign)}
        return Judged(result=Proof.BAD, why="repair-paste-of-another", values=values)

    def _asked(self, step: PlanStep, shown: list[Output], reporter: Reporter, command: str) -> Judged:
        answer = self._observer.of_outputs(step.action.verify, step.action.target.ref, shown)
        evidence = tuple(msgspec.structs.replace(one, reporter=reporter) for one in answer.evidence)
        if answer.answer is Answer.HOLDS:
            return Judged(result=Proof.GOOD, why=answer.why, values=dict(answer.values), evidence=evidence)
        return Judged(result=Proof.BAD, why=answer.why, values={"command": command, **answer.values}, evidence=evidence)
