"""The bytes of a file as text, whichever of the usual encodings they are in."""

from __future__ import annotations

import codecs
from pathlib import Path

from bot.model.reasoned import Reasoned

#: A byte order mark says what follows; PowerShell's `>` writes UTF-16.
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
#: So many bytes are looked at to tell UTF-16 without a mark: every second one of plain text is null then.
_LOOKED_AT = 200


class UnreadableDump(Reasoned):
    """A dump that cannot be read: the file, and why, as a reason of the catalogue or in others' words."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__("file-failed", file=str(path), why=why)
        self.why = why


def read_text(path: Path, *, errors: str = "replace") -> str:
    """The text of a file; `errors` as `bytes.decode` has it.

    Raises:
        UnreadableDump: the file cannot be read; or, with `errors="strict"`, its bytes are no text.
    """
    try:
        data = path.read_bytes()
        return data.decode(_encoding(data), errors)
    except OSError as why:
        raise UnreadableDump(path, str(why.strerror)) from None
    except ValueError as why:
        raise UnreadableDump(path, str(why)) from None


def _encoding(data: bytes) -> str:
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name
    odd, even = data[1:_LOOKED_AT:2], data[0:_LOOKED_AT:2]
    if odd and odd.count(0) > len(odd) // 2:
        return "utf-16-le"
    return "utf-16-be" if even and even.count(0) > len(even) // 2 else "utf-8"
