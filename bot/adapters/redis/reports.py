"""Reports in Redis, as they were when their plan was offered."""

from __future__ import annotations

import hashlib
from typing import cast

import msgspec
import redis
import structlog

from bot.adapters.redis.client import Keys
from bot.app.repair.ports import Kept
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
        """Keep it unless one of this plan and language is there; returns the SHA-256 of the one that is."""
        name = self._keys("report", plan_id, report.lang)
        self._redis.set(name, msgspec.json.encode(report), nx=True)
        return _sha256(cast("bytes | None", self._redis.get(name)) or b"")

    def of(self, plan_id: str, lang: str) -> Kept | None:
        """The report of this plan, None if there is none or none that can be read."""
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
