"""What the API server's answer to a write means: done, definitely not done, or not known."""

from __future__ import annotations

from enum import Enum

from bot.adapters.kubernetes.client import Reply
from bot.adapters.kubernetes.replies import causes, told

#: The server refused and stored nothing. 422 is also its word for a wrong uid and for a JSON patch whose test fails.
_DEFINITE = frozenset({400, 401, 403, 404, 405, 406, 413, 415, 422, 429})


class Meaning(Enum):
    """What is known after one answer."""

    DONE = "done"
    CHANGED_SINCE = "changed-since"
    """The object is not as it was read: nothing was stored, look again."""
    REFUSED = "refused"
    UNCLEAR = "unclear"


def meaning(reply: Reply) -> Meaning:
    """A 2xx means done whatever its body; whatever is neither that nor a definite refusal is unclear."""
    if 200 <= reply.status < 300:
        return Meaning.DONE
    if reply.status in (409, 422):
        return Meaning.CHANGED_SINCE
    return Meaning.REFUSED if reply.status in _DEFINITE else Meaning.UNCLEAR


def words(reply: Reply) -> str:
    """The server's own words, with what a disruption budget adds to them."""
    added = causes(reply) if reply.status == 429 else ()
    return " ".join((f"HTTP {reply.status}: {told(reply)}", *added))
