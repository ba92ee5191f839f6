"""A person pastes text of a host into one of the bot's threads: recognise it, and diagnose anew with it.

Only what was understood as a host's text is kept. A text that names no node waits, apart from all nodes, until
somebody in the thread says which one it is of.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from bot.app.afterwards import Repair
from bot.app.incidents import keys_of, opening, sharpened
from bot.app.looking import is_fallback, look
from bot.app.ports import Investigator, PasteStore, Recognised, Recogniser
from bot.app.requests import Paste
from bot.app.threads import Threads, as_is
from bot.model.diagnosis import Diagnosis
from bot.model.findings import Reporter
from bot.model.hosttext import HostText
from bot.model.incident import Incident, Place
from bot.model.refs import MalformedReference, Ref, node

#: A line of chatter that is quoted back as not understood.
_MOST_QUOTED = 80


class Pastes:
    """The use case of pastes.

    Args:
        cluster: the cluster's name.
        investigator: answers about the cluster, and reads `pastes`.
        recogniser: tells texts of hosts from the rest.
        pastes: texts whose node is known.
        waiting: texts whose node is not, kept by thread and read by nobody else.
        threads: the incidents' threads.
        repair: offers the plan that a sharper diagnosis leads to; None where there is no repair.
    """

    def __init__(
        self,
        *,
        cluster: str,
        investigator: Investigator,
        recogniser: Recogniser,
        pastes: PasteStore,
        waiting: PasteStore,
        threads: Threads,
        repair: Repair | None = None,
    ) -> None:
        self._cluster = cluster
        self._investigator = investigator
        self._recogniser = recogniser
        self._pastes = pastes
        self._waiting = waiting
        self._threads = threads
        self._repair = repair

    def take(self, paste: Paste) -> None:
        """Take a paste: re-open the diagnosis, ask for the node, or say what was not understood.

        One that comes with the question itself may be taken before it, or instead of it; then it begins the thread.
        """
        found = self._recogniser.recognise(paste.text, Reporter(f"<@{paste.user}>", paste.at))
        incident = self._threads.incidents.by_place(paste.place)
        if incident is None:
            if not (found.texts or found.node_unknown or _is_for_us(paste)):
                return
            incident = self._begun(paste)
        if found.texts:
            self._reopen(incident, paste, found.texts, found.unrecognised)
        elif not found.node_unknown:
            self._named_node_or_chatter(incident, paste, found)
        if found.node_unknown:
            self._ask_for_node(incident, paste, found.node_unknown)

    def _begun(self, paste: Paste) -> Incident:
        began = opening(cluster=self._cluster, request_id=paste.id, at=self._threads.clock.now(), place=paste.place)
        return self._threads.incidents.open(began)

    def _reopen(
        self, incident: Incident, paste: Paste, texts: Sequence[HostText], unrecognised: Sequence[str]
    ) -> Incident:
        """Diagnose with the texts, say what changed, and bring the root message up to date."""
        nodes = dict.fromkeys(text.node for text in texts)
        # A redelivered paste is in the store already: what was known before it cannot be told any more.
        is_kept = all(text in self._pastes.texts(list(nodes)) for text in texts)
        before = look(self._investigator, incident.scope)[1] if incident.scope and not is_kept else None
        for text in texts:
            self._pastes.add(text)
        known = self._known(nodes)
        asked = (*incident.scope, *known)
        seen, after = look(self._investigator, asked)
        incident = self._threads.once(
            incident, f"{paste.id}/changed", lambda one: one.changed(before, after, unrecognised)
        )
        now = self._threads.clock.now()
        incident = self._threads.update(incident, lambda one: sharpened(one, keys_of(after), known, now))
        self._threads.edit_root(incident, after)
        incident = self._chain_anew(incident, paste, before, after)
        # Of a host that is no node of this cluster, the whole cluster's faults are not the paste's.
        if self._repair is not None and asked and not is_fallback(asked, seen):
            self._repair.offer(incident, after)
            incident = self._threads.incidents.by_id(incident.id) or incident
        return incident

    def _chain_anew(self, incident: Incident, paste: Paste, before: Diagnosis | None, after: Diagnosis) -> Incident:
        """Post the chain again where the paste changed it: an edit is silent, and the old one stands in the thread."""
        presenter = self._threads.presenter_of(incident.place.channel)
        stood = [one.blocks for one in presenter.thread(incident, before)[:1]] if before else []
        for message in presenter.thread(incident, after)[:1]:
            if message.blocks not in stood:
                incident = self._threads.once(incident, f"{paste.id}/chain", as_is(message))
        return incident

    def _ask_for_node(self, incident: Incident, paste: Paste, texts: Iterable[HostText]) -> None:
        for text in texts:
            self._waiting.add(msgspec.structs.replace(text, node=_thread(incident.place)))
        nodes = ", ".join(one.name for one in incident.scope if one.kind == "node")
        values = {"nodes": nodes or "?", "mention": paste.user}
        self._threads.once(incident, f"{paste.id}/which-node", lambda one: one.say("desk-which-node", values))

    def _named_node_or_chatter(self, incident: Incident, paste: Paste, found: Recognised) -> None:
        """The answer to "which node?", a paste that nobody understands, or people talking to each other."""
        waits = self._waiting.texts([_thread(incident.place)])
        name = self._node(paste.text) if waits else ""
        if name:
            texts = [msgspec.structs.replace(text, node=name) for text in waits]
            self._reopen(incident, paste, texts, ())
            self._waiting.forget(_thread(incident.place))
        elif _is_for_us(paste):
            values = {"lines": "\n".join(one[:_MOST_QUOTED] for one in found.unrecognised[:3]), "mention": paste.user}
            self._threads.once(
                incident, f"{paste.id}/not-understood", lambda one: one.say("desk-not-understood", values)
            )

    def _node(self, words: str) -> str:
        """The node that these words name, empty unless it is exactly one."""
        try:
            meant = self._investigator.resolve(words)
        except MalformedReference:
            # People talk; this was not the name of a node.
            return ""
        names = [one.name for one in meant.refs if one.kind == "node"]
        return names[0] if len(names) == 1 else ""

    def _known(self, nodes: Iterable[str]) -> tuple[Ref, ...]:
        """Those that are nodes of this cluster: a host may write a shorter name into its journal."""
        return tuple(node(name) for one in nodes if (name := self._node(f"node {one}")))


def _thread(place: Place) -> str:
    """Under which name the texts of this thread wait, in the place of a node's."""
    return f"{place.channel}:{place.thread}"


def _is_for_us(paste: Paste) -> bool:
    return paste.addressed or looks_pasted(paste.text)


def looks_pasted(text: str) -> bool:
    """Whether a text was copied from somewhere: people talk in single lines."""
    return "\n" in text.strip()
