"""The files that people drop into a thread, as text; of each that is not read, why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from bot.app.ports.people import Files, FileTooBig, FileUnreadable
from bot.entry.slack.payloads import DroppedFile

#: More in one message are not read: the acknowledgement waits for all of them.
_MOST = 3
#: Types of text whose name does not begin with `text/`; Slack calls a journal what its ending says.
_TEXT = frozenset({"application/json", "application/x-yaml", "application/yaml", "application/toml"})
#: What Slack calls a file whose kind it does not know: `kubelet.log`, `journal`.
_UNTOLD = frozenset({"", "application/octet-stream", "binary/octet-stream"})


class Unread(msgspec.Struct, frozen=True):
    """A file that was not read; `reason` is a key of the catalogue."""

    reason: str
    values: Mapping[str, str]


def read_files(dropped: Sequence[DroppedFile], files: Files, limit: int) -> tuple[tuple[str, ...], tuple[Unread, ...]]:
    """The texts of these files, and what could not be read.

    Args:
        dropped: the files of one message.
        files: fetches them.
        limit: bytes of one file.
    """
    read: list[str] = []
    unread: list[Unread] = []
    for index, one in enumerate(dropped):
        name = {"name": (one.name or "?")[:100]}
        if index >= _MOST:
            unread.append(Unread("slack-files-too-many", {**name, "most": str(_MOST)}))
            continue
        try:
            read.append(_text(one, files, limit))
        except FileTooBig:
            unread.append(Unread("slack-file-too-big", {**name, "limit": f"{limit // 1000} kB"}))
        except FileUnreadable as why:
            unread.append(Unread("slack-file-unreadable", {**name, "why": str(why)}))
        except _NotText:
            unread.append(Unread("slack-file-not-text", name))
    return tuple(read), tuple(unread)


class _NotText(Exception):
    pass


def _text(one: DroppedFile, files: Files, limit: int) -> str:
    kind = one.mimetype or ""
    if one.mode != "snippet" and not (kind.startswith("text/") or kind in _TEXT or kind in _UNTOLD):
        raise _NotText
    if one.is_external or not one.url_private:
        raise FileUnreadable("slack-file-elsewhere")
    if (one.size or 0) > limit:
        raise FileTooBig
    content = files.read(one.url_private, limit)
    if b"\0" in content[:4096]:
        raise _NotText
    return content.decode("utf-8", errors="replace")
