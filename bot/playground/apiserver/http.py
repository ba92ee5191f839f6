"""The Kubernetes API over HTTP: paths, verbs, content types and status codes in front of the store."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from time import monotonic
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request as HttpRequest
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from bot.playground.apiserver import errors
from bot.playground.apiserver.bindings import bind
from bot.playground.apiserver.errors import ApiError
from bot.playground.apiserver.evictions import evict
from bot.playground.apiserver.faults import Effect, Fault, Faults, Request
from bot.playground.apiserver.logs import Logs
from bot.playground.apiserver.patches import patched
from bot.playground.apiserver.store import Query, Store
from bot.playground.apiserver.types import Json, ResourceType

_REVIEWS = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
_VERBS = {"GET": "get", "POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
#: Seconds between two looks whether a slow request is still to be held up.
_LOOK = 0.05


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """What a path means."""

    kind: ResourceType
    namespace: str = ""
    name: str = ""
    subresource: str = ""


def application(store: Store, logs: Logs, faults: Faults, users: Mapping[str, str]) -> Starlette:
    """The API server as an ASGI application; `users` are names by bearer token."""
    api = _Api(store, logs, faults, users)
    methods = list(_VERBS)
    return Starlette(routes=[Route("/{path:path}", api.answer, methods=methods)])


class _Api:
    def __init__(self, store: Store, logs: Logs, faults: Faults, users: Mapping[str, str]) -> None:
        self._store = store
        self._logs = logs
        self._faults = faults
        self._users = users

    async def answer(self, request: HttpRequest) -> Response:
        """One request: who asks, what is meant, whether a fault meets it, and then the answer itself."""
        try:
            user = self._user(request)
            if request.url.path in ("/version", "/readyz"):
                return _json({"major": "1", "minor": "36", "gitVersion": "v1.36.0-simulated"})
            if (request.method, request.url.path) == ("POST", _REVIEWS):
                return _json(_review(user), 201)
            target = self._target(request.url.path)
            fault = self._faults.meet(_seen(request, user, target))
            if fault is not None and (refusal := _refusal(fault, request, user, target)):
                raise refusal
            if fault is not None and fault.effect is Effect.SLOW:
                await self._hold_up(fault)
            if target is None:
                return PlainTextResponse("404 page not found\n", 404)
            body = await request.body()
            response = self._carry_out(request, target, body)
        except ApiError as why:
            pause = {"Retry-After": str(why.retry_after)} if why.retry_after is not None else None
            return _json(why.status, why.code, pause)
        if fault is not None and fault.effect is Effect.CUT:
            return Response(bytes(response.body)[: len(response.body) // 2], media_type="application/json")
        return response

    async def _hold_up(self, fault: Fault) -> None:
        ends = monotonic() + fault.seconds
        while (left := ends - monotonic()) > 0 and self._faults.holds(fault):
            await asyncio.sleep(min(left, _LOOK))

    def _user(self, request: HttpRequest) -> str:
        token = request.headers.get("authorization", "").partition(" ")[2].strip()
        if token not in self._users:
            raise errors.unauthorized()
        return self._users[token]

    def _target(self, path: str) -> Target | None:
        parts = [part for part in path.split("/") if part]
        match parts:
            case ["api", version, *rest]:
                group = ""
            case ["apis", group, version, *rest]:
                pass
            case _:
                return None
        namespace = ""
        if rest[:1] == ["namespaces"] and len(rest) > 2:
            _, namespace, *rest = rest
        kind = self._store.serves(group, version, rest[0]) if rest else None
        if kind is None or (namespace and not kind.namespaced):
            return None
        _, name, subresource = [*rest, "", ""][:3]
        return Target(kind=kind, namespace=namespace, name=name, subresource=subresource)

    def _carry_out(self, request: HttpRequest, target: Target, body: bytes) -> Response:
        kind, namespace, name = target.kind, target.namespace, target.name
        query = request.query_params
        dry_run = query.get("dryRun") == "All"
        match request.method, bool(name), target.subresource:
            case "GET", False, "":
                return _json(self._store.page(kind, namespace, _query(query)))
            case "GET", True, "" | "status":
                return _json(self._store.get(kind, namespace, name))
            case "GET", True, "log" if kind.plural == "pods":
                return self._log(target, query)
            case "POST", False, "":
                return _json(self._store.create(kind, namespace, _object(body), dry_run=dry_run), 201)
            case "POST", True, "binding" if kind.plural == "pods":
                bind(self._store, kind, namespace, name, _object(body), dry_run=dry_run)
                return _json(_success(201), 201)
            case "POST", True, "eviction" if kind.plural == "pods":
                evict(self._store, kind, namespace, name, _object(body), dry_run=dry_run)
                return _json(_success(201), 201)
            case "PUT" | "PATCH" as method, True, "" | "status" as subresource:
                if subresource and not kind.status:
                    return PlainTextResponse("404 page not found\n", 404)
                content_type = request.headers.get("content-type", "")
                return _json(self._change(method, target, content_type, body, dry_run=dry_run))
            case "DELETE", True, "":
                options = _object(body) if body else {}
                left = self._store.delete(kind, namespace, name, options, dry_run=dry_run)
                return _json(left or {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"})
            case _:
                raise errors.not_allowed()

    def _change(self, method: str, target: Target, content_type: str, body: bytes, *, dry_run: bool) -> Json:
        kind, given = target.kind, _data(body)

        def replaced(before: Json) -> Json:
            return _replacement(kind, before, given)

        def changed(before: Json) -> Json:
            return patched(kind, before, content_type, given)

        return self._store.update(
            kind,
            target.namespace,
            target.name,
            replaced if method == "PUT" else changed,
            subresource=target.subresource,
            dry_run=dry_run,
        )

    def _log(self, target: Target, query: Mapping[str, str]) -> Response:
        pod = self._store.get(target.kind, target.namespace, target.name)
        node = self._store.find("nodes", "", str(pod["spec"].get("nodeName", "")))
        text = self._logs.read(
            pod,
            node,
            query.get("container", ""),
            previous=query.get("previous") == "true",
            tail=_number(query, "tailLines"),
        )
        if text is None:
            return Response(status_code=204)
        return PlainTextResponse(text[: _number(query, "limitBytes")])


def _success(code: int) -> Json:
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": code}


def _review(user: str) -> Json:
    """Who asks, as authentication.k8s.io/v1 SelfSubjectReview says it."""
    info = {"username": user, "groups": ["system:authenticated"]}
    meta = {"creationTimestamp": None}
    return {
        "kind": "SelfSubjectReview",
        "apiVersion": "authentication.k8s.io/v1",
        "metadata": meta,
        "status": {"userInfo": info},
    }


def _seen(request: HttpRequest, user: str, target: Target | None) -> Request:
    verb = _VERBS.get(request.method, request.method)
    return Request(
        user=user,
        verb="list" if verb == "get" and target and not target.name else verb,
        plural=target.kind.plural if target else "",
        path=request.url.path,
        query=request.url.query,
        user_agent=request.headers.get("user-agent", ""),
        continued="continue" in request.query_params,
    )


def _refusal(fault: Fault, request: HttpRequest, user: str, target: Target | None) -> ApiError | None:
    match fault.effect:
        case Effect.FORBIDDEN if target is not None:
            verb = _seen(request, user, target).verb
            return errors.forbidden(user, verb, target.kind, target.namespace, target.name)
        case Effect.EXPIRED:
            return errors.expired()
        case Effect.TOO_MANY_REQUESTS:
            busy = ApiError(429, "TooManyRequests", "Too many requests, please try again later.")
            busy.retry_after = int(fault.seconds)
            return busy
        case Effect.ERROR:
            return ApiError(fault.code, "InternalError", "an error on the server has prevented the request")
        case _:
            return None


def _replacement(kind: ResourceType, before: Json, given: Any) -> Json:
    if not isinstance(given, dict):
        raise errors.bad_request("the body is no object")
    name, meta = before["metadata"]["name"], given.get("metadata") or {}
    if not meta.get("resourceVersion") and not kind.unconditional:
        raise errors.invalid(
            kind, name, "metadata.resourceVersion", "Invalid value: 0: must be specified for an update"
        )
    if meta.get("uid", before["metadata"]["uid"]) != before["metadata"]["uid"]:
        raise errors.conflict(kind, name, "Precondition failed: UID in precondition does not match")
    return given


def _query(query: Mapping[str, str]) -> Query:
    if query.get("watch") in ("1", "true"):
        raise errors.bad_request("this server does not serve watches: list again")
    return Query(
        labels=query.get("labelSelector", ""),
        fields=query.get("fieldSelector", ""),
        limit=max(_number(query, "limit") or 0, 0),
        token=query.get("continue", ""),
    )


def _number(query: Mapping[str, str], key: str) -> int | None:
    if key not in query:
        return None
    try:
        return int(query[key])
    except ValueError:
        raise errors.bad_request(f'strconv.ParseInt: parsing "{query[key]}": invalid syntax') from None


def _object(body: bytes) -> Json:
    data = _data(body)
    if not isinstance(data, dict):
        raise errors.bad_request("the body is no object")
    return data


def _data(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except msgspec.DecodeError as why:
        raise errors.bad_request(f"the object provided is unrecognized: {why}") from None


def _json(data: Json, code: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(msgspec.json.encode(data), code, headers, media_type="application/json")
