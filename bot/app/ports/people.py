"""Who speaks to the bot and where: what the ear must know before it takes a request, and the ports that tell it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec


class Person(msgspec.Struct, frozen=True, kw_only=True):
    """A user as `users.info` tells it (https://docs.slack.dev/reference/objects/user-object).

    Attributes:
        teams: all workspaces the account belongs to: its own, and those of an Enterprise Grid organisation.
        email: the address in small letters; empty without the scope `users:read.email`, or where there is none.
        enterprise: the account's id in an Enterprise Grid organisation, which all its workspaces share; empty without.
    """

    id: str
    teams: tuple[str, ...]
    deleted: bool = False
    is_bot: bool = False
    is_guest: bool = False
    is_stranger: bool = False
    email: str = ""
    enterprise: str = ""


class Channel(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation as `conversations.info` tells it (https://docs.slack.dev/reference/objects/conversation-object).

    `is_external` is true where people of other organisations are in it, or are invited.
    """

    id: str
    is_direct: bool = False
    is_external: bool = False
    is_member: bool = False


class LookupFailed(Exception):
    """Nobody can say who this is, or what this channel is; the text is Slack's own name of the error."""


class ChannelNotVisible(Exception):
    """The channel is private and the bot is not in it, so nothing of it can be known."""


class People(Protocol):
    """Looks people and channels up."""

    def person(self, user: str) -> Person:
        """The user of this id, not older than a minute.

        Raises:
            LookupFailed: Slack did not say.
        """
        ...

    def channel(self, channel: str) -> Channel:
        """The conversation of this id, not older than a minute.

        Raises:
            LookupFailed: Slack did not say.
            ChannelNotVisible: the bot may not see it.
        """
        ...


class FileUnreadable(Exception):
    """A file that could not be fetched.

    The text says why, as a reason of the catalogue or in others' words, and holds nothing of its content or address.
    """


class FileTooBig(FileUnreadable):
    """The file has more bytes than may be read."""


class Files(Protocol):
    """Fetches files that people dropped."""

    def read(self, url: str, limit: int) -> bytes:
        """The file behind `url_private`, at most `limit` bytes.

        Raises:
            FileTooBig: it is longer.
            FileUnreadable: Slack did not give it, or the address is not Slack's.
        """
        ...


class CannotOpen(Exception):
    """Slack did not open the view; the text is its name of the error."""


class Views(Protocol):
    """Opens views for who pressed a button."""

    def open(self, trigger_id: str, view: Mapping[str, Any]) -> None:
        """Open a view.

        Raises:
            CannotOpen: Slack refused, or the trigger is older than three seconds.
        """
        ...


class Groups(Protocol):
    """Looks the members of user groups up."""

    def members(self, group: str) -> frozenset[str]:
        """The ids of the group's members, not older than half a minute.

        Raises:
            LookupFailed: Slack did not say.
        """
        ...

    def forget(self, group: str) -> None:
        """Ask anew the next time: the group has changed."""
        ...
