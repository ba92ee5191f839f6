"""Axes: who presses what, when, how often, on what; what the audit says of it, and what the thread."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest

from bot.app.ports import PostFailed
from bot.app.repair.saying import OF_A_STEP
from bot.app.requests import PressKind
from bot.model.incident import State
from bot.remedy.decision import Policy
from bot.remedy.plan import Actor, PlanState
from bot.remedy.runbook import Risk
from tests.app.repair.small import Small
from tests.support.repair import ANA, BEN, CAI, EVE, Fuse, Killed

STRANGER = Actor("slack:T0OTHER/U0ANA")
DAY = timedelta(days=1)


@pytest.fixture
def small(redis_url: str) -> Small:
    return Small(redis_url)


@pytest.fixture
def destructive(redis_url: str) -> Small:
    return Small(redis_url, risk=Risk.DESTRUCTIVE)


def test_approved_run_verified_and_the_next_one_offered(small: Small) -> None:
    assert small.thread()[1:] == ["step first awaiting 0 [press]"]
    small.approve()
    assert small.thread()[1:] == ["step first approved 1"], "the buttons have left before anything runs"
    small.run()
    assert small.states() == ["verified", "awaiting"]
    small.approve(step="second")
    small.run()

    assert small.plan().state is PlanState.DONE
    assert small.hands.effects == [one.exec_id for one in small.plan().steps]
    assert small.thread()[1:] == [
        "step first verified 1",
        "first: verified (repair-verified)",
        "step second verified 1",
        "second: verified (repair-verified)",
        f"plan {small.plan().id} done",
    ]
    assert small.audit_holds()


def test_a_redelivered_press_and_a_double_click_count_once(small: Small) -> None:
    press = small.press(PressKind.APPROVE, BEN)
    small.do(press, press)
    assert (small.states(), small.refusals()) == (["approved", "pending"], [])
    small.do(msgspec.structs.replace(press, id="another-click"))

    assert small.refusals() == ["repair-approved-already"]
    small.run()
    small.run()
    assert len(small.hands.effects) == 1


def test_destructive_takes_two_and_the_requester_is_not_one_of_them(destructive: Small) -> None:
    destructive.approve(BEN)
    destructive.approve(BEN)
    destructive.approve(ANA)
    destructive.run()
    assert destructive.states()[0] == "awaiting"
    assert destructive.refusals() == ["repair-voted-already", "repair-requester-excluded"]
    destructive.approve(CAI)
    destructive.run()

    assert destructive.states()[0] == "verified"


@pytest.mark.parametrize("who", [EVE, STRANGER])
@pytest.mark.parametrize("kind", [PressKind.APPROVE, PressKind.DENY, PressKind.BREAK_GLASS, PressKind.ABORT])
def test_who_may_not_changes_nothing_and_is_told_and_written_down(small: Small, who: Actor, kind: PressKind) -> None:
    small.do(small.press(kind, who, reason="please"))

    assert small.states() == ["awaiting", "pending"]
    assert small.refusals() == small.refused_in_audit() == ["repair-may-not"]


def test_out_of_order_is_refused_with_what_would_break(small: Small) -> None:
    small.approve(step="second")

    assert small.refusals() == small.refused_in_audit() == ["hazard-second-first"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"digest": "f" * 64}, "repair-other-digest"),
        ({"digest": ""}, "repair-other-digest"),
        ({"step": "third", "digest": "f" * 64}, "repair-no-such-step"),
        ({"message": "77.0"}, "repair-not-our-card"),
        ({"cluster": "elsewhere"}, "repair-other-cluster"),
        ({"plan": "nothing-1"}, "repair-no-such-plan"),
        ({"refused": "refused-guest"}, "refused-guest"),
    ],
    ids=["another digest", "no digest", "no such step", "another message", "another cluster", "no plan", "the front"],
)
def test_a_press_that_does_not_fit_is_refused(small: Small, change: dict[str, str], reason: str) -> None:
    small.do(msgspec.structs.replace(small.press(PressKind.APPROVE, BEN), **change))

    assert small.states() == ["awaiting", "pending"]
    assert small.refusals() == small.refused_in_audit() == [reason]


@pytest.mark.parametrize(("age", "refused"), [(DAY, []), (DAY + timedelta(seconds=1), ["repair-press-too-old"])])
def test_a_press_that_waited_for_more_than_a_day_is_nobodys_word_any_more(
    small: Small, age: timedelta, refused: list[str]
) -> None:
    """Whoever may only write to Redis kept it, and puts it in again when nothing tells any more that it was handled."""
    press = small.press(PressKind.FREEZE, BEN, "", plan="", reason="wrong node!")
    small.clock.pass_by(age)
    small.do(press)

    assert small.refused_in_audit() == refused
    assert small.journal.read("").freeze.frozen is not bool(refused)


@pytest.mark.parametrize("kind", sorted(OF_A_STEP))
def test_a_press_that_names_no_step_is_refused(small: Small, kind: PressKind) -> None:
    small.do(small.press(kind, BEN, "", reason="please", option="happened"))

    assert small.states() == ["awaiting", "pending"]
    assert small.refusals() == small.refused_in_audit() == ["repair-no-such-step"]


def test_what_cannot_become_of_a_step_is_refused(small: Small) -> None:
    small.do(small.press(PressKind.RESOLVE, BEN, option="perhaps", reason="who knows"))

    assert small.refusals() == small.refused_in_audit() == ["repair-no-such-result"]
    assert [one["details.result"] for one in small.journal.entries() if one["type"] == "refused"] == ["perhaps"]


def test_the_card_itself_counts(small: Small) -> None:
    (card,) = [one for one in small.board.posts if one.text.startswith("step first")]
    small.approve(message=card.ts)

    assert small.states()[0] == "approved"


def test_a_denial_is_a_veto_even_after_the_approval(small: Small) -> None:
    small.approve(BEN)
    small.do(small.press(PressKind.DENY, CAI, reason="not now"))
    small.run()

    assert (small.states(), small.plan().state) == (["denied", "pending"], PlanState.HALTED)
    assert small.hands.effects == []


@pytest.mark.parametrize(
    ("approved", "minutes", "why"),
    [(False, 16, "repair-approval-expired"), (True, 6, "repair-execution-expired")],
    ids=["nobody approved", "nobody ran it"],
)
def test_windows_close_and_a_late_press_is_told(small: Small, approved: bool, minutes: int, why: str) -> None:
    if approved:
        small.approve()
    small.clock.pass_by(timedelta(minutes=minutes))
    small.repairs.sweeper.run_once()
    small.approve(CAI)
    small.run()

    assert small.states() == ["expired", "pending"]
    assert f"first: expired ({why})" in small.thread()
    assert small.refusals() == ["repair-plan-over"]
    assert not [one for one in small.thread() if "[press]" in one]
    assert small.hands.effects == []


def test_a_press_at_the_moment_that_the_window_closes_is_told_that_it_was_late(small: Small) -> None:
    small.clock.pass_by(timedelta(minutes=16))
    small.approve()

    assert small.states()[0] == "expired"
    assert small.refusals() == ["repair-approval-expired"]


def test_break_glass_takes_a_reason_and_names_whom_it_skipped(destructive: Small) -> None:
    destructive.do(destructive.press(PressKind.BREAK_GLASS, BEN))
    assert destructive.refusals() == ["repair-reason-missing"]
    destructive.do(destructive.press(PressKind.BREAK_GLASS, BEN, reason="nobody is awake"))
    destructive.run()

    assert destructive.states()[0] == "verified"
    (entry,) = [one for one in destructive.journal.entries() if one["type"] == "broke-glass"]
    assert entry["details.skipped"] == f"{ANA.id}, {CAI.id}"


def test_of_a_broken_glass_only_who_broke_it_is_asked_for_again(destructive: Small) -> None:
    destructive.approve(CAI)
    destructive.do(destructive.press(PressKind.BREAK_GLASS, BEN, reason="nobody is awake"))
    destructive.authority.people.discard(CAI)
    destructive.run()

    assert destructive.states()[0] == "verified"


def test_giving_up_ends_the_plan(small: Small) -> None:
    small.do(small.press(PressKind.ABORT, BEN, reason="another way"))
    small.approve(CAI)

    assert (small.states(), small.plan().state) == (["aborted", "aborted"], PlanState.ABORTED)
    assert small.refusals() == ["repair-plan-over"]
    assert "second: aborted (repair-aborted)" not in small.thread(), "nobody has seen that step"


def test_an_owner_and_what_is_open(small: Small) -> None:
    small.do(small.press(PressKind.TAKE, CAI, incident=small.incident.id))
    (item,) = small.repairs.desk.duty.open_list()

    assert (item.incident.owner, item.incident.state, item.step) == (CAI.id, State.WAITING, "first")
    assert item.until is not None
    assert "taken" in small.types()


def test_one_person_freezes_and_two_unfreeze(small: Small) -> None:
    small.approve()
    small.do(small.press(PressKind.FREEZE, EVE))
    assert not small.journal.read("").freeze.frozen
    small.do(small.press(PressKind.FREEZE, CAI, reason="something is odd"))
    small.run()
    small.run()
    assert small.states()[0] == "approved"
    assert small.refusals() == ["repair-may-not", "repair-frozen"], "said once, not every second"
    small.do(small.press(PressKind.UNFREEZE, BEN), small.press(PressKind.UNFREEZE, BEN))
    assert small.journal.read("").freeze.frozen
    small.do(small.press(PressKind.UNFREEZE, ANA))
    small.run()

    assert small.states()[0] == "verified"


def test_words_from_before_the_freeze_do_not_lift_it(small: Small) -> None:
    early = [small.press(PressKind.UNFREEZE, one) for one in (BEN, ANA)]
    small.clock.pass_by(timedelta(seconds=1))
    small.do(small.press(PressKind.FREEZE, CAI, reason="something is odd"), *early)
    assert small.journal.read("").freeze.frozen
    refused = [one["details.reason"] for one in small.journal.entries() if one["type"] == "refused"]
    assert refused == ["repair-unfreeze-before-freeze"] * 2


def test_a_team_of_one(redis_url: str) -> None:
    small = Small(redis_url, policy=Policy(mutations=True, solo=True), risk=Risk.DESTRUCTIVE)
    small.approve(ANA)
    small.run()

    assert small.states()[0] == "verified"


def test_what_was_not_told_is_told_by_whoever_comes_next(small: Small) -> None:
    small.board.absent_from = ["C0GPU"]
    small.approve()
    small.run()
    assert small.states()[0] == "verified"
    assert len(small.thread()) == 2
    small.board.absent_from = []
    small.clock.pass_by(timedelta(minutes=2))
    small.repairs.sweeper.run_once()

    assert small.thread()[1:] == [
        "step first verified 1",
        "first: verified (repair-verified)",
        "step second awaiting 0 [press]",
    ]


@pytest.mark.parametrize("text", ["no: ", ""], ids=["Slack does not take it", "its process ends"])
def test_a_refusal_that_was_not_told_is_told_when_the_press_comes_again(small: Small, text: str) -> None:
    press = small.press(PressKind.APPROVE, EVE)
    small.board.fails = [text] if text else []
    with pytest.raises(PostFailed if text else Killed):
        small.replica("dies", Fuse(left=1, after=True) if not text else None, names=("commit",)).desk.handle(press)
    assert small.refusals() == []
    for _ in range(2):
        small.do(press)

    assert small.refusals() == ["repair-may-not"]
    assert small.refused_in_audit() == ["repair-may-not"]
