"""What people on duty do from a terminal about an incident of Slack. Axes: which word, what the store keeps."""

from __future__ import annotations

import pytest

from tests.entry.terminal.stage import Terminal, flat, terminal
from tests.support.alertmanager import answering
from tests.support.cards import INCIDENT
from tests.support.controlplane import ADMIN
from tests.support.redis import redis_server, redis_url
from tests.support.servers import shared_simulated_server, simulated

__all__ = ["redis_server", "redis_url", "shared_simulated_server", "simulated", "terminal"]


def test_an_incident_is_taken(terminal: Terminal) -> None:
    terminal.keep()
    taken = terminal.run("take", INCIDENT.id)
    assert taken.exit_code == 0, taken.output
    kept = terminal.incidents.by_id(INCIDENT.id)
    assert kept is not None
    assert kept.owner == f"k8s:{ADMIN}"
    assert [(one["actor"], one["incident"]) for one in terminal.told("taken")] == [(kept.owner, INCIDENT.id)]
    assert f"k8s:{ADMIN} has taken" in flat(taken)
    assert INCIDENT.place.channel not in taken.output, "it stands here and in no thread"
    assert ADMIN in flat(terminal.run("open"))


def test_the_story_is_shown_and_who_asked_is_written_down(terminal: Terminal) -> None:
    terminal.keep()
    told = terminal.run("postmortem", INCIDENT.id)
    assert told.exit_code == 0, told.output
    assert "# Post-mortem" in told.output
    assert INCIDENT.place.channel not in told.output.splitlines()[0]
    assert [one["actor"] for one in terminal.told("exported")] == [f"k8s:{ADMIN}"]


@pytest.mark.parametrize(
    ("status", "kind"), [(200, "silenced"), (500, "refused")], ids=["it takes them", "it does not"]
)
def test_alerts_are_silenced_where_alertmanager_takes_it(terminal: Terminal, status: int, kind: str) -> None:
    terminal.keep()
    with answering(status, b'{"silenceID": "s1"}') as (address, seen):
        terminal.environ["AUTOPSY_ALERTMANAGER_URL"] = address
        silenced = terminal.run("silence", INCIDENT.id)
    assert silenced.exit_code == int(kind == "refused"), silenced.output
    assert len(seen) == len(INCIDENT.firing)
    assert [one["actor"] for one in terminal.told(kind)] == [f"k8s:{ADMIN}"]


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_freeze_in_a_redis_without_a_disk_is_done_and_may_be_lost(terminal: Terminal, lang: str) -> None:
    kept = terminal.run("freeze", "odd")
    assert (kept.exit_code, kept.stderr.count("appendonly")) == (0, 0), "the operator waives the disk"
    terminal.environ["AUTOPSY_DURABILITY"] = "strict"
    frozen = terminal.run("freeze", "very odd", "--lang", lang)
    assert frozen.exit_code == 0, frozen.output
    assert {"en": "may be lost", "ko": "사라질"}[lang] in frozen.stderr
    assert "appendonly yes" in frozen.stderr
    assert "very odd" in terminal.run("open").output


def test_a_freeze_from_a_terminal_of_another_encoding_is_done(terminal: Terminal) -> None:
    frozen = terminal.run("freeze", b"odd \xb3\xeb".decode(errors="surrogateescape"))
    assert frozen.exit_code == 0, frozen.output
    assert "odd ??" in terminal.run("open").output
