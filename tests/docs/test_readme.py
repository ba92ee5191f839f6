"""The README's commands fit the program."""

from pathlib import Path

from bot.model.sections import Section

README = Path(__file__).parent.parent.parent / "README.md"


def test_the_dump_has_everything_that_the_checks_read() -> None:
    loop = README.read_text(encoding="utf-8").partition("for one in ")[2].partition("; do")[0]
    assert {one.value for one in Section} <= set(loop.replace("\\", " ").split())
