"""Puts messages where people read them, and loses none: what Slack does not take as blocks is sent as plain text."""

from __future__ import annotations

import time
from collections.abc import Callable
from http.client import HTTPException
from typing import Any

import msgspec
import structlog
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.webhook import WebhookClient, WebhookResponse

from bot.adapters.slack.pace import Pace
from bot.app.ports import NotInChannel, PostFailed, Undeliverable
from bot.model.incident import Place
from bot.model.message import Document, Message
from bot.render.slack.text import markup_of

#: What Slack says where the bot is not a member; of a private channel it does not even admit that it exists.
_NOT_IN = frozenset({"not_in_channel", "channel_not_found"})
#: What Slack says where trying again changes nothing (the methods' lists of errors); `restricted_action_...` too.
_FINAL = frozenset({"is_archived", "message_not_found", "cant_update_message", "edit_window_closed"})
_FORBIDDEN = "restricted_action"
#: What Slack says of blocks that it does not take, although it may take the same words as text.
_BLOCKS = frozenset({"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long"})
#: Slack cuts longer texts without a word (https://docs.slack.dev/reference/methods/chat.postMessage).
_LONGEST = 39_000
_CUT = "\n… (+{more})"
#: Nothing that is posted opens a preview: an address in a log line may be anybody's.
_QUIET = {"unfurl_links": False, "unfurl_media": False}

_log = structlog.get_logger(__name__)


class SlackPoster:
    """Posts as `bot.app.ports.Poster` says, wherever it is told; `inside` asks before who reads there.

    Edits of one message go out at most once per interval, the last one wins.
    """

    def __init__(
        self,
        client: WebClient,
        *,
        interval: float = 1.5,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Take the client that posts.

        Args:
            client: one that waits for rate limits.
            interval: seconds between two edits of one message.
            monotonic: seconds that never go back.
            sleep: waits for seconds.
        """
        self._client = client
        self._pace = Pace(interval, monotonic, sleep)

    def post(self, place: Place, message: Message) -> str:
        """See `Poster.post`."""
        thread = {"thread_ts": place.thread} if place.thread else {}
        answer = self._send("chat.postMessage", {"channel": place.channel, **thread, **_QUIET}, message)
        return str(answer["ts"])

    def edit(self, place: Place, ts: str, message: Message) -> None:
        """See `Poster.edit`. Returns without a call where a newer edit of the same message waits already."""
        self._pace.take_turn(
            (place.channel, ts), lambda: self._send("chat.update", {"channel": place.channel, "ts": ts}, message)
        )

    def upload(self, place: Place, document: Document, message: Message) -> None:
        """See `Poster.upload`. Until the last of its three calls nothing stands in the channel."""
        try:
            self._client.files_upload_v2(
                filename=document.name,
                title=document.name,
                content=document.text.encode(),
                channel=place.channel,
                thread_ts=place.thread or None,
                initial_comment=_fitted(message.text),
            )
        except SlackApiError as why:
            raise _translated("files.upload", _error(why)) from None
        except (OSError, HTTPException, SlackClientError) as why:
            raise PostFailed(f"files.upload: {type(why).__name__}") from why

    def respond(self, response_url: str, message: Message) -> None:
        """See `Poster.respond`. The address is a secret while it lives; it appears in no error."""
        hook = WebhookClient(
            response_url,
            timeout=self._client.timeout,
            logger=self._client._logger,
            retry_handlers=self._client.retry_handlers,
        )
        answer = self._respond(hook, message)
        if answer.status_code != 200 and message.blocks and any(error in answer.body for error in _BLOCKS):
            _log.error("slack_refused_blocks", method="response_url", error=answer.body[:100], sent_again="as text")
            answer = self._respond(hook, as_text(message))
        if answer.status_code != 200:
            is_final = 400 <= answer.status_code < 500 and answer.status_code != 429
            failure = Undeliverable if is_final else PostFailed
            raise failure(f"response_url: HTTP {answer.status_code} {answer.body[:100]}")

    def _respond(self, hook: WebhookClient, message: Message) -> WebhookResponse:
        try:
            return hook.send(
                text=_fitted(message.text),
                blocks=list(message.blocks) or None,
                response_type="ephemeral",
                replace_original=False,
                unfurl_links=False,
                unfurl_media=False,
            )
        except (OSError, SlackClientError) as why:
            raise PostFailed(f"response_url: {type(why).__name__}") from why

    def _send(self, method: str, where: dict[str, Any], message: Message) -> dict[str, Any]:
        try:
            return self._call(method, where, message)
        except SlackApiError as why:
            error = _error(why)
            if error not in _BLOCKS or not message.blocks:
                raise _translated(method, error) from None
            _log.error("slack_refused_blocks", method=method, error=error, sent_again="as text")
        try:
            return self._call(method, where, as_text(message))
        except SlackApiError as why:
            raise _translated(method, _error(why)) from None

    def _call(self, method: str, where: dict[str, Any], message: Message) -> dict[str, Any]:
        # Blocks that an edit leaves out stay as they were; an empty list takes them away.
        blocks = {"blocks": list(message.blocks)} if message.blocks or method == "chat.update" else {}
        body = {**where, "text": _fitted(message.text), **blocks}
        try:
            answer = self._client.api_call(method, json=body)
        except SlackApiError:
            raise
        except (OSError, SlackClientError) as why:
            raise PostFailed(f"{method}: {type(why).__name__}") from why
        return answer.data if isinstance(answer.data, dict) else {}


def as_text(message: Message) -> Message:
    """The same message without blocks: its text, then the words of its blocks."""
    words = markup_of(message.blocks)
    return msgspec.structs.replace(
        message, text=_fitted(f"{message.text}\n{words}" if words else message.text), blocks=()
    )


def _fitted(text: str) -> str:
    """The text, or as much of it as may be sent and how many letters are left out."""
    if len(text) <= _LONGEST:
        return text
    room = _LONGEST - len(_CUT.format(more=len(text)))
    return text[:room] + _CUT.format(more=len(text) - room)


def _error(why: SlackApiError) -> str:
    return str(why.response.get("error") or f"HTTP {why.response.status_code}")


def _translated(method: str, error: str) -> Exception:
    if error in _NOT_IN:
        return NotInChannel(error)
    is_final = error in _FINAL or error.startswith(_FORBIDDEN)
    return (Undeliverable if is_final else PostFailed)(f"{method}: {error}")
