"""The settings of repair: whether anything may be changed, who approves, and through what.

What it leaves to others: where settings are read from (`settings`), and the executor's rights (its role).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, SecretStr, StringConstraints, model_validator

from bot.entry.storesettings import StoreSettings
from bot.remedy.decision import QUORUM, Policy
from bot.remedy.freezing import TO_UNFREEZE
from bot.remedy.plan import TERMINAL
from bot.remedy.runbook import Risk

SlackUser = Annotated[str, StringConstraints(pattern=r"^[UW][A-Z0-9]{2,}$")]
SlackGroup = Annotated[str, StringConstraints(pattern=r"^S[A-Z0-9]{2,}$")]
#: A Slack user, or nothing for somebody without a Slack account.
Alias = Annotated[str, StringConstraints(pattern=r"^([UW][A-Z0-9]{2,})?$")]
People = Annotated[int, Field(ge=1, le=9)]
#: A window of a step, at most a day: what was read when the plan was made grows old.
Minutes = Annotated[int, Field(ge=1, le=1440)]


class RepairSettings(StoreSettings):
    """Off by default: then plans are commands to copy."""

    mutations: bool = Field(
        False, description="Whether approved steps are carried out; the executor must be installed, too."
    )
    solo: bool = Field(False, description="For teams of one: one approval is enough for every step; cards say so.")
    second_channel: bool = Field(
        False,
        description="Whether what takes several people takes a word of one of them in a terminal, too: then a Slack "
        "session alone approves nothing of that kind, and breaks no glass.",
    )
    quorum: Mapping[Risk, People] = Field(
        {}, description="How many people a risk class takes, where it is not 1 (`destructive`: 2)."
    )
    approval_minutes: Minutes = Field(15, description="How long a step may be approved, from its offer.")
    execution_minutes: Minutes = Field(5, description="How long after its last approval a step may begin.")
    person_minutes: Minutes = Field(60, description="How long people have for their step, from its offer or approval.")
    approvers: tuple[SlackUser, ...] = Field((), description="Slack ids of the people who may approve.")
    approver_groups: tuple[SlackGroup, ...] = Field((), description="Slack ids of user groups whose members may.")
    kubernetes_approvers: Mapping[str, Alias] = Field(
        {}, description="Kubernetes users who may approve in the terminal, each with the Slack id of that person."
    )
    namespace: str = Field(
        "gpu-autopsy",
        pattern=r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$",
        description="The bot's own namespace, where claims and the freeze stand.",
    )
    executor_kubeconfig: Path | None = Field(
        None, description="The executor's kubeconfig, outside a cluster; inside, its pod's account is used."
    )
    alertmanager_url: str | None = Field(
        None, pattern=r"^https?://", description="Alertmanager's address, for silences; without it none are offered."
    )
    alertmanager_token: SecretStr | None = Field(
        None, description="A bearer token, where something in front of Alertmanager asks for one."
    )

    @model_validator(mode="after")
    def _can_be_met(self) -> Self:
        """What nobody could ever do is no setting: it would show only when somebody needs it."""
        listed = {*self.approvers, *(slack or name for name, slack in self.kubernetes_approvers.items())}
        if self.mutations and not listed and not self.approver_groups:
            raise ValueError(
                "AUTOPSY_MUTATIONS: nobody may approve: set AUTOPSY_APPROVERS, AUTOPSY_APPROVER_GROUPS "
                "or AUTOPSY_KUBERNETES_APPROVERS"
            )
        if Risk.READ in self.quorum:
            raise ValueError("AUTOPSY_QUORUM: what only looks (read) takes nobody")
        if self.solo and self.quorum:
            raise ValueError("AUTOPSY_SOLO: every quorum is one then; leave AUTOPSY_QUORUM out")
        if self.second_channel and (self.solo or not self.kubernetes_approvers):
            raise ValueError(
                "AUTOPSY_SECOND_CHANNEL: nobody could: list people in AUTOPSY_KUBERNETES_APPROVERS, and leave "
                "AUTOPSY_SOLO out"
            )
        # How many people a group has, Slack alone knows.
        if listed and not self.approver_groups:
            self._are_enough(len(listed))
        return self

    def _are_enough(self, listed: int) -> None:
        """Whether so many people can do all that may be asked of them. Raises ValueError: they cannot."""
        needed = {risk.value: count for risk, count in self.quorum.items()}
        if self.mutations and not self.solo:
            needed = {risk.value: count for risk, count in QUORUM.items()} | needed | {"unfreeze": TO_UNFREEZE}
        listed_are = f"{listed} {'is' if listed == 1 else 'are'} listed"
        for what, count in sorted(needed.items(), key=lambda one: -one[1]):
            if count > listed:
                beside = "" if what == "unfreeze" else " beside whoever asked"
                raise ValueError(
                    f"AUTOPSY_QUORUM: {what} takes {count} people{beside}, and {listed_are}: list more "
                    "in AUTOPSY_APPROVERS; for a team of one there is AUTOPSY_SOLO"
                )

    def policy(self, team: str) -> Policy:
        """The rules that decisions are made by; `team` is the workspace of the Slack ids."""
        names = {
            f"{TERMINAL}{name}": f"slack:{team}/{user}" for name, user in self.kubernetes_approvers.items() if user
        }
        quorum = {**QUORUM, **self.quorum}
        return Policy(
            quorum=quorum,
            solo=self.solo,
            second_channel=self.second_channel,
            mutations=self.mutations,
            approval_window=self.approval_minutes * 60,
            execution_window=self.execution_minutes * 60,
            person_window=self.person_minutes * 60,
            also_known_as=names,
        )
