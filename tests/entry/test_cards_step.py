"""The card of a step that waits. Axes: what an approval binds to, who has to approve, what can be pressed, marks."""

from __future__ import annotations

import re

import msgspec
import pytest

from bot.adapters.files.runbooks import load_runbooks
from bot.entry.cards import Cards
from bot.model.cards import ButtonKind, Token, cluster_mark
from bot.remedy.decision import Freeze, Policy
from bot.remedy.plan import Actor, Earlier, Identity, Note, Plan, StepState
from bot.remedy.runbook import Risk, Verb
from bot.remedy.timing import stilled
from tests.entry.cards import AT_CLEAR, AT_HOST, FREEZE, buttons, kinds
from tests.support.answers import words
from tests.support.blockkit import written
from tests.support.cards import AT, CLEAR, FIRST, GUARD, HOST, INCIDENT, KNOWN, REQUESTER, cards, changed, plan, vote


def test_a_step_to_approve_shows_all_that_an_approval_binds_to() -> None:
    shown = written(cards().step(plan(), "guard-card", INCIDENT))
    for part in (
        "*WAITING FOR APPROVAL* · lab · node/omen2",
        "*Step 1 of 3: Label the node for containers*",
        "*What breaks otherwise*",
        "one object: node/omen2 (uid 2f3c)",
        "- nvidia.com/gpu.workload.config: vm-passthrough\n+ nvidia.com/gpu.workload.config: container",
        "*Risk: disruptive*\nTakes one person",
        "the GPU Operator deploys sandbox workloads",
        "the GPU Operator has reacted to it (node=omen2); within 2 minutes",
        f"digest {GUARD.digest[:12]}",
        "First of all, because the next step revives it.",
    ):
        assert part in shown


@pytest.mark.parametrize(
    ("verb", "risk", "said", "called"),
    [
        (Verb.CLEAR_CONDITION, Risk.DESTRUCTIVE, "Takes 2 different people", True),
        (Verb.HOST, Risk.DISRUPTIVE, "Takes one person with the output, two without it.", True),
        (Verb.HOST, Risk.DESTRUCTIVE, "First 2 different people agree; who asked for the plan (", True),
        (Verb.OBSERVE, Risk.READ, "", False),
    ],
)
def test_a_card_says_how_many_people_count_and_calls_nobody_where_the_bot_only_looks(
    verb: Verb, risk: Risk, said: str, called: bool
) -> None:
    step = HOST if verb is Verb.HOST else CLEAR
    action = msgspec.structs.replace(step.action, verb=verb, risk=risk)
    one = changed(step, action=action, after=(), state=StepState.AWAITING)
    message = cards().step(plan(one), one.action.step, INCIDENT)
    shown = written(message)
    assert ("people" in shown or "one person" in shown, said in shown, "<@U0FIRST>" in shown) == (
        bool(said),
        True,
        called,
    )


@pytest.mark.parametrize(
    ("one", "step", "pressed"),
    [(AT_HOST, "host-off", ["details"]), (plan(), "guard-card", ["deny", "details"])],
    ids=["a person's", "the bot's"],
)
def test_a_card_that_is_told_while_frozen_says_so_and_shows_no_command(
    one: Plan, step: str, pressed: list[str]
) -> None:
    frozen = stilled(one, FREEZE)
    message = cards().step(frozen, step, INCIDENT)
    shown = written(message)
    assert message.text.startswith("FROZEN lab node/omen2: FROZEN by U0FIRST: wrong node!")
    hands_on = [line for line in one.step(step).action.commands if not line.startswith("cat ")]
    assert not any(line in shown for line in hands_on)
    assert kinds(message) == pressed
    for view in (cards().details(frozen, step, INCIDENT), cards().form(ButtonKind.REPORT, frozen, step, "{}")):
        assert "FROZEN by U0FIRST: wrong node!" in str(view)
        assert not any(line in str(view) for line in hands_on)


