"""The log: one JSON object a line on standard output, from our own code and from the libraries alike.

Secrets stand in no line, whoever wrote it; what people and alerts wrote is never logged by us, and the libraries'
debugging, which logs whole requests, stays off.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable
from typing import IO, Any

import structlog
from structlog.typing import EventDict, Processor

#: Libraries that write whole requests, tokens or bodies at DEBUG, and noise at INFO.
_QUIET = ("slack_sdk", "slack_bolt", "urllib3", "httpx2", "httpcore2", "openai", "kubernetes", "uvicorn", "redis")
_HIDDEN = "[secret]"
#: The audit's second sink; no level silences it, since nothing runs that is not written twice.
AUDIT = "bot.audit"


def configure_logging(level: str, secrets: Iterable[str], stream: IO[str] | None = None) -> None:
    """Set the log up, once, before anything else starts.

    Args:
        level: the least level of our own lines (`DEBUG`, `INFO`, ...).
        secrets: values that are replaced wherever they occur.
        stream: where lines go, standard output if None.
    """
    hide = _hiding(secrets)
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    handler = logging.StreamHandler(stream or sys.stdout)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                hide,
                structlog.processors.JSONRenderer(ensure_ascii=False),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for name in _QUIET:
        logging.getLogger(name).setLevel(max(logging.WARNING, root.level))
    logging.getLogger(AUDIT).setLevel(logging.INFO)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )


def _hiding(secrets: Iterable[str]) -> Processor:
    # The longest first, so that a secret that contains another one is hidden whole.
    values = sorted({one for one in secrets if one}, key=len, reverse=True)

    def hidden(value: Any) -> Any:
        if isinstance(value, dict):
            return {hidden(key): hidden(item) for key, item in value.items()}
        if isinstance(value, (list, tuple, set, frozenset)):
            return [hidden(item) for item in value]
        if value is None or isinstance(value, (bool, int, float)):
            return value
        text = str(value)
        for secret in values:
            text = text.replace(secret, _HIDDEN)
        return text

    def hide(_: Any, __: str, event: EventDict) -> EventDict:
        return {str(key): hidden(value) for key, value in event.items()}

    return hide
