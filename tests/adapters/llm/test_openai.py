"""The endpoint as it may behave, played by a real server on loopback; deadlines are arguments, nothing is timed."""

from __future__ import annotations

import pytest

from bot.adapters.llm.openai import LARGEST, OpenAiWriter
from bot.app.ports.writer import Writer, WriterFailed
from tests.support.llm import Play, closes, completion, drips, endpoint_that, hangs, says

KEY = "sk-" + "test" * 8


def test_a_good_endpoint_is_asked_once_without_tools() -> None:
    with endpoint_that(says(completion("words"))) as (url, endpoint):
        writer: Writer = OpenAiWriter(url, KEY, "small")
        assert writer.write("instructions", "evidence") == "words"
    body = endpoint.bodies[0]
    assert body["messages"] == [
        {"role": "system", "content": "instructions"},
        {"role": "user", "content": "evidence"},
    ]
    assert body["model"] == "small"
    assert not {"tools", "functions", "tool_choice"} & body.keys()
    assert endpoint.keys == [f"Bearer {KEY}"]


BAD: dict[str, tuple[Play, str]] = {
    "garbage": (says(b"<html>no</html>"), "no chat completion"),
    "no utf-8": (says(b'{"choices": [{"message": {"content": "\xff"}}]}'), "no chat completion"),
    "another object": (says(b'{"error": "x"}'), "no chat completion"),
    "no choice": (says(b'{"choices": []}'), "an empty chat completion"),
    "no content": (says(completion(None)), "an empty chat completion"),
    "content that is no text": (says(completion([1])), "no chat completion"),
    "401": (says(b'{"error": {"message": "Incorrect API key provided: ' + KEY.encode() + b'"}}', 401), "status 401"),
    "429": (says(b'{"error": {"message": "slow down"}}', 429), "status 429"),
    "500": (says(b"", 500), "status 500"),
    "huge": (says(completion("x" * (LARGEST * 4))), f"more than {LARGEST} bytes"),
}


@pytest.mark.parametrize(("play", "reason"), BAD.values(), ids=BAD)
def test_a_bad_endpoint_is_a_reason_asked_once_and_the_key_is_not_told(play: Play, reason: str) -> None:
    with endpoint_that(play) as (url, endpoint), pytest.raises(WriterFailed) as failed:
        OpenAiWriter(url, KEY, "small").write("instructions", "evidence")
    assert str(failed.value) == reason
    assert len(endpoint.bodies) == 1


@pytest.mark.parametrize("play", [hangs, drips], ids=["hang", "slow drip"])
def test_an_endpoint_without_end_is_abandoned_at_the_deadline(play: Play) -> None:
    with endpoint_that(play) as (url, _endpoint), pytest.raises(WriterFailed, match=r"no answer within 0\.3 s|Timeout"):
        OpenAiWriter(url, KEY, "small", deadline=0.3).write("instructions", "evidence")


def test_a_dripping_connection_is_closed_after_it_was_abandoned() -> None:
    with endpoint_that(drips) as (url, endpoint):
        with pytest.raises(WriterFailed):
            OpenAiWriter(url, KEY, "small", deadline=0.3).write("instructions", "evidence")
        assert endpoint.over.wait(20)


def test_a_connection_that_breaks_is_a_reason() -> None:
    with endpoint_that(closes) as (url, _endpoint), pytest.raises(WriterFailed) as failed:
        OpenAiWriter(url, KEY, "small").write("instructions", "evidence")
    assert KEY not in str(failed.value)


def test_nobody_listens() -> None:
    with endpoint_that(says(b"")) as (url, _endpoint):
        pass
    with pytest.raises(WriterFailed, match="APIConnectionError"):
        OpenAiWriter(url, KEY, "small").write("instructions", "evidence")