def test_the_freeze_stands_in_the_thread_in_one_line() -> None:
    told = cards().freeze(AT_HOST, FREEZE)
    assert told.text.startswith("FROZEN lab node/omen2: FROZEN by U0FIRST: wrong node!. Do nothing of the commands")
    assert cards().freeze(AT_HOST, Freeze(frozen=False)).text.startswith("GOING ON lab node/omen2: No longer frozen.")


def test_the_expiry_is_the_readers_own_time_and_how_far_away() -> None:
    shown = written(cards().step(plan(), "guard-card", INCIDENT))
    at = int(AT.timestamp()) + 900
    assert f"<!date^{at}^{{date_short_pretty}} {{time}} ({{ago}})|2026-10-30 16:15 UTC>" in shown


def test_the_lock_screen_begins_with_state_cluster_object_and_hazard() -> None:
    first = cards().step(AT_HOST, "host-off", INCIDENT).text[:100]
    assert first.startswith("WAITING FOR A PERSON lab node/omen2: ")


def test_buttons_name_their_object_and_are_all_different() -> None:
    message = cards().step(plan(), "guard-card", INCIDENT)
    labels = [one["text"]["text"] for one in buttons(message)]
    assert labels == ["Approve step 1: label omen2", "Deny step 1: label omen2", "Details of step 1"]
    assert [one["accessibility_label"] for one in buttons(message)] == labels


def test_a_button_carries_ids_and_never_a_parameter() -> None:
    for message in (cards().step(plan(), "guard-card", INCIDENT), cards().step(AT_HOST, "host-off", INCIDENT)):
        assert buttons(message)
        for one in buttons(message):
            token = Token.read(one["value"])
            assert token.plan == "plan0001"
            assert token.cluster == cluster_mark("lab")
            assert not re.search(r"swapoff|container|omen2|lab\b", one["value"])


@pytest.mark.parametrize(
    ("one", "step", "expected"),
    [
        (plan(), "guard-card", ["approve", "deny", "details"]),
        (AT_HOST, "host-off", ["report", "details"]),
        (AT_CLEAR, "clear", ["approve", "deny", "break-glass", "details"]),
        (plan(), "host-off", []),
        (plan(dry=True), "guard-card", ["report", "details"]),
    ],
    ids=["one person", "person", "two people", "not yet", "dry"],
)
def test_what_can_be_pressed(one: Plan, step: str, expected: list[str]) -> None:
    assert kinds(cards().step(one, step, INCIDENT)) == expected


@pytest.mark.parametrize("state", [StepState.APPLIED, StepState.VERIFIED, StepState.ATTESTED, StepState.DENIED])
def test_what_would_break_is_told_only_while_it_can(state: StepState) -> None:
    message = cards().step(plan(changed(GUARD, state=state)), "guard-card", INCIDENT)
    assert "What breaks otherwise" not in written(message)
    assert message.text.splitlines()[0].endswith("lab node/omen2: Step 1 of 1: Label the node for containers")


def test_the_step_before_names_its_object_where_that_is_another() -> None:
    assert "2 Stop the kubelet, turn swap off (omen2): ATTESTED" in written(cards().step(AT_CLEAR, "clear", INCIDENT))


def test_a_team_of_one_needs_no_glass_to_break() -> None:
    message = cards(solo=True).step(AT_CLEAR, "clear", INCIDENT)
    assert kinds(message) == ["approve", "deny", "details"]
    assert "*SOLO MODE*" in written(message)


@pytest.mark.parametrize("state", sorted(set(StepState) - {StepState.AWAITING}))
def test_buttons_leave_when_a_step_no_longer_waits(state: StepState) -> None:
    assert kinds(cards().step(plan(changed(GUARD, state=state)), "guard-card", INCIDENT)) == []


