"""What is said, and where it is put."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from bot.model.diagnosis import Diagnosis
from bot.model.incident import Incident, Place
from bot.model.message import Document, Message


class NotInChannel(Exception):
    """The bot is not a member of the channel."""


class SharedOutside(NotInChannel):
    """People of other organisations read the channel, or are invited to: nothing is said there while that lasts."""


class PostFailed(Exception):
    """A message could not be delivered for any other reason; the text is Slack's name of it."""


class Undeliverable(PostFailed):
    """It cannot be delivered however often it is tried: an address that is used up, a message that is gone."""


class InHand(PostFailed):
    """Somebody else has begun to post it, or died at it: whether it stands there is known a minute later."""


class Poster(Protocol):
    """Puts messages where people read them."""

    def post(self, place: Place, message: Message) -> str:
        """Post into the channel, or into its thread; returns the message's `ts`.

        Raises:
            NotInChannel: the bot may not post there; `SharedOutside` where it may not say anything there for now.
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

    def is_shared(self, channel: str) -> bool:
        """Whether people of other organisations are known to read the channel, or to be invited."""
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
