"""What all cards of a plan say in the same way: acts, people, probes, marks, tokens. The cards stand beside it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from bot.knowledge.blanks import fill
from bot.knowledge.words import MissingWords, Words
from bot.model.cards import ButtonKind, CardButton, Confirm, Part, Token, cluster_mark
from bot.model.incident import Incident
from bot.model.refs import Ref
from bot.narrate.duration import span
from bot.narrate.reasons import Values, finding, in_words, line_in_words, with_root, with_titles
from bot.narrate.sections import title
from bot.remedy.decision import Policy
from bot.remedy.plan import Action, Plan, PlanStep, StepState
from bot.remedy.planning import UNTOLD
from bot.remedy.rules import approvals, doubts, inside
from bot.remedy.runbook import MUTATIONS, ProbeCall, Risk

#: `slack:T0TEAM/U0ONCALL`, as an actor is stored.
_ACTOR = re.compile(r"\bslack:[^/\s]+/(\w+)")
#: Characters of a digest, or of a MAC, that people can compare by eye.
SHOWN_DIGEST = 12


class PlanPhrases:
    """The words of one language for the plans of one cluster.

    Args:
        words: the catalogue.
        cluster: the cluster's name.
        policy: quorums, solo, whether anything may be changed.
        text: a section of a runbook's Markdown, by the runbook's name and the section; KeyError where there is none.
        approvers: who is asked to approve: `slack:TEAM/USER`, or `slack:group/GROUP`.
        best_effort: the store may lose its last moment, which every card says.
        silences: there is an Alertmanager that takes silences.
    """

    def __init__(
        self,
        words: Words,
        cluster: str,
        policy: Policy,
        text: Callable[[str, str], str],
        approvers: Sequence[str] = (),
        *,
        best_effort: bool = False,
        silences: bool = False,
    ) -> None:
        self.words = words
        self.cluster = cluster
        self.policy = policy
        self._text = text
        self.approvers = tuple(approvers)
        self.best_effort = best_effort
        self.silences = silences
        self._mark = cluster_mark(cluster)

    def label(self, key: str, **values: str | int | datetime) -> str:
        """A fixed text with its blanks filled."""
        return fill(self.words.label(key), values)

    def reason(self, key: str, values: Values | None = None, plan: Plan | None = None, *, runbook: str = "") -> str:
        """A reason in words, with the steps and options of this plan, or of this runbook, as the runbook calls them.

        People stand in it by their short id, so that nobody is called by it.
        """
        given, book = values or {}, plan.runbook if plan else runbook
        if book:
            given = with_titles(given, lambda one: title(self.text(book, one)))
        if plan:
            given = with_root(self.words, given, plan.subject)
        if "code" in given:
            about = {"name": plan.subject.name, **given} if plan else given
            given = {**given, "code": finding(self.words, str(given["code"]), about, is_open=key == UNTOLD)}
        try:
            return in_words(self.words, key, given, short)
        except MissingWords:  # the reason's own name says more than silence
            told = {name: short(value) if isinstance(value, str) else value for name, value in given.items()}
            return " ".join((key, *(f"{name}={value}" for name, value in told.items())))

    def why(self, values: Values) -> str:
        """What stands under the `why` of a reason's values, in words."""
        return line_in_words(self.words, str(values["why"]), inside(values), short)

    def line(self, line: str) -> str:
        """A line as it is; where it is a reason, in words."""
        return line_in_words(self.words, line, shown=short)

    def name(self, plan: Plan, step: PlanStep, *, beside: Ref | None = None) -> str:
        """`Start the kubelet (omen2)`: what the runbook calls it, and its object unless that is `beside` it already.

        A plan may outlive its runbook: then what is done, as its buttons say.
        """
        target = step.action.target
        told = title(self.text(plan.runbook, step.action.step))
        if not told:
            return self.act(step.action)
        return told if target.ref == beside else f"{told} ({target.ref.name or target.ref})"

    def text(self, runbook: str, section: str) -> str:
        """A section of a runbook; its id and that the runbook has changed, where it has since the plan was made."""
        try:
            return self._text(runbook, section)
        except KeyError:
            return f"{section}\n\n{self.label('plan_runbook_changed', runbook=runbook, section=section)}"

    def act(self, action: Action) -> str:
        """`label omen2`: what is done to which object, as short as a button."""
        target = action.target
        name = target.select or target.ref.name or str(target.ref)
        return self.label(f"act_{action.verb.value}", name=name)

    def number(self, plan: Plan, step_id: str) -> int:
        """The place of a step in its plan, from 1."""
        return [one.action.step for one in plan.steps].index(step_id) + 1

    def step_title(self, plan: Plan, step: PlanStep, *, beside: Ref | None = None) -> str:
        """`Step 3 of 6: Start the kubelet (omen2)`; without its object where that is `beside` it already."""
        name = self.name(plan, step, beside=beside)
        return self.label("plan_step", number=self.number(plan, step.action.step), total=len(plan.steps), name=name)

    def titles(self, plan: Plan, steps: Sequence[PlanStep], *, beside: Ref) -> str:
        """`1 Start the kubelet: VERIFIED · 2 …`."""
        return " · ".join(
            f"{self.number(plan, one.action.step)} {self.name(plan, one, beside=beside)}: "
            f"{self.label(f'step_{one.state.value}')}"
            for one in steps
        )

    def target(self, step: PlanStep) -> str:
        """What is touched, and how much at most."""
        target = step.action.target
        if target.select:
            return self.label("plan_target_select", ref=str(target.ref), select=target.select, cap=target.cap)
        told = self.label("plan_target_one", ref=str(target.ref))
        return f"{told} (uid {target.uid})" if target.uid else told

    def probe(self, call: ProbeCall) -> str:
        """What is looked for, with its parameters and its times."""
        params = ", ".join(f"{key}={'; '.join(value.splitlines())}" for key, value in sorted(call.params.items()))
        told = [self.label(f"probe_{call.probe.value}"), *([f"({params})"] if params else ())]
        lang = self.words.lang
        times = [self.label("plan_within", span=span(call.within, lang))] if call.within else []
        times += [self.label("plan_lasting", span=span(call.lasting, lang))] if call.lasting else []
        return "; ".join((" ".join(told), *times))

    def quorum(self, risk: Risk) -> int:
        """How many people a step takes."""
        return self.policy.quorum_of(risk)

    def call(self, incident: Incident) -> tuple[str, ...]:
        """Whom a message that needs a person calls: the owner of the incident, else the configured approvers."""
        return (incident.owner,) if incident.owner else self.approvers

    def solo(self) -> tuple[Part, ...]:
        """That one person is enough here, which every card says."""
        if not self.policy.solo:
            return ()
        return (Part(heading=self.label("mark_solo"), text=self.label("mark_solo_text")),)

    def audit(self, head: str) -> tuple[Part, ...]:
        """Where the audit stood, by number and the beginning of the MAC, so that a later look can compare it."""
        number, _, mac = head.partition(":")
        return (Part(text=self.label("plan_audit", number=number, mac=mac[:SHOWN_DIGEST]), small=True),) if mac else ()

    def marks(self, plan: Plan, step: PlanStep | None = None) -> tuple[Part, ...]:
        """What everybody must know before anything else."""
        found = []
        if step is not None and step.held:
            found.append(Part(heading=self.label("mark_frozen"), text=self.reason(step.why, step.values)))
        if plan.dry and (step is None or step.action.verb in MUTATIONS):
            found.append(Part(heading=self.label("mark_dry"), text=self.label("mark_dry_text")))
        found += self.solo()
        if step is not None and step.break_glass:
            found.append(Part(heading=self.label("mark_break_glass"), text=step.break_glass, people=voters(step)))
        if self.best_effort:
            found.append(Part(heading=self.label("mark_best_effort"), text=self.label("mark_best_effort_text")))
        return tuple(found)

    def approved_by(self, plan: Plan, step: PlanStep) -> Iterator[Part]:
        """Who approved it, how many people that is for certain, and while more are wanted who could not be told."""
        count, needed = approvals(plan, step, self.policy), self.quorum(step.action.risk)
        yield Part(heading=self.label("plan_voted", count=count.have, needed=needed), people=voters(step))
        if count.unsure and count.have < needed and step.state is StepState.AWAITING:
            yield Part(text=self.reason("repair-people-unsure", doubts(count, needed)))

    def button(
        self,
        kind: ButtonKind,
        label: str,
        *,
        plan: str,
        part: str = "",
        digest: str = "",
        style: str = "",
        confirm: Confirm | None = None,
    ) -> CardButton:
        """A button of this cluster."""
        token = Token(cluster=self._mark, plan=plan, part=part, digest=digest)
        return CardButton(kind=kind, label=label, token=token, style=style, confirm=confirm)


def short(text: str) -> str:
    """The text with stored actors by their ids alone (`U0ONCALL`)."""
    return _ACTOR.sub(r"\1", text)


def voters(step: PlanStep) -> tuple[str, ...]:
    """Who approved it, in their order."""
    return tuple(one.id for one in step.approved_by)
