"""Settings. The axes: where a value comes from, which is missing, which is wrong, what may never be printed."""

from pathlib import Path

import pytest

from bot.entry.settings import (
    BrokenSettings,
    Settings,
    load_part,
    load_settings,
    take_secrets_out,
    variable,
)
from bot.entry.slack.settings import AlertSource
from bot.entry.storesettings import StoreSettings
from bot.entry.wiring.journal import audit_keys
from tests.entry.environ import LEAST

TOML = """
language = "ko"
[[channels]]
id = "C0GPU"
name = "gpu"
source = "alertmanager"
language = "en"
[[channels]]
id = "C0APP"
source = "app"
[[alert_apps]]
app_id = "A0ALERTS"
channel = "C0APP"
"""


def test_the_least_is_enough() -> None:
    settings = load_settings(LEAST)
    assert (settings.cluster, settings.language, settings.channels) == ("lab", "en", ())


@pytest.mark.parametrize("name", LEAST)
@pytest.mark.parametrize("left", ["absent", "empty"])
def test_what_is_missing_is_named(name: str, left: str) -> None:
    environ = LEAST | {name: ""} if left == "empty" else {key: value for key, value in LEAST.items() if key != name}
    with pytest.raises(BrokenSettings, match=f"^{name}: Field required$"):
        load_settings(environ)


def test_everything_missing_is_named_at_once() -> None:
    with pytest.raises(BrokenSettings) as why:
        load_settings({})
    assert [line.partition(":")[0] for line in str(why.value).splitlines()] == list(LEAST)


def test_nothing_inherits_the_secrets() -> None:
    environ = {**LEAST, "OPENAI_API_KEY": "sk-1", "REDIS_PASSWORD_FILE": "/run/redis", "PATH": "/bin"}
    whole = dict(environ)
    assert take_secrets_out(environ) == whole
    assert set(environ) == {"AUTOPSY_CLUSTER", "REDIS_PASSWORD_FILE", "PATH"}


def test_the_process_environment_is_not_read_behind_the_argument(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUTOPSY_WORKERS", "9")
    assert load_settings(LEAST).workers == 4


def test_structured_settings_stand_in_the_file(tmp_path: Path) -> None:
    settings = load_settings(_with_toml(tmp_path, TOML) | {"AUTOPSY_WEBHOOK_TOKEN": "t" * 16})
    assert settings.language == "ko"
    assert [(one.id, one.name, one.source, one.language) for one in settings.channels] == [
        ("C0GPU", "gpu", AlertSource.ALERTMANAGER, "en"),
        ("C0APP", "", AlertSource.APP, None),
    ]
    assert [(one.app_id, one.bot_id, one.channel) for one in settings.alert_apps] == [("A0ALERTS", "", "C0APP")]


def test_the_order_is_variable_then_named_file_then_folder_then_config(tmp_path: Path) -> None:
    (tmp_path / "slack_bot_token").write_text("xoxb-folder\n")
    named = tmp_path / "named"
    named.write_text("xoxb-named\n")
    environ = {key: value for key, value in LEAST.items() if key != "SLACK_BOT_TOKEN"}
    environ |= {"AUTOPSY_SECRETS_DIR": str(tmp_path)}
    assert _bot_token(environ) == "xoxb-folder"
    environ |= {"SLACK_BOT_TOKEN_FILE": str(named)}
    assert _bot_token(environ) == "xoxb-named"
    environ |= {"SLACK_BOT_TOKEN": "xoxb-variable"}
    assert _bot_token(environ) == "xoxb-variable"
    config = _with_toml(tmp_path, 'cluster = "from-file"\nworkers = 7')
    assert (load_settings(config).cluster, load_settings(config).workers) == ("lab", 7)


def test_a_folder_as_kubernetes_mounts_a_secret(tmp_path: Path) -> None:
    (tmp_path / "..2026_01_01").mkdir()
    (tmp_path / "..2026_01_01" / "AUTOPSY_WEBHOOK_TOKEN").write_text("t" * 16)
    (tmp_path / "..data").symlink_to("..2026_01_01")
    (tmp_path / "AUTOPSY_WEBHOOK_TOKEN").symlink_to("..data/AUTOPSY_WEBHOOK_TOKEN")
    token = load_settings(LEAST | {"AUTOPSY_SECRETS_DIR": str(tmp_path)}).webhook_token
    assert token is not None
    assert token.get_secret_value() == "t" * 16


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"AUTOPSY_WORKERS": "many"}, "AUTOPSY_WORKERS: "),
        ({"AUTOPSY_WORKERS": "0"}, "AUTOPSY_WORKERS: "),
        ({"AUTOPSY_LANGUAGE": "de"}, "AUTOPSY_LANGUAGE: "),
        ({"AUTOPSY_CHANNELS": "[{"}, "channels"),
        ({"AUTOPSY_CHANNELS": '[{"id": "general", "source": "app"}]'}, "AUTOPSY_CHANNELS[0].id: "),
        ({"AUTOPSY_CHANNELS": '[{"id": "C0GPU", "source": "pager"}]'}, "AUTOPSY_CHANNELS[0].source: "),
        ({"AUTOPSY_CHANNELS": '[{"id": "C0GPU", "source": "app", "nmae": "x"}]'}, "AUTOPSY_CHANNELS[0].nmae: "),
        ({"AUTOPSY_CHANNELS": '[{"id": "C0GPU", "source": "alertmanager"}]'}, "AUTOPSY_WEBHOOK_TOKEN: "),
        (
            {"AUTOPSY_CHANNELS": '[{"id": "C0GPU", "source": "app"}, {"id": "C0GPU", "source": "alertmanager"}]'},
            "channels: an id stands twice",
        ),
        (
            {"AUTOPSY_CHANNELS": '[{"id":"C01","name":"a","source":"app"},{"id":"C02","name":"a","source":"app"}]'},
            "channels: a name stands twice",
        ),
        ({"AUTOPSY_ALERT_APPS": '[{"app_id": "A01", "channel": "C0GPU"}]'}, "alert_apps: channel C0GPU"),
        ({"AUTOPSY_ALERT_APPS": '[{"channel": "C0GPU"}]'}, "AUTOPSY_ALERT_APPS[0]: needs app_id or bot_id"),
        ({"OPENAI_API_KEY": "k"}, "OPENAI_BASE_URL, OPENAI_MODEL: missing"),
        ({"SLACK_API_URL": "https://slack.example/api"}, "SLACK_API_URL: "),
        ({"AUTOPSY_CONFIG": "/nowhere/config.toml"}, "AUTOPSY_CONFIG: /nowhere/config.toml: "),
        ({"AUTOPSY_SECRETS_DIR": "/nowhere"}, "AUTOPSY_SECRETS_DIR: /nowhere is no folder"),
        ({"AUTOPSY_KNOWLEDGE": "/nowhere"}, "AUTOPSY_KNOWLEDGE: "),
        ({"REDIS_PASSWORD_FILE": "/nowhere"}, "REDIS_PASSWORD_FILE: /nowhere: "),
    ],
)
def test_what_is_wrong_is_named(wrong: dict[str, str], told: str) -> None:
    with pytest.raises(BrokenSettings) as why:
        load_settings(LEAST | wrong)
    assert told in str(why.value)


