"""Axes: what cannot be prepared, and why; what is as wanted already."""

from __future__ import annotations

import pytest

from bot.adapters.files.knowledge import load_words
from bot.app.repair.ports import CannotPrepare, Draft, Prepared
from bot.model.refs import Ref
from bot.narrate.reasons import in_words
from bot.remedy.rules import because
from bot.remedy.runbook import Verb
from tests.conformance.scenes import BAD, CONFIG, GATES, MODE
from tests.support.servers import ApiServer
from tests.support.steps import draft
from tests.support.things import config_map, node, workload

ENGLISH = load_words("en")
UNFIT = {
    "half a label": (draft(Verb.LABEL_NODE, "node/n1", label=MODE), "lacks parameters: value"),
    "a pool itself": (draft(Verb.CLEAR_CONDITION, "nodepool/gpu", condition=BAD), "acts on node, and"),
    "the wrong kind": (draft(Verb.CORDON, "pod/default/n1"), "acts on node, and"),
    "a person's verb": (draft(Verb.HOST, "node/n1"), "not done through the Kubernetes API"),
    "not there": (draft(Verb.CORDON, "node/gone"), "node/gone is not there"),
    "a label that cannot be": (draft(Verb.LABEL_NODE, "node/n1", label="a b", value="c"), "HTTP 422"),
    "no such container": (
        draft(Verb.SET_ENV, "deploy/default/karpenter", container="other", name="A", value="b"),
        "no container other",
    ),
    "a value from elsewhere": (
        draft(Verb.SET_ENV, "deploy/default/karpenter", container="main", name="POD", value="b"),
        "takes its value from elsewhere",
    ),
    "a paused rollout": (draft(Verb.ROLLOUT_RESTART, "deploy/default/paused"), "paused"),
    "a strategy without rollout": (draft(Verb.ROLLOUT_RESTART, "ds/default/manual"), "OnDelete"),
    "not YAML": (
        draft(Verb.PATCH_CONFIGMAP, "configmap/default/agent", key="bad", path="a.b", value="1"),
        "not YAML",
    ),
    "no mapping": (
        draft(Verb.PATCH_CONFIGMAP, "configmap/default/agent", key="c", path="monitors.nvidia.enabled.x", value="1"),
        "holds no keys",
    ),
    "another condition": (draft(Verb.CLEAR_CONDITION, "node/n1", condition="Ready"), "Ready is none of"),
    "the bot's own pod": (draft(Verb.EVICT_POD, "pod/gpu-autopsy/p1"), "the bot's own"),
    "the bot itself": (draft(Verb.ROLLOUT_RESTART, "deploy/gpu-autopsy/redis"), "the bot's own"),
    "the freeze": (
        draft(Verb.PATCH_CONFIGMAP, "configmap/gpu-autopsy/autopsy-freeze", key="frozen", value=""),
        "the bot's own",
    ),
    "a selection that nobody knows": (
        Draft(verb=Verb.CORDON, target=Ref("node", "n1"), select="zone=a"),
        "not a selection of the form nodepool=NAME",
    ),
}


@pytest.mark.parametrize("case", UNFIT)
def test_what_cannot_be_prepared(server: ApiServer, case: str) -> None:
    drafted, words = UNFIT[case]
    api = server.api()
    api.create(node("n1"))
    pod_name = {"name": "POD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}
    api.create(workload("Deployment", "karpenter", GATES, pod_name))
    api.create(workload("Deployment", "paused", paused=True))
    api.create(workload("DaemonSet", "manual", updateStrategy={"type": "OnDelete"}))
    api.create(config_map("agent", bad="a: [", c=CONFIG))
    with server.proxied() as proxy:
        with pytest.raises(CannotPrepare) as why:
            server.hands(proxy=proxy).prepare(drafted)
        assert proxy.writes == []
    told = in_words(ENGLISH, "repair-cannot-prepare", because({"subject": "it"}, why.value.why, why.value.values))
    assert words in told
    assert "…" not in told, "no blank is left"


def test_what_is_as_wanted_has_no_difference(server: ApiServer) -> None:
    server.api().create(node("n1", labels={MODE: "container"}))
    prepared = server.hands().prepare(draft(Verb.LABEL_NODE, "node/n1", label=MODE, value="container"))
    assert isinstance(prepared, Prepared)
    assert prepared.diff == ""
