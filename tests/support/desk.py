"""Small stand-ins for what the desk talks to: they record, and say in one plain line what a message would hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from threading import Lock

import msgspec

from bot.app.ports import NoSuchObject, NotInChannel, PostFailed, Recognised, SharedOutside, Undeliverable
from bot.model.diagnosis import Certainty, Diagnosis, Link, Root, Verdict
from bot.model.findings import Code, Evidence, Finding, Reporter
from bot.model.hosttext import HostSource, HostText, Output
from bot.model.incident import Incident, Place
from bot.model.message import Document, Message
from bot.model.refs import CLUSTER, Ref
from bot.model.sections import Section

AT = datetime(2026, 7, 10, 15, 0, tzinfo=UTC)


class Dies(Exception):
    """The process ends here."""


def fault(code: str, subject: str | Ref, *, pool: str = "", pasted_by: str = "") -> Finding:
    """A fault with one piece of evidence."""
    ref = Ref.parse(subject) if isinstance(subject, str) else subject
    reporter = Reporter(pasted_by) if pasted_by else None
    return Finding(
        code=Code(code),
        subject=ref,
        evidence=(Evidence(source="kubernetes", object=ref, reporter=reporter),),
        refs={"nodepool": (Ref("nodepool", pool),)} if pool else {},
    )


def chains(*each: Sequence[Finding], unseen: Sequence[str] = ()) -> Diagnosis:
    """A diagnosis of these chains, each from its root to its last effect; `unseen` could stand before the roots."""
    findings = tuple(dict.fromkeys(one.key for chain in each for one in chain))
    by_key = {one.key: one for chain in each for one in chain}
    return Diagnosis(
        at=AT,
        scope=(CLUSTER,),
        verdict=Verdict.BROKEN if each else Verdict.HEALTHY,
        roots=tuple(Root(finding=chain[0], open_causes=tuple(Code(one) for one in unseen)) for chain in each),
        links=tuple(
            Link(cause.key, effect.key, Certainty.OBSERVED) for chain in each for cause, effect in pairwise(chain)
        ),
        findings=tuple(by_key[key] for key in findings),
    )


class Posted(msgspec.Struct, frozen=True):
    """One message as it stands in Slack."""

    place: Place
    ts: str
    text: str


class SlackBoard:
    """`Poster`: what stands where.

    `dies_at` makes the process die right after that post or upload (1 is the next); `never` are the methods that Slack
    refuses for ever, or the beginnings of what it refuses to post; `fails` are beginnings of messages that Slack does
    not take the next time, as with HTTP 500; `shared` are the channels that other organisations read.
    """

    def __init__(self, *, absent_from: Sequence[str] = ()) -> None:
        self.posts: list[Posted] = []
        self.edits: list[tuple[str, str]] = []
        self.answers: list[tuple[str, str]] = []
        self.files: list[tuple[Place, Document]] = []
        self.absent_from = absent_from
        self.dies_at = 0
        self.never: set[str] = set()
        self.fails: list[str] = []
        self.shared: set[str] = set()
        self._lock = Lock()

    def post(self, place: Place, message: Message) -> str:
        if place.channel in self.absent_from:
            raise NotInChannel(place.channel)
        self._refuse("post", message.text, place)
        with self._lock:
            ts = f"{1000 + len(self.posts)}.0"
            self.posts.append(Posted(place, ts, message.text))
            self.dies_at -= 1
            if self.dies_at == 0:
                raise Dies
        return ts

    def edit(self, place: Place, ts: str, message: Message) -> None:
        self._refuse("edit", place=place)
        with self._lock:
            index = next(number for number, one in enumerate(self.posts) if one.ts == ts)
            self.posts[index] = msgspec.structs.replace(self.posts[index], text=message.text)
            self.edits.append((ts, message.text))

    def upload(self, place: Place, document: Document, message: Message) -> None:
        self._refuse("upload", place=place)
        self.post(place, message)
        self.files.append((place, document))

    def is_shared(self, channel: str) -> bool:
        return channel in self.shared

    def respond(self, response_url: str, message: Message) -> None:
        self._refuse("respond", message.text)
        self.answers.append((response_url, message.text))

    def _refuse(self, method: str, text: str = "", place: Place | None = None) -> None:
        if place is not None and place.channel in self.shared:
            raise SharedOutside(place.channel)
        if method in self.never or any(text.startswith(one) for one in self.never):
            raise Undeliverable(f"{method}: refused")
        if failing := next((one for one in self.fails if text.startswith(one)), None):
            self.fails.remove(failing)
            raise PostFailed(f"{method}: HTTP 500")

    @property
    def threads(self) -> dict[tuple[str, str], list[str]]:
        """Texts by channel and thread, a thread's root message first."""
        found: dict[tuple[str, str], list[str]] = {}
        for one in self.posts:
            found.setdefault((one.place.channel, one.place.thread or one.ts), []).append(one.text)
        return found


