"""What checks say of a snapshot, by code and subject."""

from __future__ import annotations

from bot.checks.check import Check
from bot.diagnose.run import Answers, run_checks
from bot.model.findings import Blind, Finding
from bot.model.snapshot import Snapshot


def ask(check: Check, snapshot: Snapshot) -> Answers:
    """One check's answer, as the diagnosis runs it."""
    return run_checks((check,), snapshot)


def said(answers: Answers) -> set[tuple[str, str]]:
    """What was found: (code, subject)."""
    return {(one.code, str(one.subject)) for one in answers.findings}


def open_codes(answers: Answers) -> set[tuple[str, str]]:
    """What could not be told: (code, subject)."""
    return {(code, str(one.subject)) for one in answers.blind for code in one.codes}


def the(answers: Answers, code: str) -> Finding:
    """The only finding of this code."""
    [found] = [one for one in answers.findings if one.code == code]
    return found


def the_blind(answers: Answers) -> Blind:
    """The only thing that could not be told."""
    [found] = answers.blind
    return found
