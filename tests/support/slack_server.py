"""A fake Slack on loopback that is strict: it records what it is sent and refuses what Slack refuses."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable
from threading import Lock, Thread
from typing import Any, Self

import msgspec

from tests.support.slack_http import SlackHttp
from tests.support.slack_methods import APP, BOT_USER, METHODS, TEAM, Refusal, check_message
from tests.support.slack_socket import SlackSocket

BOT_TOKEN, APP_TOKEN = "xoxb-test", "xapp-test"
ALL_SCOPES = frozenset(
    {"app_mentions:read", "channels:history", "channels:read", "chat:write", "commands", "files:read"}
    | {"files:write", "groups:history", "groups:read", "usergroups:read", "users:read", "users:read.email"}
)


class Call(msgspec.Struct, frozen=True):
    """One request, as it came in."""

    method: str
    body: dict[str, Any]
    token: str


class Upload(msgspec.Struct):
    """A file on its way: nobody sees it before its upload is completed."""

    name: str
    length: int
    content: bytes | None = None


class SlackServer:
    """Web API, files, response URLs and (as `socket`) Socket Mode of one workspace with one app.

    Attributes:
        calls: every request of the Web API and of response URLs (method `response_url`), in their order.
        one_per_second: whether a second message within a second in one channel is refused.
        later: seconds that the clock of response URLs is ahead.
    """

    def __init__(self, *, scopes: Iterable[str] = ALL_SCOPES, **socket: Any) -> None:
        self.scopes = frozenset(scopes)
        self.socket = SlackSocket(APP, **socket)
        self.calls: list[Call] = []
        self.one_per_second = False
        self.later = 0.0
        self.users: dict[str, dict[str, Any]] = {}
        self.channels: dict[str, dict[str, Any]] = {}
        self.files: dict[str, tuple[bytes, str]] = {}
        self.redirects: dict[str, str] = {}
        self.messages: dict[tuple[str, str], dict[str, Any]] = {}
        self.uploads: dict[str, Upload] = {}
        self.triggers: set[str] = set()
        self.groups: dict[str, list[str]] = {}
        self._hooks: dict[str, list[float]] = {}
        self._failures: dict[str, deque[Refusal]] = {}
        self._last_post: dict[str, float] = {}
        self._count = 0
        self._lock = Lock()
        self.add_user(BOT_USER, is_bot=True)

    def __enter__(self) -> Self:
        self._http = SlackHttp(self)
        self._thread = Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, name="slack-http")
        self._thread.start()
        self.socket.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.stop()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def api_url(self) -> str:
        """What `SLACK_API_URL` is set to."""
        return f"{self.url}/api/"

    def add_user(self, user: str, **flags: Any) -> None:
        self.users[user] = {
            "id": user,
            "team_id": TEAM,
            "name": user.lower(),
            "deleted": False,
            "is_bot": False,
            "profile": {"email": f"{user.lower()}@example.com"},
        } | flags

    def add_channel(self, channel: str, *, member: bool = True, **flags: Any) -> None:
        kind = {"is_channel": True, "is_private": False, "is_ext_shared": False, "is_pending_ext_shared": False}
        self.channels[channel] = {"id": channel, "name": channel.lower(), "is_member": member} | kind | flags

    def add_file(self, name: str, content: bytes, mimetype: str = "text/plain") -> dict[str, Any]:
        """Keep a file; returns it as events carry it."""
        self.files[name] = (content, mimetype)
        url = f"{self.url}/files-pri/{TEAM}-{name}"
        told = {"id": f"F{len(self.files)}", "name": name, "mimetype": mimetype, "size": len(content), "mode": "hosted"}
        return told | {"url_private": url, "is_external": False}

    def response_url(self) -> str:
        """A new one: five answers within thirty minutes."""
        with self._lock:
            self._count += 1
            self._hooks[str(self._count)] = [time.monotonic()]
            return f"{self.url}/commands/{self._count}"

    def fail_next(self, method: str, error: str, *, times: int = 1, retry_after: int | None = None) -> None:
        """Refuse the next calls of this method."""
        self._failures.setdefault(method, deque()).extend([Refusal(error, retry_after=retry_after)] * times)

    def calls_of(self, method: str) -> list[dict[str, Any]]:
        """The bodies of all calls of this method."""
        with self._lock:
            return [call.body for call in self.calls if call.method == method]

    def wait_for(self, method: str, count: int = 1, seconds: float = 20) -> list[dict[str, Any]]:
        """Wait until this method was called that often; the long time is only for when it never is."""
        deadline = time.monotonic() + seconds
        while len(found := self.calls_of(method)) < count:
            assert time.monotonic() < deadline, f"{method} was called {len(found)} times, not {count}"
            time.sleep(0.01)
        return found

    def answer(self, method: str, body: dict[str, Any], token: str) -> dict[str, Any]:
        """Answer one call of the Web API.

        Raises:
            Refusal: as Slack would.
        """
        with self._lock:
            self.calls.append(Call(method, body, token))
            if self._failures.get(method):
                raise self._failures[method].popleft()
            self._check_token(method, token)
            if method not in METHODS:
                raise Refusal("unknown_method", method=method)
            return METHODS[method](self, body)

    def hook(self, name: str, body: dict[str, Any]) -> None:
        """Take an answer to a response URL.

        Raises:
            Refusal: it is used up, too old, or the blocks are too much.
        """
        with self._lock:
            self.calls.append(Call("response_url", body, ""))
            if self._failures.get("response_url"):
                raise self._failures["response_url"].popleft()
            uses = self._hooks.get(name)
            if uses is None or time.monotonic() + self.later - uses[0] > 30 * 60:
                raise Refusal("expired_url")
            if len(uses) > 5:
                raise Refusal("used_url")
            uses.append(time.monotonic())
            check_message(body)

    def file(self, path: str, token: str) -> tuple[int, bytes, dict[str, str]]:
        """Give a file; without the right to it Slack shows its login page."""
        name = path.partition(f"{TEAM}-")[2]
        if name in self.redirects:
            return 302, b"", {"Location": self.redirects[name]}
        if token != BOT_TOKEN or "files:read" not in self.scopes or name not in self.files:
            return 200, b"<!DOCTYPE html><title>Sign in</title>", {"Content-Type": "text/html; charset=utf-8"}
        content, kind = self.files[name]
        return 200, content, {"Content-Type": kind}

    def announce(self, name: str, length: int) -> dict[str, Any]:
        """Give out the address that takes a file of this length."""
        self._count += 1
        file = f"F0UP{self._count}"
        self.uploads[file] = Upload(name, length)
        return {"file_id": file, "upload_url": f"{self.url}/upload/{file}"}

    def content_of(self, file: str) -> bytes | None:
        """What was uploaded as this file, None as long as nothing was."""
        return self.uploads[file].content if file in self.uploads else None

    def shared(self) -> list[tuple[str, str, str]]:
        """Every file that people see: its channel and thread, its name, its text."""
        found = []
        for body in self.messages.values():
            for one in body.get("files", ()):
                file = self.uploads[one["id"]]
                text = (file.content or b"").decode()
                found.append((f"{body['channel']} {body.get('thread_ts', '')}", file.name, text))
        return found

    def take_upload(self, name: str, content: bytes) -> None:
        """Take the bytes of a file at the address that was given out for it.

        Raises:
            Refusal: no such address was given out, or these are not as many bytes as were announced.
        """
        with self._lock:
            self.calls.append(Call("upload", {"file": name, "size": len(content)}, ""))
            if self._failures.get("upload"):
                raise self._failures["upload"].popleft()
            announced = self.uploads.get(name)
            if announced is None or announced.length != len(content):
                raise Refusal("bad_upload")
            announced.content = content

    def _check_token(self, method: str, token: str) -> None:
        if not token:
            raise Refusal("not_authed")
        if token not in (BOT_TOKEN, APP_TOKEN):
            raise Refusal("invalid_auth")
        if (token == APP_TOKEN) != (method == "apps.connections.open"):
            raise Refusal("not_allowed_token_type")

    def need(self, scope: str) -> None:
        if scope not in self.scopes:
            raise Refusal("missing_scope", needed=scope, provided=",".join(sorted(self.scopes)))

    def visible_channel(self, body: dict[str, Any]) -> dict[str, Any]:
        channel = self.channels.get(str(body.get("channel")))
        if channel is None or (channel["is_private"] and not channel["is_member"]):
            raise Refusal("channel_not_found")
        return channel

    def check_pace(self, channel: str) -> None:
        now = time.monotonic()
        if self.one_per_second and now - self._last_post.get(channel, 0.0) < 1:
            raise Refusal("ratelimited", retry_after=1)
        self._last_post[channel] = now

    def new_ts(self) -> str:
        self._count += 1
        return f"1790000000.{self._count:06}"
