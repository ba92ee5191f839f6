"""The card of a choice. Axes: which options can be chosen, why not, whether somebody chose, whose findings."""

from __future__ import annotations

import msgspec
import pytest

from bot.model.cards import Token
from bot.model.refs import Ref
from bot.remedy.planning import OptionOffer
from tests.entry.cards import CHOOSING, DIAGNOSIS, OFFERED, buttons, kinds, offer
from tests.support.answers import words
from tests.support.blockkit import problems, written
from tests.support.cards import INCIDENT, REQUESTER, cards, plan


def test_the_choice_says_what_each_way_leaves_broken() -> None:
    message = cards().choice(CHOOSING, OFFERED, INCIDENT, DIAGNOSIS)
    shown = written(message)
    assert "*Who keeps the card?*" in shown
    assert "*CUDA work on the host keeps it*" in shown
    assert "*Leaves broken*\nVM gpu-fedora cannot be scheduled" in shown
    assert [one["text"]["text"] for one in buttons(message)] == [
        "omen2: CUDA work on the host keeps it",
        "omen2: The VMs get it",
    ]
    assert [Token.read(one["value"]).part for one in buttons(message)] == ["host-cuda", "vms"]


def test_what_another_root_broke_is_not_called_left_by_this_choice() -> None:
    ours = next(one for one in DIAGNOSIS.findings if one.code == "vm-unschedulable")
    other = msgspec.structs.replace(ours, subject=Ref("vm", "rhel9-gpu-vm", "elsewhere"), refs={})
    both = msgspec.structs.replace(DIAGNOSIS, findings=(*DIAGNOSIS.findings, other))
    shown = written(cards().choice(CHOOSING, OFFERED, INCIDENT, both))
    assert "*Leaves broken*\nVM gpu-fedora cannot be scheduled" in shown
    assert "rhel9-gpu-vm" not in shown


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_where_no_vm_waits_no_vm_is_called_broken(lang: str) -> None:
    none = msgspec.structs.replace(
        DIAGNOSIS, findings=tuple(one for one in DIAGNOSIS.findings if one.code != "vm-unschedulable"), links=()
    )
    nobody = msgspec.structs.replace(OFFERED, options=tuple(leaving(one) for one in OFFERED.options))
    assert words(lang).label("plan_leaves") not in written(cards(lang).choice(CHOOSING, nobody, INCIDENT, none))
    untold = written(cards(lang).choice(CHOOSING, OFFERED, INCIDENT, none))
    assert words(lang).reason("left-vm-unschedulable") in untold


def leaving(one: OptionOffer, *codes: str) -> OptionOffer:
    return msgspec.structs.replace(one, leaves=codes)


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("why", ["plan-option-unsafe", "plan-option-untold", "plan-parameter-unknown"])
def test_an_option_that_cannot_be_chosen_has_no_button_and_no_step_but_its_reason(why: str, lang: str) -> None:
    message = cards(lang).choice(CHOOSING, offer(**{"host-cuda": why}), INCIDENT, DIAGNOSIS)
    every = cards(lang).choice(CHOOSING, OFFERED, INCIDENT, DIAGNOSIS)
    shown = written(message)
    assert problems(message) == []
    assert [Token.read(one["value"]).part for one in buttons(message)] == ["vms"]
    assert written(every).count("→") == 1, "only this option has two steps"
    assert "→" not in shown
    assert "gpu-fedora" not in shown
    found = words(lang).code("do-not-start-kubelet")
    told = {"plan-parameter-unknown": "“Label the node for containers”", "plan-option-untold": found.open}.get(
        why
    ) or found.title
    assert told.format(name="omen2") in shown


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_that_other_options_can_be_chosen_is_told_with_their_names_and_calls_people(lang: str) -> None:
    offered = offer(vms="plan-option-unsafe")
    message = cards(lang).choice_changed(CHOOSING, offered, INCIDENT, ("vms",))
    shown = written(message)
    assert problems(message) == []
    assert buttons(message) == []
    assert all(told in shown for told in ("<@U0FIRST>", "CUDA work on the host keeps it", "The VMs get it"))
    assert words(lang).code("do-not-start-kubelet").title.format(name="omen2") in shown
    same = written(cards(lang).choice_changed(CHOOSING, offered, INCIDENT, ("host-cuda", "vms")))
    assert "CUDA work" not in same, "what could be chosen before is nothing new"


def test_a_choice_that_was_made_has_no_buttons_and_says_whose_it_was() -> None:
    message = cards().choice(plan(), OFFERED, INCIDENT, DIAGNOSIS)
    assert kinds(message) == []
    assert f"*Chosen: CUDA work on the host keeps it*\n<@{REQUESTER.id.rpartition('/')[2]}>" in written(message)


def test_what_was_chosen_stands_with_its_steps_when_nobody_could_choose_it_any_more() -> None:
    gone = {"host-cuda": "plan-parameter-unknown", "vms": "plan-parameter-unknown"}
    shown = written(cards().choice(plan(), offer(**gone), INCIDENT, DIAGNOSIS))
    assert shown.count("→") == 1
