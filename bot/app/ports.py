"""What the use cases need from outside, as protocols; the adapters and the playground implement them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

import msgspec

from bot.app.requests import Request
from bot.model.diagnosis import Diagnosis
from bot.model.findings import Reporter
from bot.model.hosttext import HostText, Output, PodLog
from bot.model.incident import Incident, Place
from bot.model.message import Document, Message
from bot.model.objects import KubeObject
from bot.model.refs import Ref
from bot.model.sections import NotInstalled, Section, Unknown, UnreadableObject


class Clock(Protocol):
    """The time. World time and decision time are two clocks of this kind."""

    def now(self) -> datetime:
        """The moment, with its zone."""
        ...


class Read(msgspec.Struct, frozen=True, kw_only=True):
    """One request to the API server; empty selectors ask for all."""

    section: Section
    namespace: str = ""
    name: str = ""
    label_selector: str = ""
    field_selector: str = ""


class Pages(msgspec.Struct, frozen=True, kw_only=True):
    """What a `Read` gave; `unreadable` did not decode, `gap` says why the objects are not all."""

    objects: tuple[KubeObject, ...] | Unknown | NotInstalled
    unreadable: tuple[UnreadableObject, ...] = ()
    gap: Unknown | None = None


class Cluster(Protocol):
    """Where objects are read from: a live API server, or a dump of one.

    A dump may answer a read with more than was asked for. Nothing is raised for a failed read: it is `Unknown`.
    """

    @property
    def name(self) -> str:
        """The name that stands on every message."""
        ...

    def read(self, reads: Sequence[Read]) -> tuple[Pages, ...]:
        """Answer the reads, in their order."""
        ...

    def pod_log(self, pod: Ref, container: str, *, previous: bool = False) -> PodLog | Unknown:
        """The last lines of a container's log."""
        ...


class HostTexts(Protocol):
    """What only the hosts know: pasted, dropped as a file, part of a dump."""

    def texts(self, nodes: Sequence[str] | None = None) -> tuple[HostText, ...]:
        """The texts that are there for these nodes; all of them for None."""
        ...


class PasteStore(HostTexts, Protocol):
    """Pastes, kept for a while."""

    def add(self, text: HostText) -> None:
        """Keep a text until it expires."""
        ...

    def forget(self, node: str) -> None:
        """Drop every text of this node."""
        ...


class Recognised(msgspec.Struct, frozen=True, kw_only=True):
    """What a paste turned out to be: host texts with their node, such that name none, and the rest, line by line."""

    texts: tuple[HostText, ...] = ()
    node_unknown: tuple[HostText, ...] = ()
    unrecognised: tuple[str, ...] = ()


class Recogniser(Protocol):
    """Tells journals, kernel logs, `/proc/swaps` and chatter apart."""

    def recognise(self, text: str, reporter: Reporter) -> Recognised:
        """Take a paste apart; every host text carries the reporter."""
        ...

    def outputs(self, text: str, reporter: Reporter) -> tuple[Output, ...]:
        """Take a paste apart without dropping a line, for whoever must know that all of it was understood."""
        ...


class Resolution(Protocol):
    """What words mean."""

    @property
    def refs(self) -> tuple[Ref, ...]:
        """The objects meant."""
        ...

    @property
    def candidates(self) -> tuple[Ref, ...]:
        """Objects that one word may mean, when several bear the name: ask back."""
        ...

    @property
    def unmatched(self) -> tuple[str, ...]:
        """Words that name nothing."""
        ...

    @property
    def unread(self) -> tuple[Section, ...]:
        """Sections in which a name could not be looked up."""
        ...


class Investigation(Protocol):
    """An answer."""

    @property
    def diagnosis(self) -> Diagnosis:
        """What was found."""
        ...


class NoSuchObject(Exception):
    """Nothing of this name is in the cluster, and nothing tells that it ever was."""

    def __init__(self, ref: Ref, why: str) -> None:
        super().__init__(f"{ref}: {why}")
        self.ref = ref


class Investigator(Protocol):
    """Answers questions about the cluster."""

    def resolve(self, words: str) -> Resolution:
        """The objects that these words name: references, or names of live objects.

        Raises:
            MalformedReference: a reference has too few or too many parts.
        """
        ...

    def investigate(self, scope: tuple[Ref, ...]) -> Investigation:
        """Read what the question needs and diagnose it.

        Raises:
            NoSuchObject: a reference names nothing that is there or has left a trace.
        """
        ...


