"""The settings of the shared store and its audit: those that commands beside `serve` need as well.

What it leaves to others: where settings are read from (`settings`).
"""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import unquote, urlsplit

from pydantic import AfterValidator, Field, SecretStr
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

PREFIX = "AUTOPSY_"
#: What `remedy.audit` asks for; here it is checked before anything starts.
_LEAST_KEY = 32


def _redis(value: SecretStr) -> SecretStr:
    if not value.get_secret_value().startswith(("redis://", "rediss://", "unix://")):
        raise ValueError("must begin with redis://, rediss:// or unix://")
    return value


def _long_enough(value: SecretStr) -> SecretStr:
    if len(value.get_secret_value().encode()) < _LEAST_KEY:
        raise ValueError(f"must have at least {_LEAST_KEY} bytes, such as `openssl rand -hex 32` makes")
    return value


AuditSecret = Annotated[SecretStr, AfterValidator(_long_enough)]


class AuditSettings(BaseSettings):
    """The keys of the audit: all that an export needs to be verified. Made by `settings.load_part`."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_ignore_empty=True, frozen=True, extra="forbid", validate_by_name=True
    )

    audit_key: AuditSecret | None = Field(
        None,
        description="The key of the audit, at least 32 bytes. Without it no plan is offered, as answers say.",
    )
    audit_key_before: AuditSecret | None = Field(
        None, description="The audit key before this one, while it is being replaced."
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Only what `settings` hands over; nothing is read from the process behind its back."""
        return (init_settings,)


class StoreSettings(AuditSettings):
    """Which cluster, which Redis, which audit key. Made by `settings.load_part`."""

    cluster: str = Field(min_length=1, max_length=63, description="The cluster's name; it stands on every message.")
    redis_url: Annotated[SecretStr, AfterValidator(_redis)] = Field(
        validation_alias="REDIS_URL", description="The Redis server: `redis://HOST:PORT/DB`, or `rediss://` for TLS."
    )
    redis_password: SecretStr | None = Field(
        None, validation_alias="REDIS_PASSWORD", description="Its password, where the address has none."
    )
    durability: Literal["strict", "best-effort"] = Field(
        "strict",
        description="`strict`: nothing runs before Redis says that the intent is on disk. `best-effort`: cards say so.",
    )
    redis_replicas: int = Field(0, ge=0, le=9, description="How many Redis replicas must have an intent as well.")

    @property
    def secrets(self) -> tuple[str, ...]:
        """The values that may stand in no log."""
        values = (getattr(self, name) for name in type(self).model_fields)
        whole = tuple(value.get_secret_value() for value in values if isinstance(value, SecretStr))
        password = urlsplit(self.redis_url.get_secret_value()).password
        return (*whole, unquote(password)) if password else whole
