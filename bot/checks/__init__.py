"""Deterministic checks, one question a file; the list is written out."""

from bot.checks.check import Check

CHECKS: tuple[Check, ...] = ()
