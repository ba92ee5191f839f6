"""A report as JSON, and the schema that its readers may rely on."""

from __future__ import annotations

from typing import Any

import msgspec

from bot.model.report import Report


def document(report: Report) -> str:
    """The report as indented JSON, every field present; control characters are escaped as JSON has it."""
    return msgspec.json.format(msgspec.json.encode(report), indent=2).decode()


def schema() -> dict[str, Any]:
    """The JSON Schema of what `document` writes (`docs/report.schema.json`)."""
    return msgspec.json.schema(Report)
