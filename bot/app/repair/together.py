"""Puts the use cases of repair together over their ports: the same for Slack, for a terminal and for a rehearsal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta

import msgspec

from bot.app.ports import Clock, Cluster, Incidents, Investigator, Poster, Presenter, Recogniser
from bot.app.repair.answering import Answers, nobody_told
from bot.app.repair.choice_card import ChoiceCard
from bot.app.repair.choosing import Chooser, nothing_kept
from bot.app.repair.deciding import Decider
from bot.app.repair.desk import RepairDesk
from bot.app.repair.duty import Duty
from bot.app.repair.executor import Executor
from bot.app.repair.noticing import Notices
from bot.app.repair.observing import Observer
from bot.app.repair.one_by_one import Guard, OneByOne
from bot.app.repair.own_pods import OwnPods
from bot.app.repair.ports import (
    Authority,
    Cards,
    ConfigMaps,
    Hands,
    Journal,
    Library,
    Owners,
    PostMortems,
    Silencer,
    Tells,
)
from bot.app.repair.posting import Postings
from bot.app.repair.preparing import Preparer
from bot.app.repair.reporting import Reports
from bot.app.repair.roots_gone import Ends, Roots
from bot.app.repair.saying import Sayings
from bot.app.repair.sending import Sender
from bot.app.repair.sweeper import Sweeper
from bot.app.repair.telling import Teller
from bot.app.repair.undoing import Undoer
from bot.app.repair.verifying import PAUSE, Verifier
from bot.app.requests import Press
from bot.app.threads import Threads
from bot.model.diagnosis import Diagnosis
from bot.model.snapshot import RepairPolicy
from bot.remedy.decision import Policy


class Means(msgspec.Struct, frozen=True, kw_only=True):
    """What a process has for repair alone.

    Attributes:
        hands: the Kubernetes API with the right to dry-run at least; None where mutations are off.
        configmaps: reads single ConfigMaps, for whoever may.
        keep_report: keeps what was diagnosed when a plan is offered; what it returns goes into the audit.
        pause: between two looks at a step, the two that settle it included; nothing: one look settles it.
        can_run: whether some process has hands; None: this one's are all there are.
        forward: hands a choice on to the process that has hands, and tells whether it is there; None where it is this
            one.
        namespace: the bot's own; empty where nobody knows of one.
        teller: for a front without threads; it tells what comes of presses, which are answered where they came from.
        on_refusal: told of every press that is refused.
    """

    journal: Journal
    policy: Policy
    authority: Authority
    library: Library
    cards_of: Callable[[str], Cards]
    hands: Hands | None = None
    configmaps: ConfigMaps | None = None
    silencer: Silencer | None = None
    stories: PostMortems | None = None
    keep_report: Callable[[str, Diagnosis], Mapping[str, str]] = nothing_kept
    can_run: Callable[[], bool] | None = None
    forward: Callable[[Press], bool] | None = None
    namespace: str = ""
    teller: Tells | None = None
    on_refusal: Callable[[], None] = nobody_told
    pause: timedelta = PAUSE


class Parts(Means, frozen=True, kw_only=True):
    """What repair is made of.

    Attributes:
        clock: decision time.
        world: world time.
        new_id: an id that nobody had before.
        name: of this process, which no other has, ever.
        guard: keeps a failure that nobody foresaw to the one plan that failed.
    """

    cluster: Cluster
    incidents: Incidents
    investigator: Investigator
    recogniser: Recogniser
    poster: Poster
    presenter_of: Callable[[str], Presenter]
    owners: Owners
    clock: Clock
    world: Clock
    new_id: Callable[[], str]
    name: str
    guard: Guard
    repair_policies: Sequence[RepairPolicy] = ()


class Repairs:
    """The use cases: presses, time, observation, and execution where there are hands.

    Attributes:
        desk: offers plans and takes presses.
        verifier: looks whether steps worked; changes nothing in the cluster.
        sweeper: what only time changes.
        executor: carries approved steps out; None without hands.
    """

    def __init__(self, parts: Parts) -> None:
        threads = Threads(
            incidents=parts.incidents, poster=parts.poster, presenter_of=parts.presenter_of, clock=parts.clock
        )
        decider = Decider(parts.journal, parts.policy, parts.clock)
        observer = Observer(parts.cluster, parts.world, parts.repair_policies, parts.configmaps)
        postings = Postings(threads, parts.new_id)
        teller = Teller(
            threads=threads,
            postings=postings,
            journal=parts.journal,
            choice=ChoiceCard(postings, parts.library, parts.investigator),
            cards_of=parts.cards_of,
            investigator=parts.investigator,
        )
        chooser, undoer = _makers(parts, threads, decider, observer, parts.teller or teller)
        roots = Roots(threads, parts.investigator)
        tells = parts.teller or teller
        ends = Ends(roots=roots, journal=parts.journal, decider=decider, teller=tells, clock=parts.clock)
        self.desk = _desk(parts, threads, decider, observer, tells, chooser, undoer, ends)
        self.verifier = Verifier(
            journal=parts.journal,
            decider=decider,
            observer=observer,
            teller=teller,
            one_by_one=OneByOne(parts.clock, parts.guard),
            clock=parts.clock,
            world=parts.world,
            pause=parts.pause,
        )
        self.sweeper = Sweeper(
            journal=parts.journal,
            decider=decider,
            teller=teller,
            threads=threads,
            investigator=parts.investigator,
            undoer=undoer,
            ends=ends,
            policy=parts.policy,
            one_by_one=OneByOne(parts.clock, parts.guard),
            clock=parts.clock,
        )
        self.executor = self._executor(parts, decider, observer, roots, teller, parts.hands) if parts.hands else None

    def _executor(
        self, parts: Parts, decider: Decider, observer: Observer, roots: Roots, teller: Teller, hands: Hands
    ) -> Executor:
        sender = Sender(
            journal=parts.journal,
            decider=decider,
            hands=hands,
            authority=parts.authority,
            observer=observer,
            roots=roots,
            teller=teller,
            clock=parts.clock,
            world=parts.world,
        )
        return Executor(
            journal=parts.journal,
            decider=decider,
            hands=hands,
            authority=parts.authority,
            sender=sender,
            observer=observer,
            verifier=self.verifier,
            teller=teller,
            one_by_one=OneByOne(parts.clock, parts.guard),
            clock=parts.clock,
            name=parts.name,
        )


def _desk(
    parts: Parts,
    threads: Threads,
    decider: Decider,
    observer: Observer,
    teller: Tells,
    chooser: Chooser,
    undoer: Undoer,
    ends: Ends,
) -> RepairDesk:
    answers = Answers(
        threads,
        parts.journal,
        parts.cards_of,
        in_threads=parts.teller is None,
        on_refusal=parts.on_refusal,
    )
    return RepairDesk(
        cluster=parts.cluster.name,
        journal=parts.journal,
        decider=decider,
        chooser=chooser,
        undoer=undoer,
        ends=ends,
        duty=_duty(parts, threads, decider, teller, answers),
        sayings=Sayings(Reports(parts.recogniser, observer), parts.authority),
        authority=parts.authority,
        teller=teller,
        answers=answers,
        notices=Notices(threads, parts.journal, parts.cards_of),
        clock=parts.clock,
        forward=parts.forward,
    )


def _duty(parts: Parts, threads: Threads, decider: Decider, teller: Tells, answers: Answers) -> Duty:
    return Duty(
        threads=threads,
        journal=parts.journal,
        decider=decider,
        authority=parts.authority,
        teller=teller,
        answers=answers,
        policy=parts.policy,
        one_by_one=OneByOne(parts.clock, parts.guard),
        clock=parts.clock,
        silencer=parts.silencer,
        stories=parts.stories,
    )


def _makers(
    parts: Parts, threads: Threads, decider: Decider, observer: Observer, teller: Tells
) -> tuple[Chooser, Undoer]:
    """Who makes plans: with the hands of this process, if it has any and may use them."""
    hands = parts.hands if parts.policy.mutations else None
    can_run = parts.can_run or (lambda: hands is not None)
    preparer = Preparer(hands=hands, journal=parts.journal, clock=parts.clock, world=parts.world)
    undoer = Undoer(
        journal=parts.journal,
        decider=decider,
        authority=parts.authority,
        preparer=preparer,
        observer=observer,
        clock=parts.clock,
        can_run=can_run,
    )
    chooser = Chooser(
        cluster=parts.cluster.name,
        journal=parts.journal,
        decider=decider,
        library=parts.library,
        investigator=parts.investigator,
        authority=parts.authority,
        owners=parts.owners,
        preparer=preparer,
        own_pods=OwnPods(parts.cluster, parts.namespace),
        threads=threads,
        teller=teller,
        clock=parts.clock,
        keep_report=parts.keep_report,
        can_run=can_run,
    )
    return chooser, undoer
