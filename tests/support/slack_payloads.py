"""Payloads as Slack sends them, over HTTP (signed) and over Socket Mode."""

from __future__ import annotations

import itertools
import json
import time
from typing import Any
from urllib.parse import urlencode

from slack_bolt import BoltRequest
from slack_sdk.signature import SignatureVerifier

from tests.support.slack_methods import APP, BOT_ID, BOT_USER, TEAM

SECRET = "signing-secret"
_ids = itertools.count(1)


def message(text: str, *, kind: str = "message", **fields: Any) -> dict[str, Any]:
    """The body of an event: a person wrote in a channel. None as a field's value leaves it out."""
    number = next(_ids)
    ts = fields.pop("ts", f"1780000000.{number:06}")
    event = {"type": kind, "user": "U0ONCALL", "text": text, "ts": ts, "event_ts": ts, "channel": "C0ALERTS"}
    event |= {"team": TEAM, "client_msg_id": f"msg-{number}"}
    if kind == "message":
        event["channel_type"] = "channel"
    outer = {key: fields.pop(key) for key in ("event_id", "team_id", "is_ext_shared_channel") if key in fields}
    event = {key: value for key, value in (event | fields).items() if value is not None}
    body = {
        "token": "verification",
        "team_id": TEAM,
        "api_app_id": APP,
        "event": event,
        "type": "event_callback",
        "event_id": f"Ev{number}",
        "event_time": 1780000000,
        "authorizations": [{"enterprise_id": None, "team_id": TEAM, "user_id": BOT_USER, "is_bot": True}],
        "is_ext_shared_channel": False,
    }
    return body | outer


