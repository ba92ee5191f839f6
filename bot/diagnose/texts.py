"""The texts of a picture, taken apart into records; and those of them that tell nothing of now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

import msgspec

from bot.checks.views.unlisted import unlisted
from bot.diagnose.lines import last_klog, of_last_boot, records, time_of
from bot.model.findings import Reporter
from bot.model.hosttext import HostText
from bot.model.objects.meta import word_of
from bot.model.refs import Ref
from bot.model.refs import node as node_ref
from bot.model.sections import Section
from bot.model.snapshot import Snapshot, known


class Text(msgspec.Struct, frozen=True, kw_only=True):
    """One text with where it came from, taken apart into records; `spoke` is the time of its last klog line."""

    subject: Ref
    source: str
    lines: tuple[str, ...]
    spoke: datetime | None = None
    field: str = ""
    reporter: Reporter | None = None
    first: datetime | None = None
    last: datetime | None = None


def is_of_unknown_node(text: HostText, snapshot: Snapshot) -> bool:
    """Whether the list of nodes is there, is whole as far as anything tells, and lacks the text's node."""
    unread = {one.name for one in snapshot.unreadable if one.section is Section.NODES}
    is_whole = isinstance(snapshot.nodes, tuple) and Section.NODES not in snapshot.gaps and "" not in unread
    return is_whole and text.node not in {*snapshot.node, *unlisted(snapshot), *unread}


def is_of_another_boot(text: HostText, snapshot: Snapshot) -> bool:
    """Whether the text tells of a boot that is over.

    A dead kubelet cannot report a new boot: where the text goes on after the kubelet's last word, it is the text
    that is newer.
    """
    one = snapshot.node.get(text.node)
    current = one.status.node_info.boot_id if one else ""
    if not text.boot or not current or _plain(text.boot) == _plain(current):
        return False
    last_word = one.ready.last_heartbeat_time if one and one.ready and one.ready.status == "Unknown" else None
    times = [when for line in records(text.text, snapshot.at) if (when := time_of(line, snapshot.at))]
    return last_word is None or not times or max(times) <= last_word


def _plain(boot: str) -> str:
    """A boot id as systemd writes it, without the hyphens of the kernel's."""
    return boot.replace("-", "").lower()


def host_texts(snapshot: Snapshot, texts: Iterable[HostText]) -> Iterator[Text]:
    """These texts of hosts, each from its last boot on."""
    for text in texts:
        lines = of_last_boot(records(text.text, snapshot.at))
        yield Text(
            subject=node_ref(text.node),
            source=text.label,
            lines=lines,
            spoke=last_klog(lines, snapshot.at),
            reporter=text.reporter,
        )


def all_texts(snapshot: Snapshot, left_out: set[HostText]) -> Iterator[Text]:
    """Every text of a host but these, every pod's log, and every event as a text of one line."""
    at = snapshot.at
    yield from host_texts(snapshot, (text for text in snapshot.host_texts if text not in left_out))
    for log in snapshot.pod_logs:
        yield Text(subject=log.pod, source="log", lines=records(log.text, at), field=log.container)
    for event in known(snapshot.events):
        about = event.involved_object
        subject = Ref(word_of(about.kind), about.name, about.namespace)
        yield Text(
            subject=subject,
            source="event",
            lines=(event.message,),
            field=event.reason,
            first=event.first,
            last=event.last,
        )
