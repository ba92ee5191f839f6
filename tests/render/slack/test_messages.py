"""Axes: message, cause seen or not, language, state, count."""

from __future__ import annotations

import msgspec
import pytest

from bot.model.diagnosis import Certainty, Diagnosis, Link, Root, Verdict
from bot.model.findings import Code, Kind
from bot.model.incident import State
from bot.model.refs import Ref
from bot.render.slack.messages import answer_message, changed_message, root_message, thread_messages
from bot.render.slack.notices import folded_message, plain_message, resolved_message
from tests.render.slack.messages import INCIDENT, SEEN, UNSEEN, every_message
from tests.support.answers import AT, DOWN_SINCE, JOURNAL, OMEN2, SWAP_LINE, finding, told, with_journal, words
from tests.support.blockkit import problems, written


@pytest.mark.parametrize("lang", ["en", "ko"])
@pytest.mark.parametrize("diagnosis", [SEEN, UNSEEN], ids=["cause seen", "cause not seen"])
def test_every_message_is_one_that_slack_takes(diagnosis: Diagnosis, lang: str) -> None:
    for message in every_message(diagnosis, lang=lang):
        assert problems(message) == []


@pytest.mark.parametrize("diagnosis", [SEEN, UNSEEN], ids=["cause seen", "cause not seen"])
def test_the_lock_screen_says_state_cluster_object_and_hazard(diagnosis: Diagnosis) -> None:
    first = root_message(told(diagnosis), INCIDENT, words()).text[:100]
    assert first.startswith("OPEN lab node/omen2: DO NOT run swapoff or start the kubelet on omen2 yet")


def test_the_root_message_says_what_is_down_since_when_why_and_what_next() -> None:
    message = written(root_message(told(UNSEEN), INCIDENT, words()))
    unix = int(DOWN_SINCE.timestamp())
    for part in (
        "*OPEN* · lab · node/omen2",
        "*DO NOT run swapoff or start the kubelet on omen2 yet*\nvfio-manager would take the card.",
        "*As far as it was seen: The kubelet of omen2 is down* [observed]",
        f"since <!date^{unix}^{{date_short_pretty}} {{time}}|2026-07-10 15:40 UTC> (111 days)\n",
        "*cause not seen*",
        "• VM gpu-fedora cannot be scheduled",
        "• VM gpu-fedora is pinned to omen2",
        f"```\n{JOURNAL}\n```",
        "Alerts: 3",
    ):
        assert part in message
    assert message.index("DO NOT") < message.index(JOURNAL)


def test_the_root_message_quotes_what_the_root_rests_on_and_who_pasted_it() -> None:
    shown = written(root_message(told(SEEN), INCIDENT, words()))
    assert f"pasted by U0ONCALL, not read by the bot\n```\n{SWAP_LINE}\n```" in shown
    assert "2026-07-10T15:40:00Z" not in written(root_message(told(UNSEEN), INCIDENT, words())), "a time is no quote"


def test_the_root_message_of_a_loop_counts_and_announces() -> None:
    pool = Ref("nodepool", "gpu")
    named = ("repair-policy", "repair-gate", "replacements", "next-deletion")
    facts = tuple(finding(one, pool, Kind.FACT, values={"at": AT, "count": 7}) for one in named)
    loop = finding("node-replacement-loop", pool)
    diagnosis = Diagnosis(
        at=AT, scope=(pool,), verdict=Verdict.BROKEN, roots=(Root(finding=loop),), findings=(loop, *facts)
    )
    shown = written(root_message(told(diagnosis), INCIDENT, words()))
    assert "7 replacements" in shown
    assert "Next deletion: <!date^" in shown


def test_the_thread_tells_the_chain_then_what_is_ruled_out_then_what_was_not_seen() -> None:
    chain, around, gaps = (written(one) for one in thread_messages(told(SEEN), words()))
    assert f"```\n{SWAP_LINE}\n```" in chain
    assert "pasted by U0ONCALL, not read by the bot" in chain
    assert "↓ [observed] *The kubelet of omen2 is down, since <!date^" in chain
    assert chain.index("Root: Swap") < chain.index("*The kubelet of omen2 is down") < chain.index("*VM gpu-fedora")
    assert "*Ruled out*" in around
    assert "*Proves nothing here*" in around
    assert "kubectl get nodepools -A -o yaml" in gaps
    assert "The kubelet of omen3 is down" in gaps


def test_a_reply_without_content_is_not_posted() -> None:
    calm = Diagnosis(at=AT, scope=(OMEN2,), verdict=Verdict.HEALTHY)
    assert thread_messages(told(calm), words()) == ()
    assert problems(root_message(told(calm), INCIDENT, words())) == []


def test_what_is_repaired_says_what_it_was_about_and_that_only_the_alert_is_left() -> None:
    calm = Diagnosis(at=AT, scope=(Ref("node", "gone"), Ref("nodepool", "gpu")), verdict=Verdict.HEALTHY)
    over = msgspec.structs.replace(
        INCIDENT, keys=("gpu-condition-false nodepool/gpu",), state=State.MITIGATED, firing=("a",), sources=("s",)
    )
    message = root_message(told(calm), over, words())
    assert message.text.startswith("MITIGATED lab nodepool/gpu: ")
    assert "The repair is through; the alert still has to resolve." in written(message)


