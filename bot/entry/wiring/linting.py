"""Puts `gpu-autopsy lint` together."""

from __future__ import annotations

from pathlib import Path

from bot.model.problem import Problem


def problems(folder: Path | None) -> tuple[Problem, ...]:
    """Everything that is wrong with the bot's knowledge and runbooks and those of the folder."""
    from bot.adapters.files import linting

    return linting.problems(folder)
