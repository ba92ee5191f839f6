"""The catalogue says the same in every language, and has every label that the code asks for, and no other."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from bot.adapters.files.knowledge import LANGUAGES, load_words
from bot.knowledge.blanks import blanks
from bot.knowledge.words import Words
from bot.model.cards import ButtonKind
from bot.model.diagnosis import Certainty, Verdict
from bot.model.findings import Means
from bot.model.incident import State
from bot.model.report import MomentSource
from bot.model.sections import UnknownReason
from bot.remedy.plan import PlanState, StepState
from bot.remedy.runbook import Probe, Risk, Verb

BOT = Path(__file__).parent.parent.parent / "bot"
#: Forms, and what each of them says.
FORMS = ("", "_label", "_hint")
#: Labels that are looked up by the value of an enum.
BY_VALUE = {
    *(one.value for enum in (Verdict, State, MomentSource) for one in enum),
    *(f"{means.value}_{form}" for means in Means for form in ("by", "short")),
    *(f"act_{one.value}" for one in Verb),
    *(f"probe_{one.value}" for one in Probe),
    *(f"risk_{one.value}" for one in Risk),
    *(f"{kind}_{one.value}" for one in StepState for kind in ("step", "outcome")),
    *(f"{kind}_{one.value}" for one in PlanState for kind in ("plan", "ended")),
    *(f"button_{one.value}" for one in ButtonKind),
    *(f"form_{kind}{part}" for kind in ("deny", "break-glass", "report", "happened", "did-not") for part in FORMS),
    *(f"predicted_{one}-replacements" for one in ("last", "waiting", "running", "held")),
    "predicted_stuck-nodes",
    "plan_state_approve",
    "plan_state_commands",
    "plan_state_person",
    "plan_state_watch",
}
#: Labels of the document for afterwards.
POSTMORTEM = "postmortem-"
#: What asks for labels of the post-mortem, without their prefix.
STORY = frozenset((BOT / "narrate").glob("postmortem*.py"))
_QUOTED = re.compile(r"""["']([a-z][a-z_-]+)["']""")
_ASKED = re.compile(r"""(?:label|filled)\(\s*["']([a-z_-]+)["']""")


def texts(words: Words) -> dict[str, str]:
    """Every text of a language by its place."""
    return {
        **{f"codes.{key}": f"{one.title} {one.why} {one.open}" for key, one in words.codes.items()},
        **{f"links.{key}": text for key, text in words.links.items()},
        **{f"reasons.{key}": text for key, text in words.reasons.items()},
        **{f"labels.{key}": text for key, text in words.labels.items()},
    }


ENGLISH = texts(load_words("en"))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_language_says_the_same_things(lang: str) -> None:
    assert texts(load_words(lang)).keys() == ENGLISH.keys()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_blanks_agree_between_languages(lang: str) -> None:
    told = texts(load_words(lang))
    assert [place for place, text in ENGLISH.items() if blanks(told.get(place, "")) != blanks(text)] == []


def test_no_brace_is_left_that_is_no_blank() -> None:
    assert [place for place, text in ENGLISH.items() if "{" in re.sub(r"\{[a-z][a-z0-9_-]*\}", "", text)] == []


def test_labels_are_those_that_the_code_asks_for() -> None:
    floors = ("narrate", "render", "adapters/terminal", "entry/terminal")
    paths = {path for floor in floors for path in (BOT / floor).rglob("*.py")} - STORY | {BOT / "entry" / "lint.py"}
    sources = [path.read_text() for path in paths]
    quoted = {key for source in sources for key in _QUOTED.findall(source)} | BY_VALUE
    asked = {key for source in sources for key in _ASKED.findall(source)} | BY_VALUE
    labels = {key for key in load_words("en").labels if not key.startswith(POSTMORTEM)}
    assert asked <= labels
    assert labels <= quoted


def test_the_post_mortem_has_the_labels_that_it_asks_for() -> None:
    source = "".join(path.read_text() for path in STORY)
    labels = {key.removeprefix(POSTMORTEM) for key in load_words("en").labels if key.startswith(POSTMORTEM)}
    entries = {key for key in labels if key.startswith("entry-")}
    states = {f"state-{one.value}" for one in StepState}
    certainties = {one.value for one in Certainty}
    assert set(re.findall(r"""label\(\s*["']([a-z-]+)["']""", source)) | states | certainties <= labels
    assert labels - entries - states - certainties <= set(_QUOTED.findall(source))


@pytest.mark.parametrize("reason", UnknownReason)
def test_every_way_not_to_read_a_section_has_words(reason: UnknownReason) -> None:
    assert load_words("en").reason(f"section-{reason.value}")


def test_an_operators_own_text_with_another_blank_is_said_all_the_same() -> None:
    own = msgspec.structs.replace(
        load_words("en"), reasons={"why": "{why}, says {nobody}"}, labels={"how_many": "{count} of {all}"}
    )
    assert own.told("why", why="{all}") == "{all}, says {nobody}"
    assert own.filled("how_many", count=3) == "3 of {all}"
