"""What is counted at the bot's doors, in a registry that the wiring makes."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter


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
