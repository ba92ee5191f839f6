"""Reads the texts that an LLM is given, as they ship with the bot."""

from __future__ import annotations

from importlib import resources


def load_prompt(name: str) -> str:
    """The text of `prompts/NAME.md`.

    Raises:
        FileNotFoundError: there is none.
    """
    return (resources.files("bot") / "prompts" / f"{name}.md").read_text(encoding="utf-8")