class QueueUnavailable(Exception):
    """The request was not kept, as far as is known: whoever brought it must bring it again."""


class Queue(Protocol):
    """The durable queue between ear and worker."""

    def enqueue(self, request: Request, *, dedupe: Sequence[str]) -> bool:
        """Keep the request for a worker; False if any of the dedupe ids was seen before.

        Raises:
            QueueUnavailable: the server is out of reach or refuses to write.
        """
        ...


class Incidents(Protocol):
    """The incidents of this cluster, shared by all replicas."""

    def open(self, incident: Incident) -> Incident:
        """Create it, unless a source or a key of it belongs to an open incident: then that one, unchanged.

        One of the same id is returned whatever its state, so that a redelivered request finds what it began.
        """
        ...

    def by_id(self, incident_id: str) -> Incident | None:
        """The incident as it is now."""
        ...

    def by_place(self, place: Place) -> Incident | None:
        """The incident of this thread."""
        ...

    def by_source(self, source: str) -> Incident | None:
        """The open incident that this alert group or alert message led to."""
        ...

    def save(self, before: Incident, after: Incident) -> Incident | None:
        """Replace it and return it as stored; None if it is no longer as it was before: read and decide again."""
        ...

    def all_open(self) -> tuple[Incident, ...]:
        """All open incidents that an alert led to, oldest first."""
        ...

    def note_over(self, alerts: Sequence[str]) -> None:
        """Remember that these alerts no longer fire, whether or not they led to an incident yet."""
        ...

    def over(self, alerts: Sequence[str]) -> frozenset[str]:
        """Those of the alerts that were noted as over."""
        ...


class NotInChannel(Exception):
    """The bot is not a member of the channel."""


class PostFailed(Exception):
    """A message could not be delivered for any other reason; the text is Slack's name of it."""


class Undeliverable(PostFailed):
    """It cannot be delivered however often it is tried: an address that is used up, a message that is gone."""


class Poster(Protocol):
    """Puts messages where people read them."""

    def post(self, place: Place, message: Message) -> str:
        """Post into the channel, or into its thread; returns the message's `ts`.

        Raises:
            NotInChannel: the bot may not post there.
            PostFailed: it was not delivered; `Undeliverable` where it never will be.
        """
        ...

    def edit(self, place: Place, ts: str, message: Message) -> None:
        """Replace a message of our own, silently.

        Raises:
            NotInChannel: the bot is no longer in the channel.
            PostFailed: it was not replaced; `Undeliverable` where the message is gone.
        """
        ...

    def upload(self, place: Place, document: Document, message: Message) -> None:
        """Put a file into the channel, or into its thread, with the text of a message beside it.

        Raises:
            NotInChannel: the bot may not post there.
            PostFailed: it is not known to stand there; the text says why, such as a scope that is missing.
        """
        ...

    def respond(self, response_url: str, message: Message) -> None:
        """Answer a command for the eyes of who gave it.

        Raises:
            PostFailed: it was not delivered. The address takes 5 answers within 30 minutes, then it is `Undeliverable`.
        """
        ...


class Presenter(Protocol):
    """Puts what is to be said into words and blocks, in one language; the use cases never see how."""

    def root(self, incident: Incident, diagnosis: Diagnosis) -> Message:
        """The incident's root message: state, cluster, what is down, cause, do-not line, next step."""
        ...

    def thread(self, incident: Incident, diagnosis: Diagnosis) -> tuple[Message, ...]:
        """The chain, what is ruled out, what was not seen, ... as replies."""
        ...

    def changed(self, before: Diagnosis | None, after: Diagnosis, unrecognised: Sequence[str]) -> Message:
        """What a paste changed, and what of it was not understood."""
        ...

    def folded(self, incident: Incident) -> Message:
        """The same incident again: the count."""
        ...

    def resolved(self, incident: Incident) -> Message:
        """The alert no longer fires."""
        ...

    def answer(self, diagnosis: Diagnosis, incident: Incident | None = None) -> Message:
        """The whole answer in one message, for someone who asked; above it how its incident stands, once it does."""
        ...

    def say(self, reason: str, values: Mapping[str, str]) -> Message:
        """A refusal, a question back, the help: a text of the catalogue's `reasons`."""
        ...
