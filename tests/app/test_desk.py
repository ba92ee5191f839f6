"""Axes: what the words mean; where the question stands; what a paste holds and where; where the process dies."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.app.requests import Ask, Request
from bot.model.incident import Place
from bot.model.refs import node
from bot.model.sections import Section
from tests.app.desk import CHANNEL, World, alert, ask, group, message, paste

JOURNAL = "omen2: E0710 15:39:51 run.go:72] running with swap on is not supported"
URL = "https://hooks.example/1"


@pytest.mark.parametrize(
    ("question", "thread"),
    [(ask("q1", "omen2"), "1000.0"), (ask("q1", "omen2", "5.0"), "5.0"), (ask("q1", "omen2", url=URL), "1000.0")],
    ids=["in the channel", "in a thread", "by a command"],
)
def test_a_question_is_answered_where_it_stands(world: World, question: Ask, thread: str) -> None:
    world.down = {"omen2"}
    world.handle(question, question)

    assert world.board.threads == {(CHANNEL, thread): ["answer: node/omen2"]}
    assert world.incidents() == [], "a question is no alert"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("gpu-fedora", "desk-which candidates=vm/vms/gpu-fedora, vm/lab/gpu-fedora count=2 mention=U0ONCALL"),
        ("what is this", "desk-nothing-named cluster=omen mention=U0ONCALL words=what is this"),
        ("", "desk-nothing-named cluster=omen mention=U0ONCALL words="),
        (
            "vm/gpu-fedora",
            "desk-malformed mention=U0ONCALL shape=vm/NAMESPACE/NAME text='vm/gpu-fedora' why=reference-shape",
        ),
    ],
)
@pytest.mark.parametrize("url", ["", URL])
def test_what_is_not_clear_is_asked_back(world: World, words: str, said: str, url: str) -> None:
    world.handle(ask("q1", words, url=url))

    assert ([one.text for one in world.board.posts], world.board.answers) == (
        ([], [(URL, said)]) if url else ([said], [])
    )
    assert world.cluster.asked == []


def test_names_that_could_not_be_looked_up_are_no_nothing(world: World) -> None:
    world.cluster.unread = (Section.NODES,)
    world.handle(ask("q1", "omen9"))

    assert [one.text for one in world.board.posts] == ["desk-names-unread mention=U0ONCALL sections=nodes"]


@pytest.mark.parametrize("url", [URL, ""])
def test_where_the_bot_is_not_it_says_so_over_the_command_s_own_way(redis_url: str, url: str) -> None:
    world = World(redis_url, absent_from=[CHANNEL])
    world.handle(ask("q1", "omen2", url=url))

    assert world.board.answers == ([(URL, "desk-not-in-channel cluster=omen mention=U0ONCALL")] if url else [])


@pytest.mark.parametrize(
    ("never", "said"),
    [({"post"}, [(URL, "desk-not-posted mention=U0ONCALL why=post: refused")]), ({"post", "respond"}, [])],
    ids=["an archived channel", "and an address that is used up"],
)
def test_what_can_never_be_delivered_is_not_tried_again(world: World, never: set[str], said: list[object]) -> None:
    world.board.never = never
    world.handle(ask("q1", "omen2", url=URL), group("r1", alert("omen2")))
    assert (world.board.posts, world.board.answers) == ([], said)


def test_a_root_message_that_somebody_deleted_holds_up_nothing(world: World) -> None:
    world.down = {"omen2"}
    world.handle(group("r1", alert("omen2")))
    world.board.never = {"edit"}
    world.handle(
        group("r2", alert("omen2", world.clock.at + timedelta(hours=1)), key="g2"), paste("p1", JOURNAL, "1000.0")
    )

    ((_, *replies),) = world.board.threads.values()
    assert replies[-3:] == ["again: x2", "changed: kubelet-down -> kubelet-swap-on", "chain"]


def test_a_question_in_an_incident_s_thread_is_answered_there_once(world: World) -> None:
    world.down = {"omen2", "omen3"}
    world.handle(group("r1", alert("omen2")))
    question = ask("q1", "omen3", "1000.0")
    world.handle(question, question)

    ((root, *replies),) = world.board.threads.values()
    assert root == "OPEN x1: kubelet-down node/omen2"
    assert replies == ["chain", "not seen", "answer: node/omen3"]


def test_an_alert_does_not_fold_into_a_conversation(world: World) -> None:
    world.down = {"omen2"}
    world.handle(ask("q1", "omen2", channel="C0RANDOM"), group("r1", alert("omen2")))

    assert {channel for channel, _ in world.board.threads} == {"C0RANDOM", CHANNEL}


@pytest.mark.parametrize(
    ("opening", "thread", "root"),
    [
        (group("r1", alert("omen2")), "1000.0", "OPEN x1: kubelet-swap-on node/omen2"),
        (message("r1", "omen2 down", "5.0"), "5.0", "OPEN x1: kubelet-swap-on node/omen2"),
        (ask("r1", "omen2"), "1000.0", "answer: node/omen2"),
        (ask("r1", "omen2", "5.0"), "5.0", "answer: node/omen2"),
    ],
    ids=["a group", "an alert message", "a command", "a mention"],
)
def test_a_paste_sharpens_the_answer_in_its_thread(world: World, opening: Request, thread: str, root: str) -> None:
    world.down = {"omen2"}
    world.handle(opening, paste("p1", JOURNAL + "\nwho knows", thread))

    ((first, *replies),) = world.board.threads.values()
    assert first == root
    assert replies[-2:] == ["changed: kubelet-down -> kubelet-swap-on | who knows", "chain"]
    (kept,) = world.pastes.texts()
    assert kept.reporter is not None
    assert (kept.node, kept.reporter.name) == ("omen2", "<@U0ONCALL>")


def test_after_a_paste_the_incident_is_known_by_its_new_root_too(world: World) -> None:
    world.down = {"omen2"}
    world.handle(group("r1", alert("omen2")), paste("p1", JOURNAL, "1000.0"))

    (incident,) = world.incidents()
    assert incident.keys == ("kubelet-down node/omen2", "kubelet-swap-on node/omen2")
    world.handle(group("r2", alert("omen2", world.clock.at + timedelta(hours=1)), key="g2"))
    assert len(world.board.threads) == 1


def test_a_paste_of_another_node_widens_the_incident(world: World) -> None:
    world.down = {"omen2", "omen3"}
    world.handle(group("r1", alert("omen2")), paste("p1", JOURNAL.replace("omen2", "omen3"), "1000.0"))

    assert world.incidents()[0].scope == (node("omen2"), node("omen3"))


def test_a_paste_that_names_no_node_waits_for_one(world: World) -> None:
    world.down = {"omen2"}
    world.handle(group("r1", alert("omen2")), paste("p1", "?: running with swap on", "1000.0"))
    assert world.board.posts[-1].text == "desk-which-node mention=U0ONCALL nodes=omen2"
    assert world.pastes.texts() == (), "evidence of no node"

    world.handle(paste("p2", "I think", "1000.0"), paste("p3", "omen2", "1000.0"))

    assert world.board.posts[-2].text == "changed: kubelet-down -> kubelet-swap-on"
    assert [one.node for one in world.pastes.texts()] == ["omen2"]
    assert world.waiting.texts() == ()


def test_what_waits_in_one_thread_is_not_given_to_another_s_node(world: World) -> None:
    world.down = {"omen2", "omen3"}
    world.handle(group("r1", alert("omen2")), group("r2", alert("omen3"), key="g2"))
    (_, first), (_, second) = world.board.threads
    world.handle(paste("p1", "?: running with swap on", first), paste("p2", "omen3", second))

    assert world.pastes.texts() == ()


@pytest.mark.parametrize(
    ("text", "is_addressed", "is_answered"),
    [("I am on it", False, False), ("omen2", False, False), ("one\ntwo", False, True), ("x", True, True)],
    ids=["chatter", "a name that nobody asked for", "several lines", "addressed"],
)
def test_only_what_was_meant_for_the_bot_is_said_to_be_not_understood(
    world: World, text: str, is_addressed: bool, is_answered: bool
) -> None:
    world.down = {"omen2"}
    world.handle(group("r1", alert("omen2")), paste("p1", text, "1000.0", addressed=is_addressed))

    assert world.board.posts[-1].text.startswith("desk-not-understood") is is_answered
    assert len(world.board.posts) == 3 + is_answered


def test_nothing_of_what_people_say_to_each_other_is_kept(world: World) -> None:
    world.down = {"omen2"}
    world.handle(group("r1", alert("omen2")), paste("p1", f"canary-7 says\nfoo canary-8\n{JOURNAL}", "1000.0"))
    stored = world.everything_stored()

    assert b"canary" not in stored
    assert b"running with swap on" in stored, "what was understood is"


@pytest.mark.parametrize("is_first", [True, False], ids=["before its question", "after it"])
def test_a_paste_beside_its_question_is_taken_in_either_order(world: World, is_first: bool) -> None:
    world.down = {"omen2"}
    both = [paste("q1:files", JOURNAL, "5.0"), ask("q1", "omen2", "5.0")]
    world.handle(*(both if is_first else reversed(both)))

    ((_, said),) = world.board.threads.items()
    changed = "changed: ? -> kubelet-swap-on" if is_first else "changed: kubelet-down -> kubelet-swap-on"
    assert sorted(said) == ["answer: node/omen2", "chain", changed]
    assert [one.node for one in world.pastes.texts()] == ["omen2"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (JOURNAL, ["changed: ? -> kubelet-swap-on", "chain"]),
        ("?: running with swap on", ["desk-which-node mention=U0ONCALL nodes=?"]),
        ("one\ntwo", ["desk-not-understood lines=one\ntwo mention=U0ONCALL"]),
        ("I am on it", []),
    ],
    ids=["a text of a node", "a text of no node", "no text of a host", "chatter"],
)
def test_a_paste_alone_begins_a_thread_if_it_was_meant_for_the_bot(world: World, text: str, said: list[str]) -> None:
    world.down = {"omen2"}
    world.handle(paste("p1", text, "5.0"), paste("p1", text, "5.0"))

    assert world.board.threads == ({(CHANNEL, "5.0"): said} if said else {})
    assert (world.store.by_place(Place(CHANNEL, "5.0")) is not None) == bool(said)
    assert world.incidents() == [], "a conversation is no alert"


def test_dying_with_a_paste_repeats_only_what_was_not_noted(world: World) -> None:
    world.down = {"omen2"}
    world.handle(group("r1", alert("omen2")))
    deaths = world.handle_dying(paste("p1", JOURNAL, "1000.0"))

    told = [one.text for one in world.board.posts][3:]
    assert deaths == 2
    assert told == ["changed: kubelet-down -> kubelet-swap-on", "changed: ? -> kubelet-swap-on", "chain", "chain"]
    assert len(world.pastes.texts()) == 1


@pytest.mark.parametrize(
    "request_",
    [group("r1", alert("omen2")), message("r1", "omen2", "5.0"), ask("r1", "omen2"), paste("r1", JOURNAL, "5.0")],
    ids=lambda one: type(one).__name__,
)
def test_giving_up_is_said_where_the_answer_would_stand(world: World, request_: Request) -> None:
    world.desk.give_up(request_)

    ((place, text),) = [(one.place, one.text) for one in world.board.posts]
    assert place == request_.place
    assert text.startswith("desk-gave-up")


def test_giving_up_a_command_is_said_over_its_own_way(world: World) -> None:
    world.desk.give_up(ask("q1", "omen2", url=URL))

    assert world.board.answers == [(URL, "desk-gave-up mention=U0ONCALL request=q1")]


def test_an_alert_where_the_bot_is_not_is_not_tried_again(redis_url: str) -> None:
    world = World(redis_url, absent_from=[CHANNEL])
    world.handle(group("r1", alert("omen2")))

    assert world.board.posts == []


def test_a_place_without_thread_has_no_incident(world: World) -> None:
    assert world.store.by_place(Place(CHANNEL)) is None
