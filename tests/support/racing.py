"""Two executors race for one approved step, round after round, each with clients of its own.

The axes are what keeps them apart: a journal that they share, and the claim in the cluster with the request's
precondition.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from datetime import timedelta
from threading import Barrier
from typing import Any, NamedTuple

from bot.adapters.kubernetes.hands import NAMESPACE, PATIENCE
from bot.app.repair.executor import Executor
from bot.app.repair.ports import Claimed, ClaimResult, Result
from bot.remedy.decision import Entry, Freeze
from bot.remedy.events import Effect
from bot.remedy.plan import BOT, Action
from tests.support.kubeapi import KubeApi
from tests.support.redis import SetClock
from tests.support.restarting import AGENT, RESTART, WITNESS, approved, executor_of, journal_of, offer
from tests.support.servers import ApiServer

_SECONDS = 60.0
_NAMES = ("left", "right")
CLAIMS = f"/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases"


class Heat(NamedTuple):
    """How one round ended: new generations, whether it was claimed, the step by journal, and who did it."""

    effects: int
    is_claimed: bool
    states: list[str]
    by: str


class Watched:
    """A journal that counts how often it was written by somebody else in between."""

    def __init__(self, journal: Any) -> None:
        self._journal = journal
        self.conflicts = 0

    def commit(self, *args: Any) -> bool:
        is_written: bool = self._journal.commit(*args)
        self.conflicts += not is_written
        return is_written

    def __getattr__(self, name: str) -> Any:
        return getattr(self._journal, name)


class Together:
    """Hands that begin at the same moment as the other's: nobody is ahead when the intent is written.

    The first look at the freeze in each round waits.
    """

    def __init__(self, hands: Any, start: Barrier) -> None:
        self._hands = hands
        self._start = start
        self.waits = True

    def frozen(self) -> Any:
        found = self._hands.frozen()
        if self.waits:
            self.waits = False
            self._start.wait(_SECONDS)
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._hands, name)


class Careless:
    """Hands without a claim and without a precondition; every restart is another one."""

    def __init__(self, hands: Any, api: KubeApi, name: str) -> None:
        self._hands = hands
        self._api = api
        self._name = name

    def claim(self, *_: Any) -> Claimed:
        return Claimed(result=ClaimResult.OURS)

    def act(self, exec_id: str, _action: Action) -> Result:
        annotations = {"metadata": {"annotations": {"restarted": f"{exec_id} by {self._name}"}}}
        self._api.merge(AGENT, {"spec": {"template": annotations}})
        return Result(result=Effect.APPLIED)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._hands, name)


class Race:
    """A cluster with one DaemonSet, and two executors.

    Args:
        url: a Redis server.
        server: an API server.
        shares_journal: whether both read and write the same plans; otherwise each knows of its own alone, as after a
            Redis that lost its tail or was split.
        is_careless: whether the hands leave claim and precondition out.
    """

    def __init__(self, url: str, server: ApiServer, *, shares_journal: bool, is_careless: bool = False) -> None:
        self._api = server.api()
        self._api.add_namespace()
        self._api.create(AGENT)
        self._api.create(WITNESS)
        self._prepares = server.hands(patience=PATIENCE)
        self.clock = SetClock()
        start = Barrier(len(_NAMES))
        shared = journal_of(url, "lab", self.clock) if shares_journal else None
        journals = [shared or journal_of(url, name, self.clock) for name in _NAMES]
        self.journals = journals[:1] if shares_journal else journals
        self._executors: list[Executor] = []
        self._hands: list[Together] = []
        self._watched: list[Watched] = []
        for name, journal in zip(_NAMES, journals, strict=True):
            hands: Any = server.hands(patience=PATIENCE)
            hands = Together(Careless(hands, server.api(), name) if is_careless else hands, start)
            self._hands.append(hands)
            own: Any = Watched(journal_of(url, "lab", self.clock) if shares_journal else journal)
            self._watched.append(own)
            self._executors.append(executor_of(own, server.cluster(), hands, self.clock, name))
        self._pool = ThreadPoolExecutor(len(_NAMES))
        self.exec_ids: list[str] = []

    def heat(self, number: int) -> Heat:
        """One round."""
        self.clock.pass_by(timedelta(hours=2))
        self._unfreeze(number)
        plan = approved(f"race-{number}", self._prepares.prepare(RESTART), self.clock.now())
        (exec_id,) = {offer(journal, plan) for journal in self.journals}
        before = self._generation()
        for hands in self._hands:
            hands.waits = True
        list(self._pool.map(Executor.run_once, self._executors))
        self.exec_ids.append(exec_id)
        found = [journal.read(plan.id).plan for journal in self.journals]
        steps = [one.steps[0] for one in found if one is not None]
        claim = self._api.http.get(f"{CLAIMS}/autopsy-x-{exec_id}")
        return Heat(
            effects=self._generation() - before,
            is_claimed=claim.status_code == 200,
            states=[one.state.value for one in steps],
            by=steps[0].owner.partition("/")[0],
        )

    def _unfreeze(self, number: int) -> None:
        """What people do before the next round: a claim of the other's freezes a journal that does not know of it."""
        lifted = Entry(type="unfreeze", at=self.clock.now(), actor=BOT)
        for journal in self.journals:
            before = journal.read("").freeze
            assert not before.frozen or journal.freeze(f"unfreeze-{number}", before, Freeze(frozen=False), lifted)

    @property
    def conflicts(self) -> int:
        """How often an executor found that the other had been faster."""
        return sum(one.conflicts for one in self._watched)

    def audited(self, kind: str) -> Counter[str]:
        """How many entries of this type the audits have about each plan."""
        return Counter(one["plan"] for each in self.journals for one in each.entries() if one["type"] == kind)

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()

    def _generation(self) -> int:
        return int(self._api.get(AGENT)["metadata"]["generation"])


Races = Callable[..., Race]


@contextmanager
def racing(url: str, server: ApiServer) -> Iterator[Races]:
    """Makes races, each as `Race` is asked for; their threads end with the block."""
    with ExitStack() as stack:

        def race(**what: bool) -> Race:
            return stack.enter_context(closing(Race(url, server, **what)))

        yield race