def test_a_paste_says_what_changed_on_top_and_what_was_not_understood() -> None:
    message = changed_message(told(UNSEEN), told(SEEN), ("a <!channel> line", "b"), words())
    shown = written(message)
    assert shown.index("Now: Root: Swap is on at omen2") < shown.index("Before: Cause not seen: The kubelet of omen2")
    assert shown.index("Before: ") < shown.index("DO NOT") < shown.index("Lines of the pasted text")
    assert "new: Swap" not in shown  # the headline says it
    assert "was pasted by U0ONCALL; the bot did not read it itself" in shown
    assert "a &lt;!channel&gt; line" in shown


def test_a_paste_that_changes_nothing_says_so() -> None:
    assert "changes nothing" in written(changed_message(told(UNSEEN), told(UNSEEN), (), words()))


def test_a_paste_that_adds_something_below_the_same_root_says_what() -> None:
    fewer = msgspec.structs.replace(UNSEEN, findings=UNSEEN.findings[:4])
    shown = written(changed_message(told(fewer), told(UNSEEN), (), words()))
    assert "The root stays the same" in shown
    assert "new: VM gpu-fedora is pinned to omen2" in shown
    assert "gone: VM gpu-fedora is pinned" in written(changed_message(told(UNSEEN), told(fewer), (), words()))


@pytest.mark.parametrize("state", State)
def test_short_notices_name_state_cluster_and_object(state: State) -> None:
    incident = msgspec.structs.replace(INCIDENT, state=state, waiting="choice", count=5)
    folded, resolved = folded_message(incident, words()), resolved_message(incident, words())
    told = {State.WAITING: "WAITING FOR a choice"}.get(state, state.value.upper())
    assert folded.text.startswith(f"{told} lab node/omen2: ")
    assert "alert number 5" in folded.text
    assert "why it stopped was not examined" in resolved.text


@pytest.mark.parametrize(
    ("mention", "called"), [("U0ONCALL", True), ("", False), ("!channel", False), ("U1> <!here", False)]
)
def test_a_refusal_calls_one_person_or_nobody(mention: str, called: bool) -> None:
    message = plain_message("No guests.\nAsk <!channel> or @here", words(), mention)
    assert problems(message) == []
    assert message.text.startswith("<@U0ONCALL> ") is called
    assert message.text.count("<") == called


@pytest.mark.parametrize("diagnosis", [SEEN, UNSEEN], ids=["cause seen", "cause not seen"])
def test_the_root_message_is_short(diagnosis: Diagnosis) -> None:
    shown = written(root_message(told(diagnosis), INCIDENT, words())).replace("```\n", "").replace("\n```", "")
    assert len(shown.splitlines()) <= 12


def test_the_root_message_has_one_hazard_and_the_thread_the_others_in_a_line_each() -> None:
    second = finding("do-not-force-delete", OMEN2, Kind.DO_NOT)
    diagnosis = msgspec.structs.replace(UNSEEN, findings=(*UNSEEN.findings, second))
    said = told(diagnosis)
    root, chain = written(root_message(said, INCIDENT, words())), written(thread_messages(said, words())[0])
    assert (root.count("DO NOT"), "force-delete" in root) == (1, False)
    assert chain.splitlines()[0] == "*DO NOT force-delete pods or VMs of omen2*"
    assert "same disk" not in chain


def test_who_pasted_is_mentioned_only_where_it_is_a_member() -> None:
    for name, shown in (("<@U0ONCALL>", "<@U0ONCALL>"), ("<!channel>", "&lt;!channel&gt;"), ("somebody", "somebody")):
        chain = thread_messages(told(with_journal((OMEN2,), name)), words())[0]
        assert problems(chain) == []
        assert f"was pasted by {shown}; the bot did not read it itself" in written(chain)
        assert f"pasted by {shown}, not read by the bot" in written(chain)


def test_an_effect_that_does_not_follow_from_the_line_above_has_another_arrow() -> None:
    aside = finding("operands-stuck", OMEN2)
    links = (*UNSEEN.links, Link((Code("node-not-ready"), OMEN2), aside.key, Certainty.OBSERVED))
    diagnosis = msgspec.structs.replace(UNSEEN, findings=(*UNSEEN.findings, aside), links=links)
    chain = written(thread_messages(told(diagnosis), words())[0])
    assert "↓ [observed] *VM gpu-fedora" in chain
    assert "↳ [observed] *GPU Operator" in chain


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_an_answer_says_how_its_incident_stands_once_people_are_at_a_plan(lang: str) -> None:
    asked = msgspec.structs.replace(INCIDENT, state=State.WAITING, waiting="guard-card", scope=(OMEN2,), keys=())
    plain = answer_message(told(SEEN, lang), words(lang), INCIDENT)
    waiting = answer_message(told(SEEN, lang), words(lang), asked)
    catalogue = words(lang)

    assert written(plain) == written(answer_message(told(SEEN, lang), catalogue)), "of a question without a plan"
    step = catalogue.filled("waiting_step", step="guard-card")
    assert waiting.text.startswith(catalogue.filled("waiting_what", what=step))
    assert catalogue.label("owner_none") in written(waiting)
    assert "guard-card" in written(waiting)
    (button,) = [one for block in waiting.blocks if block["type"] == "actions" for one in block["elements"]]
    assert button["action_id"] == "repair:take"
    assert "omen2" in button["text"]["text"]
    assert SWAP_LINE in written(waiting), "the whole answer still stands there"
    assert problems(waiting) == []
