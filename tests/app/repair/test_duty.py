"""Axes: what the person on duty asks for; what the incident holds; what the world beside answers."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest

from bot.app.ports import PostFailed
from bot.app.requests import Press, PressKind
from bot.model.incident import Incident, Place, State
from bot.remedy.plan import Actor, PlanState
from tests.app.repair.small import Small
from tests.support.desk import chains, fault
from tests.support.repair import ANA, BEN, CAI, Fuse, Killed


class Stories:
    """`PostMortems`."""

    def markdown(self, incident: Incident, channel: str) -> str:
        return f"# {incident.id}"


@pytest.fixture
def small(redis_url: str) -> Small:
    return Small(redis_url)


def do(small: Small, press: Press) -> None:
    small.replica("two", stories=Stories()).desk.handle(press)


def about(small: Small, kind: PressKind, who: Actor) -> Press:
    return small.press(kind, who, incident=small.incident.id)


def files(small: Small) -> list[tuple[str, str, str]]:
    return [(place.thread, one.name, one.text) for place, one in small.board.files]


def test_the_post_mortem_comes_into_the_thread_as_a_file_once_and_is_noted(small: Small) -> None:
    press = about(small, PressKind.POSTMORTEM, CAI)
    do(small, press)
    do(small, press)

    name = f"postmortem-{small.incident.id}.md"
    assert files(small) == [(small.incident.place.thread, name, f"# {small.incident.id}")]
    assert small.types().count("exported") == 1
    do(small, about(small, PressKind.POSTMORTEM, CAI))
    assert len(files(small)) == 2, "another press is another question"


def test_a_post_mortem_cut_short_by_the_end_of_its_process_comes_with_the_press_s_second_delivery(small: Small) -> None:
    press, fuse = about(small, PressKind.POSTMORTEM, CAI), Fuse(2)
    with pytest.raises(Killed):
        small.replica("dying", fuse, names=("note", "upload"), stories=Stories()).desk.handle(press)
    assert (small.types().count("exported"), files(small)) == (1, [])
    do(small, press)

    assert len(files(small)) == small.types().count("exported") == 1


def test_a_post_mortem_that_slack_refuses_is_told_with_the_reason_and_tried_again(small: Small) -> None:
    small.board.never = {"upload"}
    press = about(small, PressKind.POSTMORTEM, CAI)
    do(small, press)
    do(small, press)

    (told,) = [one for one in small.thread() if one.startswith("repair-postmortem-refused")]
    assert f"incident={small.incident.id}" in told
    assert "why=upload: refused" in told
    assert small.refused_in_audit() == ["repair-postmortem-refused"]
    small.board.never = set()
    do(small, press)
    assert len(files(small)) == 1


def test_an_incident_that_nobody_keeps_is_said(small: Small) -> None:
    do(small, msgspec.structs.replace(about(small, PressKind.TAKE, CAI), incident="nothing"))

    assert small.refused_in_audit() == ["repair-no-such-incident"]


@pytest.mark.parametrize("is_there", [True, False])
def test_a_choice_goes_to_whoever_has_hands(small: Small, is_there: bool) -> None:
    sent: list[Press] = []

    def forward(press: Press) -> bool:
        sent.append(press)
        return is_there

    press = small.press(PressKind.CHOOSE, ANA, "", digest="", option="only")
    small.replica("front", forward=forward).desk.handle(press)

    assert sent == [press]
    assert small.refused_in_audit() == []
    told = [one for one in small.thread() if one.startswith("repair-waits-for-executor")]
    assert len(told) == (not is_there), "who pressed waits for something"


@pytest.mark.parametrize(("still", "state"), [(False, State.RESOLVED), (True, State.MITIGATED)])
def test_what_was_repaired_and_is_not_seen_any_more_is_resolved(small: Small, still: bool, state: State) -> None:
    for step in ("first", "second"):
        small.approve(step=step)
        small.run()
    assert small.plan().state is PlanState.DONE
    small.seen = chains([fault("kubelet-swap-on", "node/omen2")]) if still else chains()
    small.repairs.sweeper.run_once()

    incident = small.incidents.by_id(small.incident.id)
    assert incident is not None
    assert incident.state is state
    assert small.thread()[0].startswith(state.value.upper())


def freezes(small: Small, who: Actor = CAI, why: str = "wrong node!") -> None:
    do(small, small.press(PressKind.FREEZE, who, "", plan="", reason=why))


def unfreezes(small: Small, *people: Actor) -> None:
    for who in people:
        do(small, small.press(PressKind.UNFREEZE, who, "", plan=""))


def told_of_freezes(small: Small) -> list[str]:
    return [one for one in small.thread() if one.startswith("FROZEN")]


def test_a_freeze_stands_in_the_thread_and_takes_the_commands_off_its_cards(small: Small) -> None:
    assert small.thread()[-1].endswith("[press]")
    freezes(small)
    assert told_of_freezes(small) == [f"FROZEN by {CAI.id}: wrong node!"]
    assert f"step first FROZEN by {CAI.id}" in small.thread()
    assert not [one for one in small.thread() if one.endswith("[press]")]
    small.repairs.sweeper.run_once()
    assert len(told_of_freezes(small)) == 1


def test_a_freeze_that_is_renewed_is_told_again_with_its_reason(small: Small) -> None:
    freezes(small)
    small.clock.pass_by(timedelta(seconds=5))
    freezes(small, BEN, "still wrong")
    assert told_of_freezes(small) == [f"FROZEN by {CAI.id}: wrong node!", f"FROZEN by {BEN.id}: still wrong"]
    assert f"step first FROZEN by {BEN.id}" in small.thread()


def test_the_unfreeze_is_told_and_offers_what_waited(small: Small) -> None:
    freezes(small)
    small.clock.pass_by(timedelta(hours=8))
    unfreezes(small, ANA)
    assert "goes on" not in small.thread()
    unfreezes(small, BEN)
    small.repairs.sweeper.run_once()
    assert small.thread().count("goes on") == 1
    assert "step first awaiting 0 [press]" in small.thread()
    small.approve()
    assert small.states()[0] == "approved"


class Elsewhere:
    """`Tells` of a front that has no threads."""

    def catch_up(self, plan_id: str) -> None:
        """Nothing."""

    def try_to_catch_up(self, plan_id: str) -> None:
        """Nothing."""

    def show(self, incident: Incident) -> None:
        """Nothing."""


def test_a_freeze_of_another_front_is_told_by_whoever_looks_next(small: Small) -> None:
    press = small.press(PressKind.FREEZE, CAI, "", plan="", reason="wrong node!")
    small.replica("terminal", teller=Elsewhere()).desk.handle(press)
    assert not told_of_freezes(small)
    small.repairs.sweeper.run_once()
    assert told_of_freezes(small) == [f"FROZEN by {CAI.id}: wrong node!"]


def test_a_freeze_tells_no_thread_whose_plans_are_over(small: Small) -> None:
    small.do(small.press(PressKind.ABORT, ANA, "", reason="not needed"))
    freezes(small)
    assert not told_of_freezes(small)


def left_alone(small: Small) -> None:
    """It began with a question, and no alert led to it; its plan is over without a repair."""
    now = small.incidents.by_id(small.incident.id)
    assert now is not None
    asked = msgspec.structs.replace(now, sources=(), planned=True, place=Place("", "terminal:1"), root="")
    assert small.incidents.save(now, asked) is not None
    small.do(small.press(PressKind.DENY, BEN, reason="wrong node"))


def test_an_incident_whose_plan_was_denied_stays_in_the_list(small: Small) -> None:
    left_alone(small)
    (item,) = small.repairs.desk.duty.open_list()
    assert (item.incident.state, item.plan, item.step) == (State.OPEN, small.plan(), "")


def test_an_incident_of_a_terminal_is_resolved_once_it_is_repaired(small: Small) -> None:
    now = small.incidents.by_id(small.incident.id)
    assert now is not None
    asked = msgspec.structs.replace(now, sources=(), firing=(), planned=True, place=Place("", "terminal:1"), root="")
    assert small.incidents.save(now, asked) is not None
    for step in ("first", "second"):
        small.approve(step=step)
        small.run()
    (item,) = small.repairs.desk.duty.open_list()
    assert item.incident.state is State.MITIGATED
    small.seen = chains()
    small.repairs.sweeper.run_once()
    assert small.repairs.desk.duty.open_list() == ()


@pytest.mark.parametrize(
    ("kind", "told"), [(PressKind.FREEZE, "repair-freeze-set"), (PressKind.TAKE, "repair-taken")], ids=str
)
def test_what_was_done_and_not_said_is_said_with_its_second_delivery(small: Small, kind: PressKind, told: str) -> None:
    press = small.press(kind, CAI, "", plan="", incident=small.incident.id, reason="wrong node!")
    small.board.fails = [told]
    with pytest.raises(PostFailed):
        do(small, press)
    do(small, press)

    assert len([one for one in small.thread() if one.startswith(told)]) == 1
    assert len([one for one in small.types() if one in ("freeze", "taken")]) == 1