def group_event(event: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """The body of an event about a user group."""
    number = next(_ids)
    body = {"token": "verification", "team_id": TEAM, "api_app_id": APP, "event": event | {"event_ts": "1.1"}}
    return body | {"type": "event_callback", "event_id": f"Ev{number}", "event_time": 1780000000} | fields


def members_changed(group: str, added: tuple[str, ...] = (), removed: tuple[str, ...] = (), **fields: Any) -> Any:
    """Somebody came into the group or left it; Slack leaves out what is empty, and counts in strings."""
    event: dict[str, Any] = {"type": "subteam_members_changed", "subteam_id": group, "team_id": TEAM}
    event |= {"date_previous_update": 1446670362, "date_update": 1492906952}
    for key, users in (("added_users", added), ("removed_users", removed)):
        event |= {key: list(users), f"{key}_count": str(len(users))} if users else {}
    return group_event(event, **fields)


def group_updated(group: str, *, deleted: int = 0, deleted_by: str | None = None, **fields: Any) -> Any:
    """The group is another one now; `deleted` since when it is disabled."""
    told: dict[str, Any] = {"id": group, "team_id": TEAM, "is_usergroup": True, "name": "GPU", "handle": "gpu"}
    told |= {"date_create": 1492655498, "date_update": 1595814882, "date_delete": deleted, "deleted_by": deleted_by}
    told |= {"updated_by": "U0ONCALL", "users": [], "user_count": 0}
    return group_event({"type": "subteam_updated", "subteam": told}, **fields)


def sharing_changed(channel: str, *, shared: bool, others: bool = False, **fields: Any) -> Any:
    """Another organisation has joined the channel, or left it; `others` whether one is still there."""
    event: dict[str, Any] = {"type": "channel_shared" if shared else "channel_unshared", "channel": channel}
    event |= {"connected_team_id": "E0OTHER"} if shared else {"previously_connected_team_id": "E0OTHER"}
    event |= {"event_ts": "1561064063.001100"} | ({} if shared else {"is_ext_shared": others})
    return group_event(event, **fields)


def mention(text: str, **fields: Any) -> dict[str, Any]:
    """The body of an `app_mention`; `text` stands after the mention."""
    return message(f"<@{BOT_USER}> {text}", kind="app_mention", **fields)


def alert(text: str = "", **fields: Any) -> dict[str, Any]:
    """The body of an event: an app wrote in a channel."""
    bot = {"subtype": "bot_message", "user": None, "client_msg_id": None, "bot_id": "B0ALERTS", "app_id": "A0ALERTS"}
    return message(text, **(bot | fields))


def command(text: str, **fields: Any) -> dict[str, Any]:
    """The body of a slash command."""
    number = next(_ids)
    told = {"token": "verification", "team_id": TEAM, "team_domain": "team", "channel_id": "C0ALERTS"}
    told |= {"channel_name": "alerts", "user_id": "U0ONCALL", "user_name": "oncall", "command": "/autopsy"}
    told |= {"text": text, "api_app_id": APP, "is_enterprise_install": "false"}
    return told | {"response_url": "https://hooks.slack.com/none", "trigger_id": f"trigger.{number}"} | fields


def shortcut(message_: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """The body of the message shortcut, pressed on this message."""
    number = next(_ids)
    told = {
        "type": "message_action",
        "token": "verification",
        "action_ts": "1780000001.0",
        "is_enterprise_install": False,
    }
    told |= {"team": {"id": TEAM, "domain": "team"}, "enterprise": None, "callback_id": "diagnose_this"}
    told |= {"user": {"id": "U0ONCALL", "username": "oncall", "team_id": TEAM, "name": "oncall"}}
    told |= {"channel": {"id": "C0ALERTS", "name": "alerts"}, "trigger_id": f"trigger.{number}"}
    told |= {"response_url": "https://hooks.slack.com/none", "message_ts": message_["ts"], "message": message_}
    return told | fields


def click(
    message_: dict[str, Any], pressed: str, ts: str, *, thread: str = "", user: str = "U0ONCALL", **fields: Any
) -> dict[str, Any]:
    """The body of a pressed button: the one of this action id, in a message of the bot's as it was posted."""
    number = next(_ids)
    rows = [block["elements"] for block in message_.get("blocks", ()) if block["type"] == "actions"]
    (button,) = [one for row in rows for one in row if one["action_id"] == pressed]
    channel = str(message_["channel"])
    shown = {"type": "message", "user": BOT_USER, "bot_id": BOT_ID, "app_id": APP, "ts": ts, "text": message_["text"]}
    told: dict[str, Any] = {
        "type": "block_actions",
        "user": {"id": user, "username": user.lower(), "name": user.lower(), "team_id": TEAM},
        "api_app_id": APP,
        "token": "verification",
        "container": {"type": "message", "message_ts": ts, "channel_id": channel, "is_ephemeral": False},
        "trigger_id": f"trigger.{number}",
        "team": {"id": TEAM, "domain": "team"},
        "enterprise": None,
        "is_enterprise_install": False,
        "channel": {"id": channel, "name": channel.lower()},
        "message": shown | ({"thread_ts": thread} if thread else {}),
        "state": {"values": {}},
        "response_url": "https://hooks.slack.com/none",
        "actions": [
            {
                "action_id": pressed,
                "block_id": "b",
                "type": "button",
                "text": button["text"],
                "value": button["value"],
                "action_ts": f"1780000100.{number:06}",
            }
        ],
    }
    return told | fields


def sent(view: dict[str, Any], typed: str | None, *, user: str = "U0ONCALL", **fields: Any) -> dict[str, Any]:
    """The body of a form that was filled in and sent."""
    number = next(_ids)
    (block,) = [one for one in view["blocks"] if one["type"] == "input"]
    element = {"type": "plain_text_input", "value": typed}
    told: dict[str, Any] = {
        "type": "view_submission",
        "team": {"id": TEAM, "domain": "team"},
        "user": {"id": user, "username": user.lower(), "name": user.lower(), "team_id": TEAM},
        "api_app_id": APP,
        "token": "verification",
        "trigger_id": f"trigger.{number}",
        "view": view
        | {
            "id": f"V{number}",
            "team_id": TEAM,
            "app_id": APP,
            "bot_id": BOT_ID,
            "hash": "1.a",
            "state": {"values": {block["block_id"]: {block["element"]["action_id"]: element}}},
        },
        "response_urls": [],
        "is_enterprise_install": False,
        "enterprise": None,
    }
    return told | fields


#: Kinds of payloads that come from a press or a form.
_INTERACTIVE = frozenset({"block_actions", "view_submission", "message_action"})


def signed(body: dict[str, Any], *, secret: str = SECRET, at: float | None = None) -> BoltRequest:
    """The body as an HTTP request of Slack's; without a secret it carries no signature."""
    if "command" in body:
        raw, kind = urlencode(body), "application/x-www-form-urlencoded"
    elif body.get("type") in _INTERACTIVE:
        raw, kind = urlencode({"payload": json.dumps(body)}), "application/x-www-form-urlencoded"
    else:
        raw, kind = json.dumps(body), "application/json"
    timestamp = str(int(time.time() if at is None else at))
    headers = {"content-type": kind, "x-slack-request-timestamp": timestamp}
    if secret:
        signature = SignatureVerifier(secret).generate_signature(timestamp=timestamp, body=raw)
        headers["x-slack-signature"] = signature or ""
    return BoltRequest(body=raw, headers={key: [value] for key, value in headers.items()})


def socket_kind(body: dict[str, Any]) -> str:
    """The envelope's type for this body."""
    if "command" in body:
        return "slash_commands"
    return "interactive" if body.get("type") in _INTERACTIVE else "events_api"
