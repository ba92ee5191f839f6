"""What an answer says of an object that was asked about and that nobody could look at.

It is not there any more, or is of a kind that the bot does not read and has no pods. Its owner, its NodeClaims and its
events were asked in its place. Where they tell of no fault nothing was seen to be well either: the object itself,
which was the question, nobody could look at.
"""

from __future__ import annotations

from bot.checks.evidence import stamp
from bot.model.findings import Blind, Code
from bot.model.objects import Event
from bot.model.objects.meta import word_of
from bot.model.refs import Ref
from bot.model.sections import RESOURCES
from bot.model.snapshot import Snapshot, known

GONE = Code("object-gone")


_READ = frozenset(word_of(one.kind) for one in RESOURCES.values())


def open_question(ref: Ref, snapshot: Snapshot) -> Blind:
    """What was seen of it last, and where more of it may be seen."""
    lease = snapshot.lease.get(ref.name) if ref.kind == "node" else None
    where = f" -n {ref.namespace}" if ref.namespace else ""
    is_read = ref.kind in _READ
    why, values = "object-gone" if is_read else "object-not-read", {"subject": str(ref)}
    command = f"kubectl get {ref.kind} {ref.name}{where} -o yaml"
    if event := _last_event(ref, snapshot):
        why = "object-gone-event" if is_read else "object-not-read-event"
        when = stamp(event.last) if event.last else ""
        values |= {"reason": event.reason, "quote": event.message.strip(), "when": when}
        if is_read:
            command = f"kubectl get events -A --field-selector involvedObject.name={ref.name}"
    elif lease is not None and lease.spec.renew_time is not None:
        why = "object-gone-lease"
        values |= {"when": stamp(lease.spec.renew_time)}
    return Blind(check="object-gone", codes=(GONE,), subject=ref, why=why, command=command, values=values)


def _last_event(ref: Ref, snapshot: Snapshot) -> Event | None:
    """The newest event about it; of a pod also what its controller wrote of making or deleting it."""
    made = {f"Created pod: {ref.name}", f"Deleted pod: {ref.name}"} if ref.kind == "pod" else set()
    by_owner = [
        one for one in known(snapshot.events) if one.message in made and one.metadata.namespace == ref.namespace
    ]
    every = [*snapshot.events_by_object.get(ref, ()), *by_owner]
    return max(every, key=_age, default=None)


def _age(event: Event) -> tuple[float, str, str]:
    return event.last.timestamp() if event.last else 0.0, event.reason, event.message
