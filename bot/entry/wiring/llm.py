"""Puts the optional LLM block together, one summariser a language; none where no LLM is set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import structlog

if TYPE_CHECKING:
    from redis import Redis

    from bot.adapters.redis.client import Keys
    from bot.app.ports.writer import Summariser
    from bot.entry.presenter import Presenter
    from bot.entry.settings import Settings

_log = structlog.get_logger(__name__)


def summarisers(
    settings: Settings, client: Redis, keys: Keys, presenters: Mapping[str, Presenter]
) -> dict[str, Summariser]:
    """The summariser of each language; they share the endpoint and the daily cap."""
    if settings.openai_base_url is None or settings.openai_api_key is None or settings.openai_model is None:
        return {}
    from bot.adapters.clock import WallClock
    from bot.adapters.files.prompts import load_prompt
    from bot.adapters.llm.openai import OpenAiWriter
    from bot.adapters.redis.counter import RedisDailyCap
    from bot.app.summarise import Summarise

    clock = WallClock()
    writer = OpenAiWriter(settings.openai_base_url, settings.openai_api_key.get_secret_value(), settings.openai_model)
    cap = RedisDailyCap(client, keys, clock, "summaries", settings.summary_daily_cap)
    instructions = load_prompt("summary")
    return {
        lang: Summarise(writer, clock, cap, presenter.summary, instructions=instructions, lang=lang, outcome=_told)
        for lang, presenter in presenters.items()
    }


def _told(outcome: str, values: Mapping[str, str]) -> None:
    _log.info("summary", outcome=outcome, **values)