def test_only_what_cannot_be_taken_back_asks_twice() -> None:
    (approve, *others) = buttons(cards().step(AT_CLEAR, "clear", INCIDENT))
    assert approve["confirm"]["style"] == "danger"
    assert "nodepool/gpu" in approve["confirm"]["text"]["text"]
    assert not any("confirm" in one for one in others)


def test_two_people_and_not_the_requester() -> None:
    shown = written(cards().step(AT_CLEAR, "clear", INCIDENT))
    assert "Takes 2 different people; who asked for the plan (U0ONCALL) is not one of them." in shown
    assert "*Approved by 1 of 2*\n<@U0FIRST>" in shown
    assert "at most 5 objects, found when it runs by nodepool=gpu" in shown
    assert "could not be told" not in shown


def test_a_card_says_whose_approval_may_be_that_of_another() -> None:
    listed = Identity(unknown="approver-not-asked-here", vouched=True)
    both = changed(CLEAR, votes=(vote(FIRST, CLEAR), vote(Actor("k8s:ops"), CLEAR)), state=StepState.AWAITING)
    shown = written(cards().step(plan(GUARD, HOST, both, known={**KNOWN, "k8s:ops": listed}), "clear", INCIDENT))
    assert "*Approved by 1 of 2*\n<@U0FIRST>" in shown
    assert (
        "only 1 of 2 people are certain: who k8s:ops is could not be told: a terminal does not ask Slack who that is"
        in shown
    )


def test_a_persons_step_has_commands_to_copy_and_the_paste_that_is_wanted() -> None:
    shown = written(cards().step(AT_HOST, "host-off", INCIDENT))
    assert "```\nsudo systemctl stop kubelet\nsudo swapoff -a\ncat /proc/swaps\ncat /etc/fstab\n```" in shown
    assert "comes back at boot (command=cat /proc/swaps; cat /etc/fstab, node=omen2)" in shown
    assert "1 Label the node for containers: VERIFIED" in shown


def test_what_the_bot_did_there_before_stands_on_the_card_of_the_step() -> None:
    known = Earlier(exec_id="a", what="kubelet-swap/guard-card label-node node/omen2", ago=720, plan="plan0000")
    lost = Earlier(exec_id="b", what="kubelet-swap/card-to-vms label-node node/omen2", ago=60)
    shown = written(cards().step(plan(changed(GUARD, earlier=(known, lost))), "guard-card", INCIDENT))

    assert "acted on this object" in shown
    assert (
        "12 minutes before this plan was made: kubelet-swap/guard-card label-node node/omen2 (plan plan0000)" in shown
    )
    assert "card-to-vms label-node node/omen2. The audit does not know of it: everything is frozen" in shown
    assert shown.index("card-to-vms") < shown.index("plan0000"), "the newest first"
    assert "acted on this object" not in written(cards().step(plan(), "guard-card", INCIDENT))


def test_of_many_earlier_steps_the_newest_are_named() -> None:
    many = tuple(Earlier(exec_id=str(index), what=f"tests/step-{index}", ago=9 - index, plan="p") for index in range(9))
    shown = written(cards().step(plan(changed(GUARD, earlier=many)), "guard-card", INCIDENT))
    assert ("tests/step-8" in shown, "tests/step-6" in shown, "tests/step-5" in shown) == (True, True, False)
    assert "and 6 more" in shown


def test_the_form_of_a_report_names_each_command_whose_output_is_wanted() -> None:
    form = str(cards().form(ButtonKind.REPORT, AT_HOST, "host-off", "{}"))
    assert repr("```\ncat /proc/swaps\ncat /etc/fstab\n```")[1:-1] in form


def test_with_mutations_off_there_are_commands_and_it_says_so() -> None:
    shown = written(cards(mutations=False).step(plan(dry=True), "guard-card", INCIDENT))
    assert "*MUTATIONS ARE OFF: commands only*" in shown
    assert "kubectl label node omen2" in shown


