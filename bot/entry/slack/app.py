"""The Bolt app: which payload goes to which method of the ear, and what happens when one of them fails."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from concurrent.futures import Executor
from typing import Any

import structlog
from slack_bolt import Ack, App, BoltResponse
from slack_sdk import WebClient

from bot.entry.slack.approver_groups import ApproverGroups
from bot.entry.slack.ear import COMMAND, Ear
from bot.entry.slack.payloads import (
    Click,
    GroupUpdated,
    MembersChanged,
    SharingChanged,
    SlashCommand,
    Submission,
    event_of,
    read,
    shortcut_of,
)
from bot.entry.slack.presses import Presses
from bot.entry.slack.sharing import SharedChannels
from bot.entry.slack.voice import Voice
from bot.render.slack.modals import TYPED
from bot.render.slack.plan import ACTION

SHORTCUT = "diagnose_this"
#: The events that are listened to: of the manifest's `message.channels` and `message.groups` Slack sends `message`.
EVENTS = (
    "app_mention",
    "channel_shared",
    "channel_unshared",
    "message",
    "subteam_members_changed",
    "subteam_updated",
)
#: Action ids and callback ids of ours.
_OURS = re.compile(rf"{ACTION}:")
#: Fewer, and ten slow acknowledgements hold up the next one.
THREADS = 32

#: Fixed above info: below, Bolt writes whole payloads, and what people write is not for logs.
bolt_log = logging.getLogger(f"{__name__}.bolt")
bolt_log.setLevel(logging.WARNING)
_log = structlog.get_logger(__name__)


def build_app(
    client: WebClient,
    ear: Ear,
    presses: Presses,
    approver_groups: ApproverGroups,
    shared_channels: SharedChannels,
    voice: Voice,
    executor: Executor,
    *,
    signing_secret: str = "",
) -> App:
    """Build the app.

    `process_before_response`: an event is acknowledged only after its listener came through; Bolt's default
    acknowledges first and loses it when the listener fails.

    Args:
        client: the web client with the bot token.
        ear: takes what is heard.
        presses: takes buttons and forms.
        approver_groups: takes what becomes of the approvers' user groups.
        shared_channels: takes which channels are shared with other organisations.
        voice: says what failed.
        executor: at least `THREADS` threads.
        signing_secret: what signs requests over HTTP, which only tests send, so that Bolt looks at payloads as Slack
            signs them. `serve` speaks Socket Mode, opens no address of Slack's and has none.
    """
    app = App(
        name="gpu-autopsy",
        client=client,
        signing_secret=signing_secret,
        process_before_response=True,
        listener_executor=executor,
        logger=bolt_log,
    )
    _hear(app, ear)
    _watch(app, approver_groups, shared_channels)
    _take(app, presses)
    app.error(lambda error, body: failed(error, body, voice))
    return app


def _hear(app: App, ear: Ear) -> None:
    """What people write: commands, shortcuts, messages."""

    def on_command(body: dict[str, Any], ack: Ack) -> BoltResponse:
        answer = ear.command(read(body, SlashCommand))
        return ack(text=answer.text, blocks=list(answer.blocks), response_type="ephemeral")

    def on_shortcut(body: dict[str, Any], ack: Ack) -> BoltResponse:
        ear.shortcut(shortcut_of(body))
        return ack()

    def on_event(body: dict[str, Any]) -> None:
        ear.message(event_of(body))

    app.command(COMMAND)(on_command)
    app.message_shortcut(SHORTCUT)(on_shortcut)
    for event in ("app_mention", "message"):
        app.event(event)(on_event)


def _watch(app: App, approver_groups: ApproverGroups, shared_channels: SharedChannels) -> None:
    """What becomes of user groups and channels."""

    def on_members(body: dict[str, Any]) -> None:
        approver_groups.members_changed(read(body, MembersChanged))

    def on_group(body: dict[str, Any]) -> None:
        approver_groups.updated(read(body, GroupUpdated))

    def on_sharing(body: dict[str, Any]) -> None:
        shared_channels.changed(read(body, SharingChanged))

    for event in ("channel_shared", "channel_unshared"):
        app.event(event)(on_sharing)
    app.event("subteam_members_changed")(on_members)
    app.event("subteam_updated")(on_group)


def _take(app: App, presses: Presses) -> None:
    """What people press: buttons, and forms that are sent."""

    def on_action(body: dict[str, Any], ack: Ack) -> BoltResponse:
        presses.click(read(body, Click))
        return ack()

    def on_view(body: dict[str, Any], ack: Ack) -> BoltResponse:
        errors = presses.submitted(read(body, Submission))
        return ack(response_action="errors", errors=dict(errors)) if errors else ack()

    app.action(_OURS)(on_action)
    app.view(_OURS)(on_view)


def failed(error: Exception, body: Mapping[str, Any], voice: Voice) -> BoltResponse:
    """A listener failed: say so to who gave a command or pressed; leave all else unacknowledged, to be sent again.

    Slack repeats neither commands nor buttons nor forms, it shows that the app did not answer.
    """
    # The text of an error may quote a payload; its type does not.
    _log.error("slack_listener_failed", error=type(error).__name__, event_id=body.get("event_id"))
    if body.get("command") and isinstance(body.get("channel_id"), str):
        answer = voice.words(body["channel_id"], "slack-not-taken", {"error": type(error).__name__})
        return BoltResponse(
            status=200,
            body={"response_type": "ephemeral", "text": answer.text, "blocks": list(answer.blocks)},
        )
    told = {"error": type(error).__name__}
    if body.get("type") == "view_submission":
        text = voice.words("", "slack-press-not-taken", told).text
        return BoltResponse(status=200, body={"response_action": "errors", "errors": {TYPED: text}})
    if body.get("type") == "block_actions" and isinstance(body.get("response_url"), str):
        channel = (body.get("channel") or {}).get("id") or ""
        voice.respond(body["response_url"], channel, "slack-press-not-taken", told)
        return BoltResponse(status=200, body="")
    return BoltResponse(status=500, body="")
