"""The JSON form is the public schema: what is documented, what is generated and what is written agree."""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec

from bot.model.report import SCHEMA, Report
from bot.render.document import document, schema
from tests.support.answers import told, with_journal

DOCS = Path(__file__).parent.parent.parent / "docs"


def test_the_generated_schema_is_the_one_in_the_docs() -> None:
    assert json.loads((DOCS / "report.schema.json").read_text()) == json.loads(json.dumps(schema()))


def test_every_field_is_explained() -> None:
    explained = set(re.findall(r"`([a-z_]+)`", (DOCS / "report.md").read_text()))
    definitions = schema()["$defs"]
    fields = {name for one in definitions.values() for name in one.get("properties", {})}
    assert fields - explained == {"cause_subject", "cause_title", "effect_subject", "effect_title"}
    assert SCHEMA in (DOCS / "report.md").read_text()


def test_a_report_survives_the_journey_and_has_every_field() -> None:
    said = told(with_journal())
    text = document(said)
    assert msgspec.json.decode(text, type=Report) == said
    assert set(json.loads(text)) == set(Report.__struct_fields__)
    assert json.loads(text)["roots"][0]["evidence"][0]["object"] == "node/omen2"
