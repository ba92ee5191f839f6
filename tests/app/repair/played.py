"""Incident A with its consequences: the bot, people who press, and a machine that does what a real one would.

People do on the host what the offered cards say, and nothing else. `by_hand` is for whoever does not care.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import msgspec
import yaml

from bot.adapters.kubernetes.hands import PATIENCE
from bot.app.repair.ports import Cards
from bot.app.requests import PressKind
from bot.playground.physics.api import NODES, PODS, Api
from bot.playground.physics.gpu_operator import MODE, GpuOperator
from bot.playground.physics.host import Host
from bot.playground.physics.host_kubelet import HostKubelet
from bot.playground.physics.vfio_manager import VfioManager
from bot.playground.physics.world import Controller
from bot.remedy.decision import Policy
from bot.remedy.plan import PlanState, PlanStep
from bot.remedy.rules import is_to_do, waits_for_people
from bot.remedy.table import IN_FLIGHT
from tests.app.repair.moves import Move
from tests.app.repair.saved import Saved, dumped, plan_shape, pod_shape, restore
from tests.app.repair.world import JOURNAL, LIBRARY, RepairWorld
from tests.support.controlplane import ADMIN
from tests.support.pastes import ACTIVE, CUDA_NONE, SWAPS_OFF
from tests.support.redis import SetClock
from tests.support.repair import ANA, BEN, CAI, EVE
from tests.support.servers import ApiServer

NODE = "omen2"
BOOK = LIBRARY.for_root("kubelet-swap-on")
#: Systemd waits ten seconds before it starts the kubelet again.
LONG_ENOUGH = 12.0
_TICK = timedelta(seconds=4)
_WAITS = {"a moment": 0, "three minutes": 3, "twenty minutes": 20, "seventy minutes": 70}
_VOTES = {"approve": PressKind.APPROVE, "deny": PressKind.DENY, "break glass": PressKind.BREAK_GLASS}
_PEOPLE = {one.id.removeprefix("slack:T0TEAM/U0").lower(): one for one in (ANA, BEN, CAI, EVE)}

#: Who approves, the first who has not and did not ask for the plan.
_VOTERS = ("ben", "cai", "ana")


class Played(RepairWorld):
    """One outage, diagnosed; the plan is offered and nobody has chosen yet."""

    def __init__(
        self,
        url: str,
        server: ApiServer,
        clock: SetClock,
        *,
        operator: bool = True,
        more: Sequence[Controller] = (),
        policy: Policy | None = None,
        mutations: bool = True,
        journal: str = JOURNAL,
        cards: Cards | None = None,
    ) -> None:
        config = yaml.safe_load(server.kubeconfig(ADMIN).read_text())
        self.api = Api(config)
        server.api().add_namespace()
        self.host = Host(self.api, NODE)
        self.host.build()
        controllers: list[Controller] = [HostKubelet(self.host), VfioManager(self.host), *more]
        self.controllers = [GpuOperator(), *controllers] if operator else controllers
        self.is_careless = False
        self.has_killed = False
        super().__init__(
            url,
            server.cluster(),
            hands=server.hands(patience=PATIENCE) if mutations else None,
            policy=policy or Policy(mutations=mutations),
            world=clock,
            cards=cards,
        )
        self.fire()
        self.paste(journal)

    def do(self, move: Move) -> None:
        """Let it happen."""
        match move.what:
            case "wait":
                self.clock.pass_by(timedelta(minutes=_WAITS[move.about]))
                self.passes(LONG_ENOUGH)
            case "bot works":
                self.run(rounds=1, seconds=0)
            case "wait and work":
                self.do(Move("wait", move.about))
                self.run(rounds=1, seconds=0)
            case "choose":
                self.choose(move.about, _PEOPLE[move.who])
            case "ask":
                self.ask()
            case "give up":
                self.press(PressKind.ABORT, _PEOPLE[move.who], reason="another way")
            case "freeze":
                self.press(PressKind.FREEZE, _PEOPLE[move.who], reason="something is odd")
            case "unfreeze":
                self.press(PressKind.UNFREEZE, _PEOPLE[move.who])
            case "report":
                self._report(move)
            case _:
                self._vote(move)
        self._look()

    def passes(self, seconds: float) -> None:
        """World time passes, and everybody but the bot acts in it."""
        left = timedelta(seconds=seconds)
        while left > timedelta(0):
            self.clock.pass_by(_TICK)
            left -= _TICK
            for controller in self.controllers:
                controller.step(self.api, self.clock.now())

    def by_hand(self, *names: str) -> str:
        """Somebody runs the commands of these cards; what the last one shows, as it stands in the terminal."""
        return self._runs([command for name in names for command in self.commands(name)])

    def commands(self, name: str) -> Sequence[str]:
        """The commands of a card, also of one that nobody was shown."""
        step = self.known(name)
        return step.action.commands if step else BOOK.step(name).commands

    def _runs(self, commands: Sequence[str]) -> str:
        shown = ""
        for command in "\n".join(commands).replace("\\\n", " ").splitlines():
            shown = self.type(command)
            self.passes(_TICK.total_seconds())
            self._look()
        return shown

    def _looks(self, name: str) -> str:
        """What the commands whose output the card wants show now; empty where it wants none."""
        step = self.known(name)
        call = step.action.verify if step else BOOK.step(name).verify
        return "".join(self.type(one) for one in call.pasted) + (f"root@{NODE}:~# " if call.pasted else "")

    def type(self, command: str) -> str:
        """One command on the host."""
        if command.startswith("kubectl label node"):
            label, _, value = command.split()[-1].partition("=")
            self.api.patch(f"{NODES}/{NODE}", {"metadata": {"labels": {label: value}}})
            return ""
        return f"root@{NODE}:~# {command}\n{self.host.run(command)}"

    def offered(self, name: str) -> PlanStep | None:
        """The step, where its card has commands to carry out."""
        step = self.known(name)
        return step if step is not None and is_to_do(self.plan(), step, self.policy) else None

    def known(self, name: str) -> PlanStep | None:
        """The newest plan's step of this name."""
        return next((one for one in self.plan().steps if one.action.step == name), None)

    def cuda(self) -> str:
        """What became of the job."""
        return "killed" if self.has_killed else self.host.state()["cuda"]

    def onward(self) -> Move:
        """What somebody who wants the repair to go on does next, with the card for CUDA."""
        plan = self.plan()
        if plan.state is PlanState.CHOOSING:
            return Move("choose", "host-cuda", "ana")
        if plan.state is not PlanState.ACTIVE:
            return Move("ask")
        step = next((one for one in plan.steps if waits_for_people(plan, one)), None)
        if step is None:
            return Move("bot works") if next(self.numbers) % 2 else Move("wait", "a moment")
        if is_to_do(plan, step, self.policy):
            return Move("report", step.action.step, "ana", "good")
        busy = {plan.requester, *(one.actor for one in step.votes)}
        return Move("approve", step.action.step, next(who for who in _VOTERS if _PEOPLE[who] not in busy))

    def mode(self) -> str:
        """Whom the node's label gives the card to."""
        node = self.api.get(f"{NODES}/{NODE}") or {}
        return str(node["metadata"]["labels"].get(MODE, ""))

    def is_untouched(self) -> bool:
        """Whether the host is as the outage left it."""
        state = self.host.state()
        return (state["swap"], state["unit"], state["kubelet"]) == ("on", "started", "crash-loop")

    def save(self, store: Any) -> Saved:
        """This moment; the store is the simulated server's."""
        return Saved(store.moment(), dumped(self.client), self.clock.at, copy.deepcopy(self.board.posts))

    def back(self, store: Any, to: Saved) -> None:
        """Be at that moment again, with a bot that has just started."""
        store.set_back(to.objects)
        restore(self.client, to.redis)
        self.clock.at = to.clock
        self.board.posts[:] = to.board
        self.has_killed = False
        self.start(f"again-{next(self.numbers)}")

    def state(self) -> bytes:
        """Everything that decides how it goes on, without times and names that are new each time."""
        newest = self.plan()
        every = self.journal.plans(incident=newest.incident)
        earlier = [one for one in every if one != newest and {step.state for step in one.steps} & IN_FLIGHT]
        plans = [len(every) > 1, *(plan_shape(one) for one in (*earlier, newest))]
        host = {key: value for key, value in self.host.state().items() if key != "attempt"}
        node = self.api.get(f"{NODES}/{NODE}") or {}
        labels = {key: value for key, value in node["metadata"]["labels"].items() if "nvidia.com/gpu." in key}
        ready = [one["status"] for one in node["status"]["conditions"] if one["type"] == "Ready"]
        pods = sorted(pod_shape(pod) for pod in self.api.list(f"{PODS}?fieldSelector=spec.nodeName={NODE}"))
        freeze = self.journal.read("").freeze
        frozen = (freeze.frozen, [one.id for one in freeze.unfreeze_votes])
        return msgspec.json.encode([plans, host, labels, ready, pods, frozen], order="deterministic")

    def _look(self) -> None:
        self.has_killed = self.has_killed or self.host.state()["cuda"] == "killed"

    def _vote(self, move: Move) -> None:
        """A vote on what the button shows; `old` buttons are of an earlier plan."""
        plan, more = self.plan(), {"reason": "" if move.how == "no reason" else "it must be"}
        step = self.known(move.about)
        more["digest"] = step.digest[:32] if step and move.how != "old" else "f" * 32
        more["plan"] = plan.id
        self.press(_VOTES[move.what], _PEOPLE[move.who], move.about, **more)

    def _report(self, move: Move) -> None:
        """A person does what an offered card says, as far as `how` goes, and reports it.

        Nobody follows a card that is not there, but for the careless; the others press all the same, with an old paste.
        """
        step, commands = self.known(move.about), self.commands(move.about)
        is_done = self.is_careless or self.offered(move.about) is not None
        if not is_done:
            text = PASTED[move.about]
        elif move.how == "bad paste":
            text = self._looks(move.about) or "trust me"
        elif move.how == "half":
            self._runs(commands[:3])
            text = self._looks(move.about) or self.type(commands[-1])
        else:
            if move.about == "stop-cuda":
                self.type("sudo systemctl stop cuda-job")
            last = self._runs(commands)
            text = self._looks(move.about) or last
        text = "" if move.how == "no paste" else text
        self.press(PressKind.REPORT, _PEOPLE[move.who], move.about, digest=step.digest[:32] if step else "", text=text)


#: What is pasted for each card where all is well.
PASTED = {
    "guard-card": "node/omen2 labeled",
    "card-to-vms": "node/omen2 labeled",
    "host-off": SWAPS_OFF,
    "start-kubelet": ACTIVE,
    "stop-cuda": CUDA_NONE,
}