@pytest.mark.parametrize(("lang", "said"), [("en", "the bot sees it itself: VERIFIED"), ("ko", "봇이 직접 볼")])
def test_a_step_that_waits_for_the_bots_own_look_says_so(lang: str, said: str) -> None:
    told = changed(GUARD, state=StepState.ATTESTED, told_by=(REQUESTER, Actor("slack:T0TEAM/U0FIRST")))
    one = plan(told, changed(HOST, state=StepState.PENDING), dry=True)
    assert said in written(cards(lang, mutations=False).step(one, "host-off", INCIDENT))
    seen = plan(changed(told, state=StepState.VERIFIED), changed(HOST, state=StepState.PENDING), dry=True)
    assert said not in written(cards(lang, mutations=False).step(seen, "host-off", INCIDENT))


def test_a_step_after_one_that_a_single_person_told_without_evidence_waits_for_a_second() -> None:
    one = plan(GUARD, changed(HOST, state=StepState.ATTESTED, told_by=(REQUESTER,)), CLEAR)
    assert "or a second person says so" in written(cards().step(one, "clear", INCIDENT))


def test_a_store_that_may_forget_is_said() -> None:
    assert "*BEST EFFORT*" in written(cards(best_effort=True).step(plan(), "guard-card", INCIDENT))


def test_the_owner_of_an_incident_is_called_instead_of_all_approvers() -> None:
    owned = msgspec.structs.replace(INCIDENT, owner=REQUESTER.id)
    shown = written(cards().step(plan(), "guard-card", owned))
    assert shown.startswith("<@U0ONCALL> · ")
    group = cards(approvers=("slack:group/S0GPU",)).step(plan(), "guard-card", INCIDENT)
    assert written(group).startswith("<!subteam^S0GPU> · ")


@pytest.mark.parametrize(
    ("params", "warned"),
    [
        ({"owner": "eks-addon", "values": "nodeAgent: {}"}, True),
        ({"owner": "eks-addon"}, False),
        ({"owner": "helm", "values": "nodeAgent: {}"}, False),
    ],
    ids=["add-on with values", "add-on without values", "helm keeps what was set"],
)
def test_an_addons_values_have_to_be_merged_and_the_card_and_the_form_say_so_before_the_commands(
    params: dict[str, str], warned: bool
) -> None:
    command = "aws eks update-addon"
    action = msgspec.structs.replace(HOST.action, verb=Verb.HAND_OVER, params=params, commands=(command,))
    at = plan(changed(HOST, action=action, after=(), hazard="", state=StepState.AWAITING))
    said = "Merge the JSON below into what describe-addon shows"
    for shown in (
        written(cards().step(at, "host-off", INCIDENT)),
        str(cards().form(ButtonKind.REPORT, at, "host-off", "{}")),
    ):
        assert command in shown
        assert (said in shown) is warned
        assert not warned or shown.index(said) < shown.rindex(command)


def test_what_was_seen_beside_the_object_stands_on_the_card() -> None:
    notes = (Note("repair-evict-no-budget", {"subject": "pod/ml/a"}), Note("repair-own-pods-unread", {"name": "omen2"}))
    shown = written(cards().step(plan(changed(GUARD, notes=notes)), "guard-card", INCIDENT))
    assert "no PodDisruptionBudget covers pod/ml/a: the eviction succeeds unconditionally" in shown
    assert "whether the bot itself runs on omen2" in shown


@pytest.mark.parametrize(
    ("lang", "said"),
    [("en", "has changed since this plan was made: it says nothing of renamed any more"), ("ko", "바뀌어 renamed에")],
)
def test_a_section_that_the_runbook_lost_is_told_by_its_id(lang: str, said: str) -> None:
    one = plan(changed(CLEAR, action=msgspec.structs.replace(CLEAR.action, step="renamed"), after=()))
    told = Cards(words(lang), "lab", Policy(mutations=True), load_runbooks())
    assert said in written(told.step(one, "renamed", INCIDENT))
    assert said in str(told.details(one, "renamed", INCIDENT))
