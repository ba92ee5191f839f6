"""Axes: kind, name and namespace given or not, form with a space or a slash, names that cannot be."""

import pytest

from bot.app.requests import PressKind
from bot.entry.slack.words import Help, Look, Order, Search, Unclear, parse
from bot.model.refs import CLUSTER, KINDS, NAMESPACED, Ref


@pytest.mark.parametrize("text", ["", "  ", "help", "HELP"])
def test_nothing_and_help_ask_for_help(text: str) -> None:
    assert parse(text) == Help()


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_is_read_with_a_space_and_with_a_slash(kind: str) -> None:
    name = "ns/name-1" if kind in NAMESPACED else "name-1"
    wanted = Ref(kind, "name-1", "ns" if kind in NAMESPACED else "")
    assert parse(f"{kind} {name}") == parse(f"{kind}/{name}") == parse(f"{kind.upper()} `{name}`") == Look(wanted)


def test_the_cluster_is_asked_for_by_one_word() -> None:
    assert parse("cluster") == parse("Cluster") == Look(CLUSTER)
    assert parse("cluster is slow") == Search("cluster is slow")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("omen2", "omen2"),
        ("why is omen2 down?", "why is omen2 down?"),
        ("node omen2 is down", "node omen2 is down"),
        ("vm gpu-fedora", "vm gpu-fedora"),
        ("nodes", "nodes"),
        ("help me with omen2", "help me with omen2"),
    ],
)
def test_other_words_are_searched_for_names(text: str, words: str) -> None:
    assert parse(text) == Search(words)


@pytest.mark.parametrize(
    ("text", "reason", "value"),
    [
        ("node", "slack-name-missing", ("shape", "node NAME")),
        ("vm", "slack-name-missing", ("shape", "vm NAMESPACE/NAME")),
        ("node/", "slack-name-missing", ("kind", "node")),
        ("node a/b", "slack-reference-malformed", ("words", "node a/b")),
        ("vm a/b/c", "slack-reference-malformed", ("shape", "vm NAMESPACE/NAME")),
        ("pod /x", "slack-reference-malformed", ("words", "pod /x")),
        ("node Omen_2", "slack-name-invalid", ("name", "Omen_2")),
        ("node <@U1>", "slack-name-invalid", ("name", "<@U1>")),
        ("vm ns/-x", "slack-name-invalid", ("name", "-x")),
        ("vm NS/x", "slack-name-invalid", ("name", "NS")),
        ("vm X", "slack-name-invalid", ("name", "X")),
    ],
)
def test_what_is_wrong_is_named(text: str, reason: str, value: tuple[str, str]) -> None:
    with pytest.raises(Unclear) as why:
        parse(text)
    assert why.value.reason == reason
    assert value in why.value.values.items()


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("open", Order(PressKind.OPEN)),
        ("Freeze", Order(PressKind.FREEZE)),
        ("freeze the room burns", Order(PressKind.FREEZE, "the room burns")),
        ("unfreeze", Order(PressKind.UNFREEZE)),
    ],
)
def test_orders_are_one_word_and_freeze_takes_a_reason(text: str, order: Order) -> None:
    assert parse(text) == order


@pytest.mark.parametrize("text", ["open the pod bay doors", "unfreeze omen2 please"])
def test_a_sentence_that_begins_like_an_order_is_none(text: str) -> None:
    assert parse(text) == Search(text)
