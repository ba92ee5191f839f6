"""A paste of a step on a host. Axes: which prompts are above its outputs, whose shell showed them, which node it is."""

from __future__ import annotations

from collections.abc import Collection

import pytest

from bot.adapters.files.paste import PasteRecogniser
from bot.app.repair.observing import Observer
from bot.app.repair.reporting import BAD, GOOD, Judged, Reports
from bot.model.refs import node
from bot.remedy.digest import digest_of
from bot.remedy.plan import PlanStep, Target
from bot.remedy.runbook import Probe, ProbeCall, Verb
from tests.remedy.probes.pasting import ACTIVE, IS_ACTIVE, LIST, PROMPT, TAIL, WHOLE
from tests.support.actions import action
from tests.support.clusters import NOW, FixedClock, MemoryCluster
from tests.support.repair import BEN

OTHER = "repair-paste-of-another"
WANTED = {Probe.SWAP_OFF: f"{TAIL}\n{LIST}", Probe.KUBELET_ACTIVE: IS_ACTIVE}


def judged(text: str, probe: Probe = Probe.SWAP_OFF, *, host: str = "omen2", nodes: Collection[str] = ()) -> Judged:
    verify = ProbeCall(probe=probe, params={"node": host, "command": WANTED[probe]}, within=3600)
    made = action("host-off", verb=Verb.HOST, target=Target(ref=node(host)), verify=verify)
    reports = Reports(PasteRecogniser(lambda: nodes or ("omen2", "omen3")), Observer(MemoryCluster(), FixedClock()))
    return reports.judge(PlanStep(action=made, digest=digest_of(made), after=()), text, BEN, NOW)


def below(prompt: str, *before: str) -> str:
    """The whole paste, below such prompts; `before` are lines above it."""
    return "\n".join([*before, WHOLE.replace(PROMPT, prompt)])


@pytest.mark.parametrize(
    "text",
    [
        WHOLE,
        below("$ "),
        below("# "),
        below("root@omen2.lab.example:~# "),
        below("➜  ~ "),
        below("➜  src git:(main) ✗ "),
        below("gpu@omen2 ~ % "),
        below("sh-5.1# ", "sh-4.4# chroot /host"),
        below("sh-5.1# ", "me@laptop:~$ oc debug node/omen2", "Starting pod/omen2-debug ...", "sh-4.4# chroot /host"),
        below("# ", "$ kubectl debug node/omen2 -it --image=ubuntu", "# chroot /host"),
        below("# ", "me@laptop:~$ ssh root@omen2"),
        below("bash-5.1# ", "root@omen2:~# bash"),
        below("root@omen2:~# ", "me@laptop:~$ ssh -p 22 omen2", "Last login: Mon"),
        below("me@laptop:~$ ssh omen2 "),
        below("➜  ~ ssh gpu@omen2 "),
        below("# ", "me@laptop:~$ kubectl get nodes", "me@laptop:~$ ssh omen2") + "# exit\nme@laptop:~$ ",
    ],
)
def test_what_the_hosts_own_shell_showed_is_good(text: str) -> None:
    assert (judged(text).result, judged(text).why) == (GOOD, "repair-swap-off")


@pytest.mark.parametrize(
    ("text", "others"),
    [
        (below("me@laptop:~$ "), "laptop"),
        (below("root@omen3:~# "), "omen3"),
        (below("root@10.0.0.9:~# "), "10.0.0.9"),
        (below("me@laptop:~$ ssh 10.0.0.9 "), "10.0.0.9"),
        (below("$ ", "root@omen2:~# ssh omen9"), "omen9"),
        (below("$ ") + "$ ssh omen2 uptime\n", "localhost"),
        (below("➜  ~ ") + "➜  ~ ssh omen2\n", "localhost"),
        (below("sh-5.1# "), "container"),
        (below("sh-5.1# ", "me@laptop:~$ oc debug node/omen2"), "container"),
        (below("# ", "root@omen2:~# kubectl exec -it driver -- bash"), "container"),
        (below("$ ", "me@laptop:~$ ssh omen2", "$ exit"), "laptop"),
        (below("$ ", "$ ssh omen2", "$ exit"), "localhost"),
        (below("# ", "me@laptop:~$ oc debug node/omen3", "# chroot /host"), "omen3"),
    ],
)
def test_what_another_shell_showed_is_refused_by_its_name(text: str, others: str) -> None:
    found = judged(text)
    assert (found.result, found.why) == (BAD, OTHER)
    assert others in found.values["others"].split(", ")


@pytest.mark.parametrize(
    ("host", "prompt", "why"),
    [
        ("omen2.lab", "omen2", "repair-kubelet-active"),
        ("omen2.lab", "omen2.lab", "repair-kubelet-active"),
        ("omen2.lab", "omen2.prod", OTHER),
        ("omen2", "omen2.prod", "repair-kubelet-active"),
    ],
)
def test_a_full_name_is_no_other_full_name(host: str, prompt: str, why: str) -> None:
    text = ACTIVE.replace("omen2", prompt)
    assert judged(text, Probe.KUBELET_ACTIVE, host=host, nodes=(host, "omen3")).why == why


def test_a_short_name_that_two_nodes_have_is_neithers() -> None:
    assert judged(ACTIVE, Probe.KUBELET_ACTIVE, host="omen2.a", nodes=("omen2.a", "omen2.b")).why == OTHER


def test_a_danger_counts_wherever_it_stands() -> None:
    text = "me@laptop:~$ cat /proc/swaps\n/swapfile file 33554428 0 -2\n" + WHOLE
    assert judged(text).why == "repair-swap-still-on"


@pytest.mark.parametrize("line", ["sh-5.1 # x", "➜", "me@laptop 50% full", "zsh: command not found"])
def test_what_is_no_prompt_is_not_understood(line: str) -> None:
    assert judged(WHOLE.replace("nas:/x", f"{line}\nnas:/x")).why == "repair-paste-odd"
