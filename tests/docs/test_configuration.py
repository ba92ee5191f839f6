"""`docs/configuration.md` names every setting, with its variable, its default and what it is for."""

from enum import Enum
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from bot.entry.settings import CONFIG, SECRETS_DIR, Settings, load_settings, variable
from bot.entry.slack.settings import AlertApp, Channel

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value: Any = field.default.value if isinstance(field.default, Enum) else field.default
    return "" if value in (None, "", ()) else f"`{value}`"


def _rows(model: type[BaseModel]) -> list[str]:
    return [f"| `{name}` | {_default(one)} | {one.description} |" for name, one in model.model_fields.items()]


SETTINGS = [
    f"| `{variable(name, one)}` | `{name}` | {_default(one)} | {one.description} |"
    for name, one in Settings.model_fields.items()
]


@pytest.mark.parametrize("row", [*SETTINGS, *_rows(Channel), *_rows(AlertApp)])
def test_every_setting_has_its_row(row: str) -> None:
    assert row in PAGE.splitlines(), f"docs/configuration.md needs the line\n{row}"


def test_no_row_is_left_of_a_setting_that_is_gone() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| `")]
    assert sorted(rows) == sorted([*SETTINGS, *_rows(Channel), *_rows(AlertApp)])


def test_the_files_are_told() -> None:
    assert all(f"`{name}`" in PAGE for name in (CONFIG, SECRETS_DIR))


def test_the_example_is_a_config_that_loads(tmp_path: Path) -> None:
    example = PAGE.partition("```toml\n")[2].partition("```")[0]
    path = tmp_path / "config.toml"
    path.write_text(example)
    settings = load_settings(
        {
            CONFIG: str(path),
            "AUTOPSY_WEBHOOK_TOKEN": "t" * 32,
            "REDIS_URL": "redis://redis",
            "SLACK_BOT_TOKEN": "xoxb-1",
            "SLACK_APP_TOKEN": "xapp-1",
        }
    )
    assert len(settings.channels) == 2
    assert len(settings.alert_apps) == 1
