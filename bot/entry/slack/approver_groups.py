"""The user groups that may approve: whoever may edit a group may put himself in, so each change is noted and told."""

from __future__ import annotations

from collections.abc import Callable

from bot.app.ports import Clock, Queue
from bot.app.requests import Notice
from bot.entry.slack.payloads import GroupUpdated, MembersChanged
from bot.model.incident import Place

#: The audit's entry.
CHANGED = "approvers-changed"


class ApproverGroups:
    """Takes what Slack says of user groups, and drops what concerns no approvers.

    Args:
        team: the workspace's id.
        groups: ids of the user groups whose members may approve.
        forget: makes this process ask anew who is in a group. Others ask within half a minute in any case.
        queue: takes the notice.
        clock: decision time.
        place: where it is told while no incident is open.
    """

    def __init__(
        self,
        *,
        team: str,
        groups: tuple[str, ...],
        forget: Callable[[str], None],
        queue: Queue,
        clock: Clock,
        place: Place,
    ) -> None:
        self._team = team
        self._groups = groups
        self._forget = forget
        self._queue = queue
        self._clock = clock
        self._place = place

    def members_changed(self, told: MembersChanged) -> None:
        """Somebody was added or removed. Who was removed is called, too: the group no longer reaches them."""
        changed = told.event
        if self._concerns(told.team_id, changed.subteam_id):
            values = {
                "group": changed.subteam_id,
                "added": ", ".join(changed.added_users) or "-",
                "removed": ", ".join(changed.removed_users) or "-",
            }
            call = tuple(f"slack:{self._team}/{one}" for one in changed.removed_users)
            self._note(told.event_id, "approvers-changed", values, call)

    def updated(self, told: GroupUpdated) -> None:
        """The group is another one; of that it is disabled people are told, of its members the other event tells."""
        group = told.event.subteam
        if self._concerns(told.team_id, group.id) and group.date_delete:
            self._note(told.event_id, "approvers-disabled", {"group": group.id, "by": group.deleted_by or "-"})

    def _concerns(self, team: str, group: str) -> bool:
        if team != self._team or group not in self._groups:
            return False
        self._forget(group)
        return True

    def _note(self, event_id: str, reason: str, values: dict[str, str], call: tuple[str, ...] = ()) -> None:
        notice = Notice(
            id=f"group:{event_id}",
            entry=CHANGED,
            reason=reason,
            values=values,
            at=self._clock.now(),
            call=call,
            place=self._place,
        )
        self._queue.enqueue(notice, dedupe=(f"event:{event_id}",))
