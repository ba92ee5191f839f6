"""A cluster that the bot may not read whole. The axis: the section that the API server refuses or cannot give."""

from __future__ import annotations

import pytest

from bot.adapters.files.knowledge import load_words
from bot.model.diagnosis import Verdict
from bot.model.sections import Section
from bot.playground.apiserver.faults import Effect, Fault
from tests.e2e.test_questions import ask
from tests.support.stage import Stage, words

LABELS = load_words("en")
HEALTHY, UNKNOWN = (LABELS.label(one.value) for one in (Verdict.HEALTHY, Verdict.UNKNOWN))
#: What this cluster serves and some check asks for: without Karpenter nobody looks at its Deployment.
SERVED = [one for one in Section if one not in (Section.NODECLAIMS, Section.NODEPOOLS, Section.DEPLOYMENTS)]


def test_a_well_node_of_a_cluster_that_is_seen_whole_is_healthy(stage: Stage) -> None:
    ask(stage, "node worker1")
    assert stage.thread()[1]["text"].startswith(f"{HEALTHY} lab node/worker1")


@pytest.mark.parametrize("section", SERVED, ids=[one.value for one in SERVED])
@pytest.mark.parametrize("effect", [Effect.FORBIDDEN, Effect.CUT], ids=["forbidden", "cut"])
def test_what_was_not_seen_is_said_and_never_healthy(stage: Stage, section: Section, effect: Effect) -> None:
    stage.cluster.faults.add(Fault(effect=effect, plural=section.value))
    ask(stage, "node worker1")
    _, answer, _ = stage.thread()
    assert answer["text"].startswith(f"{UNKNOWN} lab node/worker1"), words(answer)
    assert section.value in words(answer)


def test_a_cluster_that_refuses_everything_is_unknown(stage: Stage) -> None:
    stage.cluster.faults.add(Fault(effect=Effect.FORBIDDEN))
    ask(stage, "cluster")
    _, answer, _ = stage.thread()
    assert answer["text"].startswith(f"{UNKNOWN} lab cluster")


def test_names_that_cannot_be_looked_up_are_not_said_to_be_nothing(stage: Stage) -> None:
    stage.cluster.faults.add(Fault(effect=Effect.FORBIDDEN, plural="virtualmachines"))
    ask(stage, "gpu-fedora")
    (said,) = (words(one) for one in stage.slack.calls_of("response_url"))
    assert "virtualmachines" in said
