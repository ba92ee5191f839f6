"""One value inside a text that holds several. Axes: there or not, the way there, what the text is."""

from __future__ import annotations

import pytest
import yaml

from bot.adapters.kubernetes.texts import NoMapping, with_gate, with_path

TEXT = "monitors:\n  storage:\n    enabled: true\n  nvidia:\n    enabled: true\n    other: 1\n"


@pytest.mark.parametrize(
    ("text", "value", "wanted"),
    [
        (TEXT, "false", TEXT.replace("nvidia:\n    enabled: true", "nvidia:\n    enabled: false")),
        (TEXT, "true", TEXT),
        ("# kept, as nothing changes\n" + TEXT, "true", "# kept, as nothing changes\n" + TEXT),
        ("", "false", "monitors:\n  nvidia:\n    enabled: false\n"),
        ("monitors:\n", "false", "monitors:\n  nvidia:\n    enabled: false\n"),
        ("monitors:\n  nvidia:\n", "false", "monitors:\n  nvidia:\n    enabled: false\n"),
        ("other: 1\n", "false", "other: 1\nmonitors:\n  nvidia:\n    enabled: false\n"),
        (TEXT, "'false'", TEXT.replace("nvidia:\n    enabled: true", "nvidia:\n    enabled: 'false'")),
    ],
)
def test_one_path_of_a_document(text: str, value: str, wanted: str) -> None:
    assert with_path(text, "monitors.nvidia.enabled", value) == wanted


@pytest.mark.parametrize(
    ("text", "why"),
    [
        *((text, yaml.YAMLError) for text in ("a: [", "\t- x")),
        *((text, NoMapping) for text in ("- a\n", "just words", "monitors: 1\n", "monitors:\n  nvidia: on\n")),
    ],
)
def test_a_text_without_that_path(text: str, why: type[Exception]) -> None:
    with pytest.raises(why):
        with_path(text, "monitors.nvidia.enabled", "false")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("NodeRepair=true", "NodeRepair=false"),
        ("A=true,NodeRepair=true,B=false", "A=true,NodeRepair=false,B=false"),
        ("A=true, NodeRepair=true", "A=true,NodeRepair=false"),
        ("A=true", "A=true,NodeRepair=false"),
        ("", "NodeRepair=false"),
    ],
)
def test_one_gate_of_a_list(text: str, wanted: str) -> None:
    assert with_gate(text, "NodeRepair", "false") == wanted
