"""The settings of `gpu-autopsy serve`: environment, secret files and one TOML file, checked before anything starts.

Other commands read a part of them in the same way (`storesettings`).

What it leaves to others: the command line's own options, and what the settings are used for.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, MutableMapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import (
    AfterValidator,
    DirectoryPath,
    Field,
    SecretStr,
    ValidationError,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, EnvSettingsSource, SecretsSettingsSource
from pydantic_settings.exceptions import SettingsError

from bot.entry.repairsettings import RepairSettings
from bot.entry.slack.settings import TEAM, AlertApp, AlertSource, Channel, Language
from bot.entry.storesettings import PREFIX
from bot.knowledge.base import PROVIDER

CONFIG = "AUTOPSY_CONFIG"
SECRETS_DIR = "AUTOPSY_SECRETS_DIR"
#: A secret may also stand in a file that NAME_FILE names.
FILE_SUFFIX = "_FILE"
T = TypeVar("T", bound=BaseSettings)


class BrokenSettings(ValueError):
    """Settings that are missing or wrong. The text names every field, and no value of any secret."""


def _prefixed(prefix: str) -> AfterValidator:
    def check(value: SecretStr) -> SecretStr:
        if not value.get_secret_value().startswith(prefix):
            raise ValueError(f"must begin with {prefix}")
        return value

    return AfterValidator(check)


class PlanSettings(RepairSettings):
    """What every front of plans is told; a terminal needs no more."""

    team: str = Field(
        "",
        pattern=TEAM,
        description="The workspace's id; empty: the bot token's. `kubernetes_approvers` with Slack ids need it.",
    )
    repair_policy: str = Field(
        PROVIDER,
        pattern=r"^[a-z0-9-]+$",
        description="Karpenter's provider, whose node repair policies apply (`policies.toml` of the knowledge).",
    )
    knowledge: DirectoryPath | None = Field(
        None, description="A folder of your own signatures, links, words and runbooks."
    )
    paste_expiry_hours: int = Field(24, ge=1, le=720, description="Pasted host texts are forgotten after this time.")

    @model_validator(mode="after")
    def _one_name_each(self) -> Self:
        """A person of both fronts is one person only where their Slack id has its workspace."""
        if any(self.kubernetes_approvers.values()) and not self.team:
            raise ValueError(
                "AUTOPSY_KUBERNETES_APPROVERS: names people of Slack, so AUTOPSY_TEAM must say of which workspace"
            )
        return self


class Settings(PlanSettings):
    """Everything that `gpu-autopsy serve` is told from outside. Made by `load_settings`."""

    language: Language = Field("en", description="The language of the answers: `en` or `ko`.")
    channels: tuple[Channel, ...] = Field((), description="The channels that alerts come to.")
    alert_apps: tuple[AlertApp, ...] = Field((), description="The Slack apps whose messages are alerts.")
    workers: int = Field(4, ge=1, le=64, description="Diagnoses at the same time, in each replica.")
    webhook_host: str = Field("0.0.0.0", description="The address that webhook, health and metrics listen on.")  # noqa: S104  a pod has no other
    webhook_port: int = Field(8080, ge=0, le=65535, description="The port of webhook, health and metrics.")
    webhook_token: SecretStr | None = Field(
        None, min_length=16, description="The bearer token that Alertmanager sends; needed by a channel of its."
    )
    stop_seconds: int = Field(25, ge=1, le=300, description="How long running work may take to end at a stop.")
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field("INFO", description="The least level logged.")
    summary_daily_cap: int = Field(200, ge=0, description="LLM summaries a day, over all replicas.")
    slack_bot_token: Annotated[SecretStr, _prefixed("xoxb-")] = Field(
        validation_alias="SLACK_BOT_TOKEN", description="The bot token."
    )
    slack_app_token: Annotated[SecretStr, _prefixed("xapp-")] = Field(
        validation_alias="SLACK_APP_TOKEN", description="The app-level token with `connections:write`."
    )
    slack_api_url: str = Field(
        "https://slack.com/api/",
        pattern=r"^https?://.+/$",
        validation_alias="SLACK_API_URL",
        description="The base address of Web API and Socket Mode, with a slash at its end.",
    )
    openai_base_url: str | None = Field(
        None, pattern=r"^https?://", validation_alias="OPENAI_BASE_URL", description="An OpenAI-compatible LLM."
    )
    openai_api_key: SecretStr | None = Field(None, validation_alias="OPENAI_API_KEY", description="Its key.")
    openai_model: str | None = Field(None, validation_alias="OPENAI_MODEL", description="Its model.")

    @model_validator(mode="after")
    def _fit_together(self) -> Self:
        sources = {channel.id: channel.source for channel in self.channels}
        if len(sources) < len(self.channels):
            raise ValueError("channels: an id stands twice, and a channel has one alert source")
        names = [channel.name for channel in self.channels if channel.name]
        if len(set(names)) < len(names):
            raise ValueError("channels: a name stands twice")
        for app in self.alert_apps:
            if sources.get(app.channel) is not AlertSource.APP:
                raise ValueError(f"alert_apps: channel {app.channel} is not in channels with source 'app'")
        if AlertSource.ALERTMANAGER in sources.values() and self.webhook_token is None:
            raise ValueError("AUTOPSY_WEBHOOK_TOKEN: a channel with source 'alertmanager' needs it")
        llm = {"OPENAI_BASE_URL": self.openai_base_url, "OPENAI_API_KEY": self.openai_api_key}
        llm["OPENAI_MODEL"] = self.openai_model
        missing = [name for name, value in llm.items() if value is None]
        if 0 < len(missing) < len(llm):
            raise ValueError(f"{', '.join(missing)}: missing; the three settings of the LLM go together")
        return self


def variable(name: str, field: FieldInfo) -> str:
    """The environment variable of a setting."""
    return str(field.validation_alias or f"{PREFIX}{name}".upper())


def take_secrets_out(environ: MutableMapping[str, str]) -> dict[str, str]:
    """The whole environment; from the one that is given, the variables that hold secrets are removed.

    What this process starts inherits its environment (a kubeconfig may name a program that fetches credentials), and
    libraries look there behind our back: Bolt takes SLACK_BOT_TOKEN.
    """
    whole = dict(environ)
    for name, field in Settings.model_fields.items():
        if _is_secret(field):
            environ.pop(variable(name, field), None)
    return whole


def load_settings(environ: Mapping[str, str]) -> Settings:
    """The settings from an environment and the files that it names. The first that has a value wins.

    The order is: variable, NAME_FILE, a file in the folder AUTOPSY_SECRETS_DIR, the TOML file AUTOPSY_CONFIG.

    Raises:
        BrokenSettings: one is missing or wrong, or a file cannot be read.
    """
    return _load(Settings, environ, _from_toml(environ))


def load_part(model: type[T], environ: Mapping[str, str]) -> T:
    """A part of the settings, from the same places; what the others are does not matter.

    Raises:
        BrokenSettings: one of the part is missing or wrong, or a file cannot be read.
    """
    found = _from_toml(environ)
    return _load(model, environ, {name: found[name] for name in found.keys() & model.model_fields})


def _load(model: type[T], environ: Mapping[str, str], from_toml: Mapping[str, Any]) -> T:
    found = {**from_toml, **_from_secrets_dir(model, environ), **_from_environment(model, environ)}
    try:
        return model(**found)
    except ValidationError as why:
        raise BrokenSettings("\n".join(_told(model, why))) from None


def _from_environment(model: type[BaseSettings], environ: Mapping[str, str]) -> dict[str, Any]:
    source = EnvSettingsSource(model)
    # The environment is an argument here; the source would read the process's own.
    named = _named_files(model, environ)
    source.env_vars = {name.lower(): value for name, value in {**named, **environ}.items() if value}
    try:
        return source()
    except SettingsError as why:
        raise BrokenSettings(f"{why}: the environment variable must hold JSON") from None


def _named_files(model: type[BaseSettings], environ: Mapping[str, str]) -> dict[str, str]:
    names = [variable(name, field) for name, field in model.model_fields.items()]
    files = {name: environ.get(f"{name}{FILE_SUFFIX}") for name in names}
    return {name: _text(f"{name}{FILE_SUFFIX}", Path(path)) for name, path in files.items() if path}


def _from_secrets_dir(model: type[BaseSettings], environ: Mapping[str, str]) -> dict[str, Any]:
    folder = environ.get(SECRETS_DIR)
    if not folder:
        return {}
    if not Path(folder).is_dir():
        raise BrokenSettings(f"{SECRETS_DIR}: {folder} is no folder")
    return SecretsSettingsSource(model, secrets_dir=folder)()


def _from_toml(environ: Mapping[str, str]) -> dict[str, Any]:
    path = environ.get(CONFIG)
    if not path:
        return {}
    try:
        data = tomllib.loads(_text(CONFIG, Path(path)))
    except tomllib.TOMLDecodeError as why:
        raise BrokenSettings(f"{CONFIG}: {path}: {why}") from None
    for name, field in Settings.model_fields.items():
        if name in data and _is_secret(field):
            raise BrokenSettings(f"{name}: a secret does not belong in {path}; set {variable(name, field)}")
    return data


def _is_secret(field: FieldInfo) -> bool:
    return "SecretStr" in str(field.annotation)


def _text(setting: str, path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as why:
        reason = why.strerror if isinstance(why, OSError) else "not UTF-8"
        raise BrokenSettings(f"{setting}: {path}: {reason}") from None


def _told(model: type[BaseSettings], why: ValidationError) -> Iterator[str]:
    variables = {name: variable(name, field) for name, field in model.model_fields.items()}
    for error in why.errors(include_url=False, include_input=False, include_context=False):
        message = error["msg"].removeprefix("Value error, ")
        head, *rest = error["loc"] or ("",)
        place = variables.get(str(head), str(head)) + "".join(
            f"[{part}]" if isinstance(part, int) else f".{part}" for part in rest
        )
        yield f"{place}: {message}" if place else message
