"""Socket Mode: who the bot is, the connection, and whether it still hears."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from slack_bolt import App
from slack_bolt.adapter.socket_mode import SocketModeHandler
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError, SlackClientError

from bot.entry.slack.app import THREADS, bolt_log
from bot.entry.slack.sorting import Identity


class SlackRefused(Exception):
    """Slack does not take a token, or cannot be reached: the bot cannot start. The text says which and why."""


def identify(client: WebClient, app_token: str, team_id: str = "") -> Identity:
    """Ask Slack once who the bot is and whether both tokens are good, before anything else starts.

    With a bad app token the SDK would try to connect for ever.

    Args:
        client: the web client with the bot token.
        app_token: the app-level token, with `connections:write`.
        team_id: the workspace that the bot token must belong to; empty for any.

    Raises:
        SlackRefused: a token is not good, or the bot token belongs to another workspace.
    """
    me = _asked("auth.test", "bot token", client.auth_test)
    _asked("apps.connections.open", "app-level token", lambda: client.apps_connections_open(app_token=app_token))
    found = str(me.get("team_id", ""))
    if team_id and found != team_id:
        raise SlackRefused(f"the bot token belongs to team {found}, and {team_id} is configured")
    bot_id = str(me.get("bot_id") or "")
    # Which app the token is of: a button in any other app's message counts for nothing.
    bot = _asked("bots.info", "bot token", lambda: client.bots_info(bot=bot_id)).get("bot") or {}
    if not bot.get("app_id"):
        raise SlackRefused("Slack does not say which app the bot token is of (bots.info)")
    return Identity(team_id=found, user_id=str(me["user_id"]), bot_id=bot_id, app_id=str(bot["app_id"]))


def _asked(method: str, token: str, call: Callable[[], Any]) -> Any:
    try:
        return call()
    except SlackApiError as why:
        error = why.response.get("error") or f"HTTP {why.response.status_code}"
        raise SlackRefused(f"Slack refuses the {token}: {error} ({method})") from None
    except (OSError, SlackClientError) as why:
        raise SlackRefused(f"Slack cannot be reached: {why} ({method})") from why


class Socket:
    """The connection to Slack. A silent server is left after about four ping intervals; broken ones are replaced."""

    def __init__(self, app: App, app_token: str, *, ping_interval: float) -> None:
        """Take the app that hears; its web client opens the connections.

        Args:
            app: the Bolt app.
            app_token: the app-level token.
            ping_interval: seconds between two pings; the SDK's own 10 s is deaf for a minute after a silent loss.
        """
        self._app = app
        self._app_token = app_token
        self._ping_interval = ping_interval
        self._handler: SocketModeHandler | None = None

    def connect(self) -> None:
        """Connect, and stay so until `close`."""
        # Its threads start with it, so it is made no earlier.
        self._handler = SocketModeHandler(
            self._app, self._app_token, logger=bolt_log, ping_interval=self._ping_interval, concurrency=THREADS
        )
        self._handler.client.connect()

    def close(self) -> None:
        """Disconnect; returns when what was being heard is done."""
        if self._handler is not None:
            self._handler.client.close()

    def silent_for(self) -> float | None:
        """Seconds since Slack last answered a ping; None before the first answer of a connection.

        `is_connected` alone has been seen true on dead connections (slackapi/bolt-python#1529), so liveness looks here.
        """
        session = self._handler.client.current_session if self._handler is not None else None
        last = session.last_ping_pong_time if session is not None else None
        return None if last is None else time.time() - last