@pytest.mark.parametrize(
    ("toml", "told"),
    [
        ("cluster = [", "AUTOPSY_CONFIG: "),
        ("wrokers = 3", "wrokers: Extra inputs are not permitted"),
        ('redis_url = "redis://:hush-hush@redis"', "redis_url: a secret does not belong in "),
        ('webhook_token = "hush-hush"', "webhook_token: a secret does not belong in "),
    ],
)
def test_a_config_file_that_is_wrong(tmp_path: Path, toml: str, told: str) -> None:
    with pytest.raises(BrokenSettings) as why:
        load_settings(_with_toml(tmp_path, toml))
    assert told in str(why.value)
    assert "hush-hush" not in str(why.value)


SECRET = {
    "AUTOPSY_WEBHOOK_TOKEN": "hush-hush",
    "REDIS_URL": "http://hush-hush",
    "SLACK_BOT_TOKEN": "hush-hush",
    "SLACK_APP_TOKEN": "hush-hush",
}


@pytest.mark.parametrize("name", SECRET)
def test_a_wrong_secret_is_named_and_not_shown(name: str) -> None:
    with pytest.raises(BrokenSettings) as why:
        load_settings(LEAST | {name: SECRET[name]})
    assert str(why.value).startswith(f"{name}: ")
    assert "hush" not in str(why.value)


def test_secrets_print_in_no_form() -> None:
    settings = load_settings(LEAST | {"REDIS_URL": "redis://:hush%2Fhush@redis", "REDIS_PASSWORD": "hush-hush"})
    assert not any("hush" in text for text in (repr(settings), str(settings), settings.model_dump_json()))
    assert {"hush/hush", "hush-hush", "redis://:hush%2Fhush@redis", "xoxb-bot", "xapp-app"} == set(settings.secrets)


def test_every_setting_has_a_variable_of_its_own() -> None:
    names = [variable(name, field) for name, field in Settings.model_fields.items()]
    assert len(set(names)) == len(names)


def _bot_token(environ: dict[str, str]) -> str:
    return load_settings(environ).slack_bot_token.get_secret_value()


def _with_toml(folder: Path, text: str) -> dict[str, str]:
    path = folder / "config.toml"
    path.write_text(text)
    return LEAST | {"AUTOPSY_CONFIG": str(path)}


def test_a_part_of_the_settings_needs_nothing_else(tmp_path: Path) -> None:
    environ = {"AUTOPSY_CLUSTER": "lab", "REDIS_URL": "redis://redis:6379/0", "AUTOPSY_WORKERS": "many"}
    found = load_part(StoreSettings, environ | _with_toml(tmp_path, f'durability = "best-effort"\n{TOML}'))
    assert (found.cluster, found.durability, found.audit_key) == ("lab", "best-effort", None)


@pytest.mark.parametrize("name", ["AUTOPSY_AUDIT_KEY", "AUTOPSY_AUDIT_KEY_BEFORE"])
def test_a_short_audit_key_is_refused_and_not_shown(name: str) -> None:
    with pytest.raises(BrokenSettings, match=f"^{name}: must have at least 32 bytes") as why:
        load_settings(LEAST | {name: "short-secret"})
    assert "short-secret" not in str(why.value)


def test_an_audit_key_stands_in_a_file_of_its_own_and_in_no_log(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("k" * 32 + "\n")
    settings = load_settings(LEAST | {"AUTOPSY_AUDIT_KEY_FILE": str(tmp_path / "key")})
    assert audit_keys(settings) == (b"k" * 32,)
    assert "k" * 32 in settings.secrets


def test_an_audit_key_is_refused_in_the_config(tmp_path: Path) -> None:
    with pytest.raises(BrokenSettings, match="AUTOPSY_AUDIT_KEY"):
        load_settings(LEAST | _with_toml(tmp_path, f'audit_key = "{"k" * 32}"'))
