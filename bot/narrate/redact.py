"""Takes secrets out of text before it leaves for an LLM.

Known forms of tokens, values of environment variables and of keys that sound like a secret, private keys, the
user part of addresses. Identifiers that a diagnosis needs (GPU UUIDs, PCI addresses, digests, names of pods) have none
of these forms. Redacting twice changes nothing more.
"""

from __future__ import annotations

import re

REDACTED = "[redacted]"
_SENSITIVE = (
    r"[\w.-]*(?:passw(?:or)?d|passphrase|pwd|secret|token|credential|api[_-]?key|access[_-]?key|private[_-]?key)"
)

#: Each pattern, and what takes its place; groups that are named again survive.
_RULES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"(?s)-----BEGIN [A-Z0-9 ]+-----.*?(?:-----END [A-Z0-9 ]+-----|\Z)", REDACTED),
        (r"\beyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)?", REDACTED),  # JWT, service account tokens
        (r"\bxox[a-z](?:\.[a-z]+)?-[\w-]{8,}|\bxapp-[\w-]{8,}", REDACTED),  # Slack
        (r"\bhooks\.slack\.com/(?:services|workflows)/\S+", REDACTED),
        (r"\b(?:hf|api_org)_[A-Za-z0-9]{16,}", REDACTED),  # Hugging Face
        (r"\bnvapi-[\w-]{16,}|\b[A-Za-z0-9]{80,}\b", REDACTED),  # NGC, new and old form
        (r"\bsk-[\w-]{16,}", REDACTED),  # OpenAI and those who follow it
        (r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b", REDACTED),  # AWS
        (r"\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bAIza[\w-]{30,}", REDACTED),
        (r"\bwandb_v\d+_\w{16,}", REDACTED),
        (r"(?i)(\bwandb\b[^\n]{0,80}?)\b[0-9a-f]{40}\b", rf"\1{REDACTED}"),
        (r"(?<=://)[^\s/@]+@", f"{REDACTED}@"),
        (r"(?i)(\bauthorization\b[\"']?\s*[:=]\s*[\"']?)(?:(?:bearer|basic|token)\s+)?[^\s\"',;}]+", rf"\1{REDACTED}"),
        (r"(?i)(\bbearer\s+)[\w.~+/=-]{8,}", rf"\1{REDACTED}"),
        (rf"(?i)({_SENSITIVE}[\w.-]*[\"']?\s*[:=]\s*)\"[^\"\n]*\"", rf'\1"{REDACTED}"'),
        (rf"(?i)({_SENSITIVE}[\w.-]*[\"']?\s*[:=]\s*)'[^'\n]*'", rf"\1'{REDACTED}'"),
        (rf"(?i)({_SENSITIVE}[\w.-]*[\"']?\s*[:=]\s*)[^\s\"',;}}]+", rf"\1{REDACTED}"),
        (rf"(?i)(--{_SENSITIVE}[\w-]*\s+)[^\s\"'-][^\s\"']*", rf"\1{REDACTED}"),
        # Environment variables: NAME=value, and {{"name": ..., "value": ...}} as Kubernetes writes them.
        (r"(?<![\w.-])([A-Z][A-Z0-9_]{2,}=)\"[^\"\n]*\"", rf'\1"{REDACTED}"'),
        (r"(?<![\w.-])([A-Z][A-Z0-9_]{2,}=)(?!GPU-)[^\s\"',;}]+", rf"\1{REDACTED}"),
        (r"(\"name\":\s*\"[^\"\n]*\",\s*\"value\":\s*)\"(?:[^\"\\\n]|\\.)*\"", rf'\1"{REDACTED}"'),
    )
)
#: A rule may uncover what an earlier one looks for; no text that was tried needed a third round.
_ROUNDS = 4


def redact(text: str) -> str:
    """The text without secrets; names of keys stay, so that it can still be read."""
    for _ in range(_ROUNDS):
        after = _once(text)
        if after == text:
            break
        text = after
    return text


def _once(text: str) -> str:
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    return text
