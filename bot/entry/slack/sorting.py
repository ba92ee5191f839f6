"""Which messages are for the bot: an alert, a question, a reply that may stand in one of its threads, or nothing.

Pure. Everything that is nothing ends here: it is neither looked up, nor queued, nor stored, nor logged.
"""

from __future__ import annotations

import re

import msgspec

from bot.entry.slack.payloads import DroppedFile, Event, MessageEvent
from bot.entry.slack.settings import AlertApp, AlertSource, SlackSettings
from bot.model.incident import Place
from bot.render.slack.text import plain, words_of

#: Kinds of `message` that are something new that somebody wrote; edits and deletions are others.
_WRITTEN = frozenset({None, "file_share", "thread_broadcast", "bot_message"})


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """Who the bot is, as `auth.test` and `bots.info` tell it."""

    team_id: str
    user_id: str
    bot_id: str = ""
    app_id: str = ""


class Nothing(msgspec.Struct, frozen=True):
    """Not for the bot."""


class Alerted(msgspec.Struct, frozen=True):
    """An allow-listed alert app wrote; `place` is the message's own thread."""

    text: str
    place: Place


class Unlisted(msgspec.Struct, frozen=True):
    """An app wrote where alerts come from apps, and is none of the configured ones: told by its ids, without a word."""

    channel: str
    app_id: str
    bot_id: str


class Addressed(msgspec.Struct, frozen=True):
    """Somebody mentioned the bot. `place` is the thread to answer in."""

    words: str
    place: Place
    files: tuple[DroppedFile, ...]
    is_reply: bool


class Replied(msgspec.Struct, frozen=True):
    """A person replied in a thread; whether it is one of the bot's is not known here."""

    text: str
    place: Place
    files: tuple[DroppedFile, ...]


Sorted = Nothing | Alerted | Unlisted | Addressed | Replied


def sort(heard: Event, identity: Identity, settings: SlackSettings) -> Sorted:
    """Sort one message."""
    message = heard.event
    if message.subtype not in _WRITTEN or message.hidden or _is_own(message, identity):
        return Nothing()
    place = Place(message.channel, message.thread_ts or message.ts)
    files = message.files or ()
    is_bot = bool(message.bot_id) or message.subtype == "bot_message"
    if is_bot and _is_alert(heard, identity, settings.apps_of(message.channel)):
        return Alerted(words_of(heard.raw), place)
    if is_mention(heard, identity):
        words = plain(_mention(identity).sub(" ", message.text or "")).strip(" \t\n,:")
        return Addressed(words, place, files, message.is_reply)
    if message.is_reply and not is_bot:
        return Replied(plain(message.text or "").strip("\n"), place, files)
    if is_bot and settings.source_of(message.channel) is AlertSource.APP and not message.is_reply:
        return Unlisted(message.channel, message.app, message.bot_id or "")
    return Nothing()


def is_mention(heard: Event, identity: Identity) -> bool:
    """Whether the message names the bot."""
    return bool(_mention(identity).search(heard.event.text or ""))


def _is_own(message: MessageEvent, identity: Identity) -> bool:
    return message.user == identity.user_id or (bool(identity.bot_id) and message.bot_id == identity.bot_id)


def _mention(identity: Identity) -> re.Pattern[str]:
    return re.compile(rf"<@{re.escape(identity.user_id)}(\|[^<>]*)?>")


def _is_alert(heard: Event, identity: Identity, apps: tuple[AlertApp, ...]) -> bool:
    message = heard.event
    writers = {message.team, message.user_team} - {None}
    return (
        # An alert begins a thread; what its app writes into one is about the alert, not another one.
        not message.is_reply
        and not heard.is_ext_shared_channel
        and heard.team_id == identity.team_id
        and any(
            app.wrote(message.app, message.bot_id or "") and writers <= {app.team or identity.team_id} for app in apps
        )
    )