class PlainPresenter:
    """`Presenter`: every message is one line."""

    def root(self, incident: Incident, diagnosis: Diagnosis) -> Message:
        roots = ", ".join(f"{one.finding.code} {one.finding.subject}" for one in diagnosis.roots) or "nothing"
        return Message(f"{incident.state.value.upper()} x{incident.count}: {roots}")

    def thread(self, incident: Incident, diagnosis: Diagnosis) -> tuple[Message, ...]:
        roots = "".join(f" {one.finding.code}" for one in diagnosis.roots)
        return Message("chain", ({"text": roots},)), Message("not seen", ({"text": ""},))

    def changed(self, before: Diagnosis | None, after: Diagnosis, unrecognised: Sequence[str]) -> Message:
        earlier, later = (",".join(one.finding.code for one in d.roots) if d else "?" for d in (before, after))
        return Message(f"changed: {earlier} -> {later}" + "".join(f" | {one}" for one in unrecognised))

    def folded(self, incident: Incident) -> Message:
        return Message(f"again: x{incident.count}")

    def resolved(self, incident: Incident) -> Message:
        return Message("the alert no longer fires")

    def answer(self, diagnosis: Diagnosis, incident: Incident | None = None) -> Message:
        return Message("answer: " + (", ".join(str(one.finding.subject) for one in diagnosis.roots) or "nothing"))

    def say(self, reason: str, values: Mapping[str, str]) -> Message:
        told = " ".join(f"{key}={value}" for key, value in sorted(values.items()))
        return Message(f"{reason} {told}".strip())


class Meant(msgspec.Struct, frozen=True, kw_only=True):
    """`Resolution`."""

    refs: tuple[Ref, ...] = ()
    candidates: tuple[Ref, ...] = ()
    unmatched: tuple[str, ...] = ()
    unread: tuple[Section, ...] = ()


class Found(msgspec.Struct, frozen=True):
    """`Investigation`."""

    diagnosis: Diagnosis


class StubCluster:
    """`Investigator` over a list of objects and a function from a scope to its diagnosis."""

    def __init__(self, live: Sequence[str], diagnose: Callable[[tuple[Ref, ...]], Diagnosis]) -> None:
        self.live = [Ref.parse(one) for one in live]
        self.diagnose = diagnose
        self.asked: list[tuple[Ref, ...]] = []
        self.unread: tuple[Section, ...] = ()

    def resolve(self, words: str) -> Meant:
        refs: list[Ref] = []
        candidates: list[Ref] = []
        unmatched: list[str] = []
        for word in words.replace("node ", "node/").split():
            kind, slash, _ = word.partition("/")
            named = [Ref.parse(word)] if slash and kind else [one for one in self.live if one.name == word]
            named = [one for one in named if one in self.live]
            (refs if len(named) == 1 else candidates).extend(named)
            unmatched += [] if named else [word]
        return Meant(refs=tuple(refs), candidates=tuple(candidates), unmatched=tuple(unmatched), unread=self.unread)

    def investigate(self, scope: tuple[Ref, ...], *, typed: bool = True) -> Found:
        for one in scope:
            if one != CLUSTER and one not in self.live:
                raise NoSuchObject(one, "object-unknown")
        self.asked.append(scope)
        return Found(self.diagnose(scope))


class StubRecogniser:
    """`Recogniser`: `HOST: text` is the kubelet's journal of HOST, `?: text` one of an unknown host."""

    def recognise(self, text: str, reporter: Reporter) -> Recognised:
        texts: list[HostText] = []
        unknown: list[HostText] = []
        other: list[str] = []
        for line in text.splitlines():
            match = re.fullmatch(r"(\S+): (.+)", line)
            if match is None:
                other.append(line)
                continue
            host = match[1].replace("?", "")
            journal = HostText(node=host, source=HostSource.JOURNAL, unit="kubelet", text=match[2], reporter=reporter)
            (texts if host else unknown).append(journal)
        return Recognised(texts=tuple(texts), node_unknown=tuple(unknown), unrecognised=tuple(other))

    def outputs(self, text: str, reporter: Reporter) -> tuple[Output, ...]:
        return (Output(lines=tuple(text.splitlines()), reporter=reporter),)
