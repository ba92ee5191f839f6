"""What is wrong with something that people wrote: as data, so that one command can list everything at once."""

from __future__ import annotations

import re

import msgspec

#: How msgspec says where in a document something is wrong.
_PLACE = re.compile(r"(?P<reason>.*?)(?: - at `\$\.?(?P<field>[^`]*)`)?", re.DOTALL)


class Problem(msgspec.Struct, frozen=True, order=True):
    """In which file, where in it, and why."""

    file: str
    field: str
    reason: str

    def __str__(self) -> str:
        return f"{self.file}: {self.field}: {self.reason}" if self.field else f"{self.file}: {self.reason}"


def undecoded(file: str, why: Exception) -> Problem:
    """A document that does not decode, with the field that the decoder names."""
    text = " ".join(str(why).split())
    place = _PLACE.fullmatch(text)
    return Problem(file, (place and place["field"]) or "", place["reason"] if place else text)
