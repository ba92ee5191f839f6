"""Axes: what a button carries, what comes back: whole, cut, too long, of another cluster."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.model.cards import NoToken, Token, cluster_mark

TOKEN = Token(cluster=cluster_mark("lab"), plan="plan0001", part="guard-card", digest="d" * 64)


def test_a_token_comes_back_with_the_first_half_of_the_digest() -> None:
    read = Token.read(TOKEN.written())
    assert (read.plan, read.part, read.cluster) == ("plan0001", "guard-card", cluster_mark("lab"))
    assert read.digest == "d" * 32


def test_a_value_names_neither_cluster_nor_parameters() -> None:
    assert "lab" not in TOKEN.written()
    assert len(TOKEN.written()) < 150


@pytest.mark.parametrize("value", ["", "a", "a|b|c", "a|b|c|d|e", "|b|c|d", "a|b|c|d\n", f"{'a' * 65}|b|c|d"])
def test_what_we_did_not_write_is_refused(value: str) -> None:
    with pytest.raises(NoToken):
        Token.read(value)


def test_an_id_with_the_separator_cannot_be_written() -> None:
    with pytest.raises(NoToken):
        Token(cluster="c", plan="a|b").written()


@given(st.text())
def test_any_text_is_a_token_or_refused(value: str) -> None:
    with contextlib.suppress(NoToken):
        assert Token.read(value).written()


def test_clusters_have_marks_of_their_own() -> None:
    assert cluster_mark("lab") != cluster_mark("lab2")
