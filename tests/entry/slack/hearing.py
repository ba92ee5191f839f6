"""Slack's ear in the lab's workspace: its settings, what is sent to it, what it says by itself."""

from __future__ import annotations

import json
from typing import Any

from bot.entry.slack.settings import AlertApp, AlertSource, Channel, SlackSettings
from bot.entry.wiring.slack import SlackSecrets, SlackSide
from bot.model.incident import Place
from tests.support.slack_payloads import SECRET, message, signed
from tests.support.slack_server import APP_TOKEN, BOT_TOKEN, TEAM, SlackServer

SETTINGS = SlackSettings(
    cluster="lab",
    team_id=TEAM,
    channels=(
        Channel(id="C0ALERTS", source=AlertSource.APP),
        Channel(id="C0HOOK", source=AlertSource.ALERTMANAGER),
        Channel(id="C0KO", source=AlertSource.APP, language="ko"),
    ),
    alert_apps=(AlertApp(app_id="A0ALERTS", channel="C0ALERTS"), AlertApp(app_id="A0ALERTS", channel="C0HOOK")),
    file_limit=1000,
    ping_interval=0.2,
    edit_interval=0.01,
)
#: A thread of the bot's.
OURS = Place("C0ALERTS", "100.1")


def secrets(server: SlackServer) -> SlackSecrets:
    return SlackSecrets(bot_token=BOT_TOKEN, app_token=APP_TOKEN, api_url=server.api_url, signing_secret=SECRET)


def dispatch(side: SlackSide, body: dict[str, Any]) -> dict[str, Any]:
    """Send it as Slack would; returns what the acknowledgement says."""
    response = side.app.dispatch(signed(body))
    assert response.status == 200
    return json.loads(response.body) if response.body.startswith("{") else {"text": response.body}


def said(side: SlackSide, server: SlackServer) -> list[tuple[str, str]]:
    """Threads and texts of what the ear said by itself, once all of it is said."""
    side.executor.shutdown(wait=True)
    return [(body.get("thread_ts", ""), body["text"]) for body in server.calls_of("chat.postMessage")]


def reply(text: str, **fields: Any) -> dict[str, Any]:
    return message(text, **({"ts": "100.5", "thread_ts": OURS.thread} | fields))
