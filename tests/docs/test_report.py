"""The commands in the report's page fit the program."""

from pathlib import Path

from bot.model.sections import Section

REPORT = Path(__file__).parent.parent.parent / "docs" / "report.md"


def test_the_dump_has_everything_that_the_checks_read() -> None:
    loop = REPORT.read_text(encoding="utf-8").partition("for one in ")[2].partition("; do")[0]
    assert {one.value for one in Section} <= set(loop.replace("\\", " ").split())
