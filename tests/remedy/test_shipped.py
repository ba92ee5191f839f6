"""What the shipped runbooks promise people, whatever else of them is tried in play. Axes: runbook, language, option."""

from __future__ import annotations

import pytest

from bot.adapters.files.knowledge import LANGUAGES
from bot.adapters.files.runbooks import load_runbooks
from bot.remedy.runbook import Risk, Runbook, Verb

LIBRARY = load_runbooks()


def book(root: str) -> Runbook:
    found = LIBRARY.for_root(root)
    assert found is not None
    return found


SWAP, LOOP = book("kubelet-swap-on"), book("dcgm-library-missing")


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("option", ["host-cuda", "dont-know"])
def test_whoever_gives_the_card_to_containers_is_told_what_else_that_does(option: str, lang: str) -> None:
    assert "containerd" in LIBRARY.text("kubelet-swap", option, lang)


def test_each_way_of_the_card_says_what_it_leaves_broken() -> None:
    assert {one.id: one.leaves for one in SWAP.options} == {
        "host-cuda": ("vm-unschedulable",),
        "dont-know": ("vm-unschedulable",),
        "vms": (),
        "no-card": (),
    }
    assert "CUDA cannot run on this host" in LIBRARY.text("kubelet-swap", "vms", "en").replace("\n", " ")


def test_the_host_block_stops_the_kubelet_first_and_looks_at_memory_before_swap_goes_off() -> None:
    commands = list(SWAP.step("host-off").commands)
    order = ["stop kubelet", "free -m", "swapoff", "/etc/fstab", "mask swap.target", "daemon-reload"]
    places = [next(at for at, one in enumerate(commands) if word in one) for word in order]
    assert places == sorted(places)
    assert commands[0].endswith("stop kubelet")
    assert tuple(commands[-2:]) == SWAP.step("host-off").verify.pasted, "looked at last, when all is done"


def test_what_revives_the_kubelet_comes_after_the_guard_in_every_way_of_a_card_at_stake() -> None:
    for option in SWAP.options:
        if "do-not-start-kubelet" in option.unless:
            continue
        guard = min(option.steps.index(one) for one in ("guard-card", "card-to-vms") if one in option.steps)
        assert guard < option.steps.index("host-off") < option.steps.index("start-kubelet")


def test_the_ways_of_the_loop_go_from_narrow_to_wide_and_the_gate_is_last() -> None:
    assert [one.id for one in LOOP.options] == [
        "repair-dcgm",
        "without-gpu-monitor",
        "without-gpu-monitor-cleared",
        "without-node-repair",
    ]
    gate = LOOP.step("gate-off")
    assert (gate.expires, gate.undo) == (86_400, "gate-on")
    for lang, word in (("en", "Costs"), ("ko", "대가")):
        assert word in LIBRARY.text(LOOP.name, "without-node-repair", lang)


def test_what_goes_away_with_a_node_is_bound_to_its_pool_with_a_cap() -> None:
    kinds = {step.target.partition("/")[0] for step in LOOP.steps}
    assert kinds == {"ds", "configmap", "nodepool", "deploy"}
    selecting = [one for one in LOOP.steps if one.select]
    assert [(one.verb, one.risk, one.cap) for one in selecting] == [(Verb.CLEAR_CONDITION, Risk.DESTRUCTIVE, 5)]
