"""Pages and pictures show the program as it is: `python -m tests.docs.generated` writes them anew."""

from pathlib import Path

import pytest

from tests.docs.generated import FILES, PLAYED, ROOT, normal
from tests.support.playing import demo


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_generated_file_is_what_the_program_makes(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == FILES[path](), "run python -m tests.docs.generated"


@pytest.mark.real
@pytest.mark.parametrize("path", PLAYED, ids=lambda path: path.name)
def test_a_post_mortem_is_that_of_the_demo_as_it_was_played(path: Path) -> None:
    plays = {one: demo(scenario) for one, scenario in PLAYED.items()}
    told, made = path.read_text(encoding="utf-8"), plays[path].result().postmortem
    assert normal(told) == normal(made), "run python -m tests.docs.generated"


def test_only_what_differs_from_run_to_run_is_not_compared() -> None:
    assert normal("| 2026-11-30 14:21:07 UTC | predicted 1; seen 1, to `21:4f3b442b7672` of `31:4f3b44`") == (
        "| … | predicted 1; seen 1, to `21:…` of `31:4f3b44`"
    )
