"""The methods of the fake Slack's Web API: what each one checks, records and answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tests.support import slack_limits

if TYPE_CHECKING:
    from tests.support.slack_server import SlackServer

TEAM, BOT_USER, BOT_ID, APP = "T0TEAM", "U0BOT", "B0BOT", "A0APP"


class Refusal(Exception):
    """The answer is an error; with `retry_after` seconds it is a 429."""

    def __init__(self, error: str, *, retry_after: int | None = None, **more: Any) -> None:
        super().__init__(error)
        self.error = error
        self.retry_after = retry_after
        self.more = more


def check_message(body: dict[str, Any]) -> None:
    """Refuse what is beyond Slack's limits."""
    blocks = body.get("blocks") or []
    if not body.get("text") and not blocks:
        raise Refusal("no_text")
    if len(body.get("text") or "") > slack_limits.TEXT:
        raise Refusal("msg_too_long")
    if problems := slack_limits.broken(blocks):
        raise Refusal("invalid_blocks", response_metadata={"messages": problems})
    if slack_limits.characters(blocks) > slack_limits.ALL_TEXT:
        raise Refusal("msg_blocks_too_long")


def _auth_test(server: SlackServer, body: dict[str, Any]) -> dict[str, Any]:
    return {"url": server.url, "team": "team", "team_id": TEAM, "user": "bot", "user_id": BOT_USER, "bot_id": BOT_ID}


def _bots_info(server: SlackServer, body: dict[str, Any]) -> dict[str, Any]:
    server.need("users:read")
    if body.get("bot") != BOT_ID:
        raise Refusal("bot_not_found")
    return {"bot": {"id": BOT_ID, "app_id": APP, "user_id": BOT_USER, "name": "bot", "deleted": False}}


def _connections_open(server: SlackServer, body: dict[str, Any]) -> dict[str, Any]:
    return {"url": server.socket.url()}


def _post(server: SlackServer, body: dict[str, Any]) -> dict[str, Any]:
    server.need("chat:write")
    channel = server.visible_channel(body)
    if not channel["is_member"]:
        raise Refusal("not_in_channel")
    check_message(body)
    server.check_pace(channel["id"])
    ts = server.new_ts()
    server.messages[channel["id"], ts] = body
    return {"channel": channel["id"], "ts": ts, "message": body}


def _update(server: SlackServer, body: dict[str, Any]) -> dict[str, Any]:
    server.need("chat:write")
    channel = server.visible_channel(body)
    key = (channel["id"], str(body.get("ts")))
    if key not in server.messages:
        raise Refusal("message_not_found")
    check_message(body)
    server.messages[key] = server.messages[key] | body
    return {"channel": key[0], "ts": key[1], "text": body.get("text", "")}


def _post_ephemeral(server: SlackServer, body: dict[str, Any]) -> dict[str, Any]:
    server.need("chat:write")
    channel = server.visible_channel(body)
    if not channel["is_member"]:
        raise Refusal("not_in_channel")
    if body.get("user") not in server.users:
        raise Refusal("user_not_in_channel")
    check_message(body)
    return {"message_ts": server.new_ts()}


def _users_info(server: SlackServer, body: dict[str, Any]) -> dict[str, Any]:
    server.need("users:read")
    if body.get("user") not in server.users:
        raise Refusal("user_not_found")
    user = server.users[body["user"]]
    if "users:read.email" in server.scopes:
        return {"user": user}
    return {"user": user | {"profile": {key: value for key, value in user["profile"].items() if key != "email"}}}


def _conversations_info(server: SlackServer, body: dict[str, Any]) -> dict[str, Any]:
    channel = server.visible_channel(body)
    server.need("groups:read" if channel["is_private"] else "channels:read")
    return {"channel": channel}


def _views_open(server: SlackServer, body: dict[str, Any]) -> dict[str, Any]:
    trigger = str(body.get("trigger_id"))
    if trigger not in server.triggers:
        raise Refusal("exchanged_trigger_id")
    server.triggers.remove(trigger)
    view = body.get("view") or {}
    if problems := slack_limits.broken_view(view):
        raise Refusal("invalid_arguments", response_metadata={"messages": problems})
    return {"view": view | {"id": f"V{server.new_ts()}", "hash": "1"}}


def _usergroup_users(server: SlackServer, body: dict[str, Any]) -> dict[str, Any]:
    server.need("usergroups:read")
    if body.get("usergroup") not in server.groups:
        raise Refusal("no_such_subteam")
    return {"users": server.groups[body["usergroup"]]}


def _get_upload_url(server: SlackServer, body: dict[str, Any]) -> dict[str, Any]:
    server.need("files:write")
    length = str(body.get("length", ""))
    if not body.get("filename") or not length.isdigit() or not int(length):
        raise Refusal("invalid_arguments")
    return server.announce(str(body["filename"]), int(length))


def _complete_upload(server: SlackServer, body: dict[str, Any]) -> dict[str, Any]:
    """Share files that were uploaded; the message that shows them comes with it."""
    server.need("files:write")
    files = json.loads(body.get("files") or "[]")
    channel = server.visible_channel({"channel": body.get("channel_id")})
    if not channel["is_member"]:
        raise Refusal("not_in_channel")
    if not files or any(server.content_of(one["id"]) is None for one in files):
        raise Refusal("file_not_found")
    shown = {"channel": channel["id"], "text": body.get("initial_comment", ""), "files": files}
    thread = {"thread_ts": body["thread_ts"]} if body.get("thread_ts") else {}
    server.messages[channel["id"], server.new_ts()] = shown | thread
    return {"files": [{"id": one["id"], "title": one.get("title", "")} for one in files]}


METHODS: dict[str, Callable[[SlackServer, dict[str, Any]], dict[str, Any]]] = {
    "auth.test": _auth_test,
    "apps.connections.open": _connections_open,
    "bots.info": _bots_info,
    "chat.postMessage": _post,
    "chat.update": _update,
    "chat.postEphemeral": _post_ephemeral,
    "users.info": _users_info,
    "conversations.info": _conversations_info,
    "usergroups.users.list": _usergroup_users,
    "views.open": _views_open,
    "files.getUploadURLExternal": _get_upload_url,
    "files.completeUploadExternal": _complete_upload,
}
