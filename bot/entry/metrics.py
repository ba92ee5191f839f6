"""What is counted at the bot's doors, and how full its store is, in a registry that the wiring makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from prometheus_client import CollectorRegistry, Counter
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector


class WebhookMetrics:
    """Counters of the Alertmanager webhook.

    Attributes:
        replies: answers by status code.
        alerts: alerts of accepted groups by status (`firing`, `resolved`), without repeated ones.
        truncated: alerts that Alertmanager left out of accepted groups (its `max_alerts`).
        repeated: groups that were known in this state already.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        self.replies = Counter("autopsy_webhook_replies", "Answers by status code.", ["code"], registry=registry)
        self.alerts = Counter("autopsy_webhook_alerts", "Alerts accepted.", ["status"], registry=registry)
        self.truncated = Counter("autopsy_webhook_truncated_alerts", "Alerts not sent to us.", registry=registry)
        self.repeated = Counter("autopsy_webhook_repeated_groups", "Groups known already.", registry=registry)


class StoreMetrics(Collector):
    """How full Redis is, asked when somebody looks; nothing where it cannot be told.

    Args:
        memory: bytes that it holds and bytes that it may hold (0: no limit), or None.
    """

    def __init__(self, memory: Callable[[], tuple[int, int] | None]) -> None:
        self._memory = memory

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Both gauges."""
        found = self._memory()
        if found is not None:
            used, limit = found
            yield GaugeMetricFamily("autopsy_redis_used_memory_bytes", "What Redis holds.", value=used)
            yield GaugeMetricFamily("autopsy_redis_max_memory_bytes", "What it may hold; 0: no limit.", value=limit)
