"""What keeps the bot from starting. The axes: the setting that is wrong, and whether its reason says which."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.bot import Bot, settings
from tests.support.ports import occupied_port
from tests.support.slack_server import SlackServer

NOWHERE = "redis://127.0.0.1:1/0"
HUSH = "hush-hush-hush-hush"
KUBECONFIG = """
apiVersion: v1
kind: Config
clusters: [{name: lab, cluster: {server: "http://127.0.0.1:1"}}]
users: [{name: user, user: {token: hush-hush}}]
contexts: [{name: lab, context: {cluster: lab, user: user}}]
current-context: lab
"""


class Wrong(NamedTuple):
    """A change of the environment, and what the last words must name."""

    change: dict[str, str]
    named: tuple[str, ...]


WRONG = {
    "a bot token that Slack does not take": Wrong({"SLACK_BOT_TOKEN": f"xoxb-{HUSH}"}, ("bot token", "invalid_auth")),
    "an app token that Slack does not take": Wrong({"SLACK_APP_TOKEN": f"xapp-{HUSH}"}, ("app-level", "invalid_auth")),
    "no cluster": Wrong({"KUBECONFIG": "/nonexistent/kubeconfig"}, ("Kubernetes configuration",)),
    "no such provider": Wrong({"AUTOPSY_REPAIR_POLICY": "nobody"}, ("nobody",)),
    "a token of the wrong kind": Wrong({"SLACK_BOT_TOKEN": HUSH}, ("SLACK_BOT_TOKEN", "xoxb-")),
}


@pytest.fixture(scope="module")
def slack() -> Iterator[SlackServer]:
    with SlackServer() as server:
        yield server


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_it_ends_with_status_2_and_the_reason(slack: SlackServer, tmp_path: Path, wrong: Wrong) -> None:
    bot = Bot(_good(slack, tmp_path) | wrong.change, tmp_path / "log").start()
    assert bot.wait() == 2, bot.output
    last = bot.output.splitlines()[-1]
    assert all(one in last for one in wrong.named), bot.output
    assert "Traceback" not in bot.output
    assert "hush" not in bot.output


def test_a_port_that_is_taken_is_named(slack: SlackServer, tmp_path: Path) -> None:
    with occupied_port() as port:
        bot = Bot(_good(slack, tmp_path), tmp_path / "log", port=port).start()
        assert bot.wait() == 2
        assert str(port) in bot.output.splitlines()[-1]


def _good(slack: SlackServer, folder: Path) -> dict[str, str]:
    kubeconfig = folder / "kubeconfig"
    kubeconfig.write_text(KUBECONFIG)
    return settings(slack, NOWHERE, kubeconfig)
