"""Faults on demand: what an API server does on a bad day, so that a reader of it can be tested."""

from __future__ import annotations

from enum import StrEnum
from threading import Lock

import msgspec


class Effect(StrEnum):
    """What happens to a request that a fault meets."""

    FORBIDDEN = "forbidden"
    EXPIRED = "expired"
    TOO_MANY_REQUESTS = "too-many-requests"
    ERROR = "error"
    SLOW = "slow"
    CUT = "cut"


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """Which requests are met, by which effect; empty fields match everything.

    Attributes:
        verb: the API's word: get, list, create, update, patch, delete.
        continued: only the later pages of a list.
        times: how many requests it meets before it is over; None for ever.
        seconds: Retry-After of TOO_MANY_REQUESTS (whole seconds), the delay of SLOW, unless it is taken away before.
        code: the HTTP status of ERROR.
    """

    effect: Effect
    user: str = ""
    verb: str = ""
    plural: str = ""
    continued: bool = False
    times: int | None = None
    seconds: float = 0.0
    code: int = 500


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """A request as the API server sees it."""

    user: str
    verb: str
    plural: str
    path: str
    query: str = ""
    user_agent: str = ""
    continued: bool = False


class Faults:
    """The faults that are in force, and the requests that came."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._left: list[tuple[Fault, int | None]] = []
        self.requests: list[Request] = []

    def add(self, fault: Fault) -> None:
        """Put a fault in force, after those that are."""
        with self._lock:
            self._left.append((fault, fault.times))

    def clear(self) -> None:
        """Take every fault away and forget the requests; those that are held up go on."""
        with self._lock:
            self._left.clear()
            self.requests.clear()

    def holds(self, fault: Fault) -> bool:
        """Whether nobody has taken this fault away."""
        with self._lock:
            return any(one is fault for one, _ in self._left)

    def meet(self, request: Request) -> Fault | None:
        """Note the request and return the first fault that meets it, one time fewer then."""
        with self._lock:
            self.requests.append(request)
            for index, (fault, left) in enumerate(self._left):
                if left == 0 or not _matches(fault, request):
                    continue
                self._left[index] = (fault, None if left is None else left - 1)
                return fault
        return None


def _matches(fault: Fault, request: Request) -> bool:
    pairs = ((fault.user, request.user), (fault.verb, request.verb), (fault.plural, request.plural))
    return all(not wanted or wanted == given for wanted, given in pairs) and (request.continued or not fault.continued)
