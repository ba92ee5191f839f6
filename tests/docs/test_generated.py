"""Pages and pictures show the program as it is: `python -m tests.docs.generated` writes them anew."""

from pathlib import Path

import pytest

from tests.docs.generated import FILES, ROOT


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_generated_file_is_what_the_program_makes(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == FILES[path](), "run python -m tests.docs.generated"
