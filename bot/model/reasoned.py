"""An error that people are told of: a key of the word catalogue, and what fills its blanks."""

from __future__ import annotations

from collections.abc import Mapping


class Reasoned(ValueError):
    """Why there is no answer: `reason` is a key of the catalogue with `values`, which may be reasons themselves.

    The error's own text is for logs; with one value it is a reason with its detail behind it.
    """

    def __init__(self, reason: str, **values: str) -> None:
        super().__init__(" ".join((reason, *values.values())))
        self.reason = reason
        self.values: Mapping[str, str] = values
