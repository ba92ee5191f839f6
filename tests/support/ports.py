"""Ports of loopback: one that somebody listens on, and ones that nobody listens on yet."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager

#: Bound for as long as the tests run, see `free_port`.
_kept: list[socket.socket] = []


@contextmanager
def occupied_port() -> Iterator[int]:
    """A port that somebody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as one:
        yield int(one.getsockname()[1])


def free_port() -> int:
    """A port that nobody listens on and that the system gives to nobody else.

    It stays bound, but not listening: whoever is to listen there binds it beside us, as servers do that reuse addresses
    (Python's and Go's). A port that was let go again could be anybody's until its server has come up.
    """
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    one.bind(("127.0.0.1", 0))
    _kept.append(one)
    return int(one.getsockname()[1])
