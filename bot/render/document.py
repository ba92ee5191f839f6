"""A report as JSON, what stands in its place where there is none, and the schema that readers may rely on."""

from __future__ import annotations

from typing import Any

import msgspec

from bot.model.report import Failure, Report


def document(report: Report | Failure) -> str:
    """The report as indented JSON, every field present; control characters are escaped as JSON has it."""
    return msgspec.json.format(msgspec.json.encode(report), indent=2).decode()


def schema() -> dict[str, Any]:
    """The JSON Schema of what `document` writes (`docs/report.schema.json`)."""
    (whole, failed), parts = msgspec.json.schema_components((Report, Failure), ref_template="#/$defs/{name}")
    return {"anyOf": [whole, failed], "$defs": parts}
