"""Reports in Redis, as they were when their plan was offered."""

from __future__ import annotations

import hashlib
from typing import cast

import msgspec
import redis
import structlog

from bot.adapters.redis.chaining import translated
from bot.adapters.redis.client import Keys
from bot.app.repair.ports import Kept, NotWritten
from bot.model.report import Report

_log = structlog.get_logger(__name__)


class RedisReports:
    """`app.repair.ports.ReportArchive`. They are kept as long as the plans, which is for good.

    Args:
        client: a client for writes (`client.connect`).
        keys: the names of the keys.
    """

    def __init__(self, client: redis.Redis, keys: Keys) -> None:
        self._redis = client
        self._keys = keys

    def keep(self, plan_id: str, report: Report) -> str:
        """Keep it unless one of this plan and language is there; returns the SHA-256 of the one that is.

        Raises:
            NotWritten: it is not known to be kept.
        """
        name = self._keys("report", plan_id, report.lang)
        with translated():
            self._redis.set(name, msgspec.json.encode(report), nx=True)
            kept = cast("bytes | None", self._redis.get(name))
        if kept is None:
            raise NotWritten(f"store-report-gone {plan_id}")
        return _sha256(kept)

    def of(self, plan_id: str, lang: str) -> Kept | None:
        """The report of this plan, None if there is none or none that can be read.

        Raises:
            NotWritten: the store is out of reach.
        """
        with translated():
            stored = cast("bytes | None", self._redis.get(self._keys("report", plan_id, lang)))
        if stored is None:
            return None
        try:
            return Kept(report=msgspec.json.decode(stored, type=Report), sha256=_sha256(stored))
        except msgspec.DecodeError as why:
            _log.error("report_unreadable", plan=plan_id, why=str(why))
            return None


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
