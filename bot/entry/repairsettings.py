"""The settings of repair: whether anything may be changed, who approves, how many, for how long."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, DirectoryPath, Field, StringConstraints, model_validator

from bot.entry.storesettings import StoreSettings

_USER = r"^([UW][A-Z0-9]{2,})?$"
_GROUP = r"^S[A-Z0-9]{2,}$"
_TEAM = r"^(T[A-Z0-9]{2,})?$"


class Approver(BaseModel):
    """A person who may choose, approve, deny and report. With both names it is one person on both fronts."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    slack: str = Field("", pattern=_USER, description="The Slack user's id.")
    kubernetes: str = Field("", description="The user's name as the API server knows it (`kubectl auth whoami`).")

    @model_validator(mode="after")
    def _named(self) -> Self:
        if not (self.slack or self.kubernetes):
            raise ValueError("needs slack or kubernetes")
        return self


class RepairSettings(StoreSettings):
    """What every process of repair is told from outside, beside the store; a terminal needs no more."""

    team: str = Field("", pattern=_TEAM, description="The workspace's id; empty: the one that the bot token is of.")
    repair_policy: str = Field(
        "aws",
        pattern=r"^[a-z0-9-]+$",
        description="Karpenter's provider, whose node repair policies apply (`policies.toml` of the knowledge).",
    )
    knowledge: DirectoryPath | None = Field(
        None, description="A folder of your own signatures, links, words and runbooks."
    )
    paste_expiry_hours: int = Field(24, ge=1, le=720, description="Pasted host texts are forgotten after this time.")
    mutations: bool = Field(
        False, description="Whether the executor may change the cluster. Off, plans are commands to copy."
    )
    namespace: str = Field(
        "gpu-autopsy", min_length=1, description="The bot's own namespace, with its claims and the freeze."
    )
    approvers: tuple[Approver, ...] = Field((), description="The people who may approve.")
    approver_groups: tuple[Annotated[str, StringConstraints(pattern=_GROUP)], ...] = Field(
        (), description="Ids of Slack user groups whose members may approve. Let only admins edit them."
    )
    solo: bool = Field(False, description="A team of one: every quorum is one person. Said on every card.")
    quorum_reversible: int = Field(1, ge=1, le=9, description="People for a step that can be taken back.")
    quorum_disruptive: int = Field(1, ge=1, le=9, description="People for a step that disturbs work.")
    quorum_destructive: int = Field(2, ge=1, le=9, description="People for a step that can destroy work.")
    approval_minutes: int = Field(15, ge=1, le=1440, description="An approval that is asked for expires after this.")
    execution_minutes: int = Field(5, ge=1, le=60, description="What is approved must begin within this time.")
    person_minutes: int = Field(60, ge=1, le=1440, description="A person's own step must be reported within this time.")
    alertmanager_url: str | None = Field(
        None, pattern=r"^https?://", description="Alertmanager's address, for silences of what a choice leaves firing."
    )
