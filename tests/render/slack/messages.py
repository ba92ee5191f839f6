"""Every message about a diagnosis and its incident, as it is put together for Slack."""

from __future__ import annotations

from collections.abc import Iterator

from bot.model.diagnosis import Diagnosis
from bot.model.incident import Incident, Place
from bot.model.message import Message
from bot.render.slack.messages import answer_message, changed_message, root_message, thread_messages
from bot.render.slack.notices import folded_message, resolved_message
from tests.support.answers import AT, OMEN2, told, with_journal, without_journal, words

INCIDENT = Incident(
    id="i1", cluster="lab", keys=("kubelet-down node/omen2",), opened_by="r1", opened_at=AT, place=Place("C1"), count=3
)
SEEN, UNSEEN = with_journal((OMEN2,)), without_journal((OMEN2,))


def every_message(diagnosis: Diagnosis, incident: Incident = INCIDENT, lang: str = "en") -> Iterator[Message]:
    said, catalogue = told(diagnosis, lang), words(lang)
    yield root_message(said, incident, catalogue)
    yield from thread_messages(said, catalogue)
    yield answer_message(said, catalogue)
    yield changed_message(None, said, (), catalogue)
    yield changed_message(told(without_journal()), said, ("what is this",), catalogue)
    yield folded_message(incident, catalogue)
    yield resolved_message(incident, catalogue)
