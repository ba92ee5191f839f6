"""The moment from which ages count, and where it comes from."""

from __future__ import annotations

from datetime import datetime

import msgspec

from bot.model.report import MomentSource


class Moment(msgspec.Struct, frozen=True):
    """World time of one question; `where` is the object and field that it was read from, if it was."""

    at: datetime
    source: MomentSource
    where: str = ""
