"""The people and channels of the fake workspace that the tests speak of."""

from __future__ import annotations

from tests.support.slack_server import SlackServer


def populate(server: SlackServer) -> None:
    """Put them in."""
    server.add_user("U0ONCALL")
    server.add_user("U0GUEST", is_restricted=True)
    server.add_user("U0SINGLE", is_ultra_restricted=True)
    server.add_user("U0GONE", deleted=True)
    server.add_user("U0OTHERBOT", is_bot=True)
    server.add_user("U0STRANGER", team_id="T0OTHER", is_stranger=True)
    for channel in ("C0ALERTS", "C0HOOK", "C0KO"):
        server.add_channel(channel)
    server.add_channel("C0NOTIN", member=False)
    server.add_channel("C0PRIVATE", member=False, is_private=True)
    server.add_channel("C0SHARED", is_ext_shared=True)
