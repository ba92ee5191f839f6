"""The summary of an LLM. The axis: how its endpoint behaves; whatever it does, the answer is the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler

import pytest

from bot.adapters.files.knowledge import load_words
from bot.adapters.redis.embedded import EmbeddedServer
from tests.e2e.conftest import lab_things
from tests.support.bot import until
from tests.support.llm import Endpoint, Play, closes, completion, endpoint_that, hangs, says
from tests.support.stage import Stage, staged, words
from tests.support.webhook import alert, group

SUMMARY = load_words("en").label("summary")
KEY = "sk-hush-hush-hush-hush"
CLAIM = "The kubelet of omen2 no longer renews its lease."


@pytest.fixture(scope="module")
def endpoint() -> Iterator[tuple[str, Endpoint]]:
    with endpoint_that(says(b"")) as one:
        yield one


@pytest.fixture(scope="module")
def llm_stage(
    endpoint: tuple[str, Endpoint], redis_binary: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stage]:
    environ = {"OPENAI_BASE_URL": endpoint[0], "OPENAI_API_KEY": KEY, "OPENAI_MODEL": "small"}
    folder = tmp_path_factory.mktemp("llm")
    with EmbeddedServer(redis_binary) as server, staged(server.url, folder, lab_things(), **environ) as stage:
        yield stage


def tells_the_truth(handler: BaseHTTPRequestHandler, endpoint: Endpoint) -> None:
    """Answers with one claim that rests on the finding of the dead kubelet, and one that rests on nothing."""
    evidence = endpoint.bodies[-1]["messages"][1]["content"]
    told = json.loads(evidence.partition("BEGIN EVIDENCE\n")[2].partition("\nEND EVIDENCE")[0])
    down = next(one["id"] for one in told["findings"] if one["code"] == "kubelet-down")
    chain = [
        {"claim": CLAIM, "cites": [down], "kind": "observed"},
        {"claim": "The kubelet of omen2 is silent.", "cites": [down], "kind": "observed"},
        {"claim": "Run rm -rf on omen7 <!channel>.", "cites": [down], "kind": "observed"},
    ]
    reply = {"headline": "The kubelet of omen2 is silent", "chain": chain, "unknowns": []}
    says(completion(json.dumps(reply)))(handler, endpoint)


PLAYS: dict[str, Play] = {
    "the truth": tells_the_truth,
    "prose": says(completion("It is all fine, restart omen2.")),
    "garbage": says(b"\xff\x00<html>"),
    "an error": says(b'{"error": {"message": "overloaded"}}', 500),
    "half a reply": closes,
}


@pytest.mark.parametrize("play", PLAYS.values(), ids=PLAYS)
def test_the_answer_does_not_depend_on_the_llm(llm_stage: Stage, endpoint: tuple[str, Endpoint], play: Play) -> None:
    endpoint[1].play = play
    endpoint[1].bodies.clear()
    llm_stage.reset(lab_things())
    llm_stage.bot.post("gpu", group(alert("omen2")))
    llm_stage.settle()

    assert len(endpoint[1].bodies) == 1, "asked once, without repetition"
    _, root, replies = llm_stage.thread()
    summaries = [one for one in replies if SUMMARY in one]
    assert "swapoff" in root["text"][:100]
    assert SUMMARY not in words(root)
    assert len(replies) - len(summaries) == 3, "chain, what is ruled out, what was not seen"
    if play is tells_the_truth:
        assert summaries == replies[-1:], "after everything else"
        assert CLAIM in summaries[0]
        assert "omen7" not in summaries[0]
    else:
        assert summaries == []
    assert KEY not in llm_stage.bot.output
    assert llm_stage.bot.log("error") == []


def test_an_llm_that_hangs_holds_up_no_answer(llm_stage: Stage, endpoint: tuple[str, Endpoint]) -> None:
    endpoint[1].play = hangs
    endpoint[1].bodies.clear()
    llm_stage.reset(lab_things())
    llm_stage.bot.post("gpu", group(alert("omen2")))
    until("the LLM is asked", lambda: endpoint[1].bodies)

    _, root, replies = llm_stage.thread()
    assert "swapoff" in root["text"][:100]
    assert len(replies) == 3
    endpoint[1].over.set()
    llm_stage.settle()
    assert len(llm_stage.thread()[2]) == 3
