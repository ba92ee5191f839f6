"""`gpu-autopsy serve` as a process. The axes: what keeps it from starting; and how settings reach the parts."""

import json
import os
import subprocess
import sys

from bot.entry.settings import Settings
from bot.entry.slack.settings import AlertApp, AlertSource, Channel
from bot.entry.wiring.service import slack_settings, webhook_channels

LEAST = {
    "AUTOPSY_CLUSTER": "lab",
    "REDIS_URL": "redis://:hush-hush@127.0.0.1:1/0",
    "SLACK_BOT_TOKEN": "xoxb-hush",
    "SLACK_APP_TOKEN": "xapp-hush",
    # Nobody listens on port 1.
    "SLACK_API_URL": "http://127.0.0.1:1/api/",
}


def serve(environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    clean = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return subprocess.run(
        [sys.executable, "-m", "bot", "serve"],
        env=clean | environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_missing_settings_are_named() -> None:
    ran = serve({})
    assert (ran.returncode, ran.stdout) == (2, "")
    assert [line.partition(":")[0] for line in ran.stderr.splitlines()] == [
        "AUTOPSY_CLUSTER",
        "REDIS_URL",
        "SLACK_BOT_TOKEN",
        "SLACK_APP_TOKEN",
    ]


def test_a_slack_that_is_out_of_reach_is_said_without_secrets() -> None:
    ran = serve(LEAST)
    assert ran.returncode == 2, ran.stderr
    line = json.loads(ran.stdout.splitlines()[-1])
    assert (line["event"], line["level"]) == ("cannot_start", "error")
    assert "Slack cannot be reached" in line["why"]
    assert "hush" not in ran.stdout + ran.stderr


SETTINGS = Settings(
    cluster="lab",
    language="ko",
    team="T0LAB",
    channels=(
        Channel(id="C0GPU", name="gpu", source=AlertSource.ALERTMANAGER),
        Channel(id="C0OPS", source=AlertSource.ALERTMANAGER, language="en"),
        Channel(id="C0APP", name="apps", source=AlertSource.APP),
    ),
    alert_apps=(AlertApp(app_id="A0ONE", channel="C0APP"), AlertApp(bot_id="B0TWO", channel="C0APP")),
    webhook_token="t" * 16,
    redis_url="redis://redis",
    slack_bot_token="xoxb-1",
    slack_app_token="xapp-1",
)


def test_the_ear_is_told_everything_that_it_asks_for() -> None:
    told = slack_settings(SETTINGS)
    assert (told.cluster, told.team_id, told.lang) == ("lab", "T0LAB", "ko")
    assert (told.channels, told.alert_apps) == (SETTINGS.channels, SETTINGS.alert_apps)
    assert [told.lang_of(one.id) for one in told.channels] == ["ko", "en", "ko"]
    assert [[(app.app_id, app.bot_id) for app in told.apps_of(one.id)] for one in told.channels] == [
        [],
        [],
        [("A0ONE", ""), ("", "B0TWO")],
    ]


def test_alertmanager_reaches_only_its_channels() -> None:
    assert webhook_channels(SETTINGS) == {"C0GPU": "C0GPU", "gpu": "C0GPU", "C0OPS": "C0OPS"}
