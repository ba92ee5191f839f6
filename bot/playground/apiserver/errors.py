"""Errors as the API server words them (meta/v1 Status)."""

from __future__ import annotations

from bot.playground.apiserver.types import Json, ResourceType


class ApiError(Exception):
    """A refused request; `status` is the Status object that the client gets."""

    def __init__(self, code: int, reason: str, message: str, details: Json | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.retry_after: int | None = None
        self.status: Json = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": message,
            **({"reason": reason} if reason else {}),
            **({"details": details} if details else {}),
            "code": code,
        }


def _details(kind: ResourceType, name: str) -> Json:
    group = {"group": kind.group} if kind.group else {}
    return {"name": name, **group, "kind": kind.plural}


def not_found(kind: ResourceType, name: str) -> ApiError:
    """The object is not there."""
    return ApiError(404, "NotFound", f'{kind.qualified} "{name}" not found', _details(kind, name))


def already_exists(kind: ResourceType, name: str) -> ApiError:
    """The name is taken."""
    return ApiError(409, "AlreadyExists", f'{kind.qualified} "{name}" already exists', _details(kind, name))


def conflict(kind: ResourceType, name: str, why: str) -> ApiError:
    """The object is not as the caller believes."""
    text = f'Operation cannot be fulfilled on {kind.qualified} "{name}": {why}'
    return ApiError(409, "Conflict", text, _details(kind, name))


def unbindable(name: str, why: str) -> ApiError:
    """The pod cannot be given a node; the server names the subresource here."""
    text = f'Operation cannot be fulfilled on pods/binding "{name}": {why}'
    return ApiError(409, "Conflict", text, {"name": name, "kind": "pods/binding"})


def modified(kind: ResourceType, name: str) -> ApiError:
    """The resourceVersion is stale."""
    why = "the object has been modified; please apply your changes to the latest version and try again"
    return conflict(kind, name, why)


def invalid(kind: ResourceType, name: str, field: str, why: str) -> ApiError:
    """One field is not acceptable."""
    cause = {"reason": "FieldValueInvalid", "message": why, "field": field}
    qualified = f"{kind.kind}.{kind.group}" if kind.custom else kind.kind
    text = f'{qualified} "{name}" is invalid: {field}: {why}'
    return ApiError(422, "Invalid", text, {**_details(kind, name), "causes": [cause]})


def unprocessable() -> ApiError:
    """A JSON patch that does not apply; the server does not say which operation (measured on 1.36)."""
    return ApiError(422, "Invalid", "the server rejected our request due to an error in our request")


def bad_request(why: str) -> ApiError:
    """The request cannot be understood."""
    return ApiError(400, "BadRequest", why)


def other_namespace() -> ApiError:
    """The object names another namespace than the request's path."""
    return bad_request("the namespace of the provided object does not match the namespace sent on the request")


def expired() -> ApiError:
    """The snapshot that a continue token belongs to is gone."""
    return ApiError(410, "Expired", "The provided continue parameter is too old to display a consistent list result.")


def forbidden(user: str, verb: str, kind: ResourceType, namespace: str, name: str) -> ApiError:
    """The user has no right to do that."""
    what = f'{kind.qualified} "{name}"' if name else kind.qualified
    where = f'in the namespace "{namespace}"' if namespace else "at the cluster scope"
    text = (
        f'{what} is forbidden: User "{user}" cannot {verb} resource "{kind.plural}" in API group "{kind.group}" {where}'
    )
    return ApiError(403, "Forbidden", text, _details(kind, name))


def unauthorized() -> ApiError:
    """The token is of no known user."""
    return ApiError(401, "Unauthorized", "Unauthorized")


def over_budget(kind: ResourceType, name: str, why: str) -> ApiError:
    """A disruption budget forbids the eviction; `why` names it."""
    causes = [{"reason": "DisruptionBudget", "message": why}]
    text = "Cannot evict pod as it would violate the pod's disruption budget."
    return ApiError(429, "TooManyRequests", text, {**_details(kind, name), "causes": causes})


def unsupported(content_type: str) -> ApiError:
    """A patch in a form that this resource does not take."""
    return ApiError(415, "UnsupportedMediaType", f"the body of the request was in an unknown format: {content_type}")


def not_allowed() -> ApiError:
    """There is no such operation on the resource."""
    return ApiError(405, "MethodNotAllowed", "the server does not allow this method on the requested resource")
