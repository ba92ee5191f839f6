"""The bot's HTTP door: Alertmanager's webhook, health and metrics.

It verifies, de-duplicates and enqueues; what an alert means is a worker's business. Alertmanager sends again what
gets a 5xx reply and drops what gets a 4xx reply (prometheus/alertmanager `notify/util.go`), so only what may get
better by itself is a 5xx.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec
import structlog
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bot.app.ports import Queue, QueueUnavailable
from bot.app.requests import AlertGroup
from bot.entry.alertmanager import PostedGroup, request_of
from bot.entry.metrics import WebhookMetrics

#: Bytes of a body. Alertmanager has no limit of its own; a thousand alerts of a kilobyte each stay below this.
BODY_LIMIT = 1 << 20
#: Errors named in a reply; Alertmanager logs only the beginning of it.
_ERRORS_NAMED = 5
#: Characters of a field's place; the name of a label is as long as who sends it likes.
_PLACE_SHOWN = 120

_log = structlog.get_logger(__name__)

#: A question about a part of the bot: does it work? Answers, never raises.
Probe = Callable[[], bool]


class Door(msgspec.Struct, frozen=True, kw_only=True):
    """What the HTTP door needs.

    Attributes:
        queue: where accepted groups go.
        token: the bearer token that Alertmanager sends; None closes the webhook.
        channels: the channels with this alert source: id by id, and id by name.
        alive: parts that must run, by name; if one does not, the process should be restarted.
        ready: what the bot needs from outside, by name; without it no request should come here.
        registry: what `/metrics` shows.
    """

    queue: Queue
    token: str | None
    channels: Mapping[str, str]
    alive: Mapping[str, Probe]
    ready: Mapping[str, Probe]
    registry: CollectorRegistry


class _Refused(Exception):
    """An answer to a request that is not accepted."""

    def __init__(self, code: int, *errors: str) -> None:
        super().__init__(code)
        self.code, self.errors = code, errors


def webhook_app(door: Door) -> Starlette:
    """The HTTP application."""
    metrics = WebhookMetrics(door.registry)

    async def alertmanager(request: Request) -> Response:
        try:
            reply = await _accept(door, metrics, request)
        except _Refused as why:
            headers = {"WWW-Authenticate": "Bearer"} if why.code == 401 else None
            reply = JSONResponse({"errors": why.errors}, why.code, headers)
            _log.warning("webhook_refused", code=why.code, channel=request.path_params["channel"], errors=why.errors)
        metrics.replies.labels(str(reply.status_code)).inc()
        return reply

    async def healthz(_: Request) -> Response:
        return await _probed(door.alive)

    async def readyz(_: Request) -> Response:
        return await _probed(door.ready)

    async def exposition(_: Request) -> Response:
        # Redis is asked for it.
        shown = await run_in_threadpool(generate_latest, door.registry)
        return Response(shown, media_type=CONTENT_TYPE_LATEST)

    return Starlette(
        routes=[
            Route("/alertmanager/{channel}", alertmanager, methods=["POST"]),
            Route("/healthz", healthz),
            Route("/readyz", readyz),
            Route("/metrics", exposition),
        ]
    )


async def _accept(door: Door, metrics: WebhookMetrics, request: Request) -> Response:
    _authorise(door.token, request.headers.get("authorization", ""))
    channel = door.channels.get(request.path_params["channel"])
    if channel is None:
        raise _Refused(404, "no channel of this id or name has the alert source 'alertmanager'")
    group = request_of(_group(await _body(request)), channel)
    try:
        fresh = await run_in_threadpool(door.queue.enqueue, group, dedupe=(group.id,))
    except QueueUnavailable as why:
        _log.error("webhook_not_queued", id=group.id, why=str(why))
        raise _Refused(503, "the queue is out of reach; send it again") from None
    _count(metrics, group, fresh)
    _log.info("webhook_group", id=group.id, channel=channel, fresh=fresh, alerts=len(group.alerts),
              truncated=group.truncated)  # fmt: skip
    return JSONResponse({"id": group.id, "fresh": fresh, "alerts": len(group.alerts), "truncated": group.truncated})


def _authorise(token: str | None, header: str) -> None:
    scheme, _, given = header.partition(" ")
    if token is None or scheme.lower() != "bearer":
        raise _Refused(401, "a bearer token is needed")
    # The time of this comparison tells nothing about where the two differ.
    if not hmac.compare_digest(given.strip().encode(), token.encode()):
        raise _Refused(401, "the bearer token is wrong")


async def _body(request: Request) -> bytes:
    """The body, read no further than the limit."""
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > BODY_LIMIT:
                raise _Refused(413, f"the body has more than {BODY_LIMIT} bytes; lower max_alerts or the annotations")
    except ClientDisconnect:
        raise _Refused(400, "the connection was closed before the body was whole") from None
    return bytes(body)


def _group(body: bytes) -> PostedGroup:
    try:
        return PostedGroup.model_validate_json(body)
    except ValidationError as why:
        # What was sent is not repeated: the reply ends up in logs.
        errors = why.errors(include_url=False, include_input=False, include_context=False)
        code = 400 if any(error["type"] == "json_invalid" for error in errors) else 422
        raise _Refused(code, *_named(errors)) from None


def _named(errors: list[Any]) -> Iterator[str]:
    for error in errors[:_ERRORS_NAMED]:
        place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error["loc"])
        yield f"{place.removeprefix('.')[:_PLACE_SHOWN] or 'body'}: {error['msg']}"
    if len(errors) > _ERRORS_NAMED:
        yield f"and {len(errors) - _ERRORS_NAMED} more"


def _count(metrics: WebhookMetrics, group: AlertGroup, fresh: bool) -> None:
    if not fresh:
        metrics.repeated.inc()
        return
    firing = sum(alert.firing for alert in group.alerts)
    metrics.alerts.labels("firing").inc(firing)
    metrics.alerts.labels("resolved").inc(len(group.alerts) - firing)
    metrics.truncated.inc(group.truncated)


async def _probed(probes: Mapping[str, Probe]) -> Response:
    answers = {name: await run_in_threadpool(probe) for name, probe in probes.items()}
    return JSONResponse(answers, 200 if all(answers.values()) else 503)
