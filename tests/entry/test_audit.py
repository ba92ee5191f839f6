"""`gpu-autopsy audit`. The axes: what is verified, with which key, what was done to it, what is missing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import redis
from typer.testing import CliRunner, Result

from bot.adapters.redis.client import Keys
from bot.adapters.redis.incidents import RedisIncidents
from bot.adapters.redis.reports import RedisReports
from bot.entry.cli import app
from bot.entry.wiring.audit import account_of
from bot.remedy.audit import record
from tests.support.journals import journal
from tests.support.plans import change, entry
from tests.support.redis import client, redis_server, redis_url
from tests.support.rehearsed import story

__all__ = ["client", "redis_server", "redis_url"]

KEY = "an audit key for tests, 32 bytes"
Run = Callable[..., Result]


@pytest.fixture
def environ(redis_url: str) -> dict[str, str]:
    return {
        "AUTOPSY_CLUSTER": "omen",
        "REDIS_URL": redis_url,
        "AUTOPSY_AUDIT_KEY": KEY,
        "AUTOPSY_DURABILITY": "best-effort",
        "AUTOPSY_AUDIT_KEY_FILE": "",
    }


@pytest.fixture
def run(environ: dict[str, str]) -> Run:
    def call(*arguments: str, **changes: str) -> Result:
        return CliRunner().invoke(app, ["audit", *arguments], env={**environ, **changes})

    return call


@pytest.fixture
def begun(run: Run, client: redis.Redis) -> Run:
    assert run("init").exit_code == 0
    journal(client, Keys("omen")).note("one", entry("approved", "inc1"), entry("noted", "inc2"))
    return run


@pytest.mark.parametrize("command", ["init", "verify", "export"])
def test_a_key_that_is_mistyped_writes_nothing_into_the_audit(begun: Run, client: redis.Redis, command: str) -> None:
    before = client.xlen(Keys("omen")("audit"))
    told = begun(command, AUTOPSY_AUDIT_KEY="another key of 32 bytes or more, mistyped")
    assert client.xlen(Keys("omen")("audit")) == before
    if command == "init":
        assert "AUTOPSY_AUDIT_KEY does not fit" in str(told.exception)
    assert begun("verify").exit_code == 0


def test_an_audit_begins_once(begun: Run) -> None:
    again = begun("init")
    assert again.exit_code == 2
    assert "nothing was changed" in again.stderr


@pytest.mark.parametrize(
    ("lang", "done", "may_be_lost"), [("en", "has begun", "it may be lost"), ("ko", "시작했습니다", "사라질")]
)
def test_what_has_begun_in_a_redis_without_a_disk_has_begun_and_may_be_lost(
    run: Run, lang: str, done: str, may_be_lost: str
) -> None:
    begun = run("init", "--lang", lang, AUTOPSY_DURABILITY="strict")
    assert (begun.exit_code, done in begun.stdout) == (0, True), begun.output
    assert may_be_lost in begun.stderr
    assert "appendonly yes" in begun.stderr
    assert run("verify").exit_code == 0
    assert run("init", AUTOPSY_DURABILITY="strict").exit_code == 2, "the second time nothing is done"


def test_what_is_not_written_is_not_said_to_have_begun(run: Run) -> None:
    begun = run("init", REDIS_URL="redis://127.0.0.1:9/0")
    assert begun.exit_code != 0
    assert "begun" not in begun.stdout
    assert str(begun.exception).startswith("Redis: ")


@pytest.mark.parametrize(("uid", "named"), [(0, "os:root"), (4_000_065_532, "os:uid-4000065532")])
def test_who_begins_is_the_account_also_where_it_has_no_name_as_in_a_container(uid: int, named: str) -> None:
    assert account_of(uid).id == named


def test_a_whole_audit_holds_and_what_that_does_not_show_is_said(begun: Run) -> None:
    found = begun("verify")
    assert found.exit_code == 0
    assert "3 entries" in found.stdout
    assert "whoever owns the key" in found.stdout


def test_an_edit_in_redis_is_named(begun: Run, client: redis.Redis) -> None:
    stream = Keys("omen")("audit")
    rows = client.xrange(stream)
    client.delete(stream)
    for number, fields in rows:  # type: ignore[union-attr]
        client.xadd(stream, {b"line": fields[b"line"].replace(b"approved", b"applied!")}, id=number)

    found = begun("verify")
    assert found.exit_code == 1
    assert found.stdout.startswith("2 (2): ")
    assert "edited" in found.stdout


def test_nothing_to_verify_is_no_good_news(run: Run) -> None:
    assert run("verify").exit_code == 2


def test_an_export_verifies_with_the_key_alone(begun: Run, tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    file.write_bytes(begun("export").stdout_bytes)
    nothing = {"REDIS_URL": "", "AUTOPSY_CLUSTER": ""}

    assert begun("verify", "--file", str(file), **nothing).exit_code == 0
    file.write_bytes(file.read_bytes().replace(b"approved", b"applied!"))
    assert begun("verify", "--file", str(file), **nothing).exit_code == 1


def test_another_key_does_not_verify_unless_the_old_one_is_told(begun: Run, tmp_path: Path) -> None:
    file, old, new = tmp_path / "audit.jsonl", tmp_path / "old", "another audit key for the tests!"
    file.write_bytes(begun("export").stdout_bytes)
    old.write_text(f"{KEY}\n")

    assert begun("verify", "--file", str(file), AUTOPSY_AUDIT_KEY=new).exit_code == 1
    assert begun("verify", "--file", str(file), "--old-key", str(old), AUTOPSY_AUDIT_KEY=new).exit_code == 0
    assert begun("verify", AUTOPSY_AUDIT_KEY=new, AUTOPSY_AUDIT_KEY_BEFORE=KEY).exit_code == 0


def test_an_export_of_one_incident_has_its_entries_only(begun: Run, tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    file.write_bytes(begun("export", "--incident", "inc2").stdout_bytes)
    lines = file.read_bytes().splitlines()

    assert [record(one).get("type") for one in lines[:-1]] == ["noted"]
    assert begun("verify", "--file", str(file)).exit_code == 0


def test_an_anchor_from_elsewhere_finds_an_older_state(begun: Run, tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    file.write_bytes(begun("export").stdout_bytes)
    mac = record(file.read_bytes().splitlines()[1])["mac"]

    # With the word before it as it ends a card.
    for anchor in (f"2:{mac[:12]}", f"audit 2:{mac[:12]}"):
        assert begun("verify", "--anchor", anchor).exit_code == 0
    for anchor in (f"3:{mac[:12]}", f"9:{mac}"):
        assert begun("verify", "--anchor", anchor).exit_code == 1
    for anchor in ("2:", "2", mac, "foo"):
        assert begun("verify", "--anchor", anchor).exit_code == 2, "it is none, and says nothing of the audit"


def keep_story(client: redis.Redis) -> str:
    """An incident with its plan, report and audit; returns its id."""
    kept, keys = story("kubelet-swap"), Keys("omen")
    store = journal(client, keys)
    RedisIncidents(client, keys).open(kept.incident)
    (plan,) = kept.plans
    assert kept.report is not None
    sha256 = RedisReports(client, keys).keep(plan.id, kept.report)
    offered = entry("plan-offered", plan.incident, report=sha256)
    assert store.commit("offer", store.read(plan.id), change(plan, plan.steps[0].state, offered))
    return plan.incident


def test_a_post_mortem_is_told_from_what_is_kept_in_the_operators_words(
    begun: Run, client: redis.Redis, tmp_path: Path
) -> None:
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "en.toml").write_text('[labels]\npostmortem-summary = "What hit us"\n', encoding="utf-8")

    found = begun("export", "--incident", keep_story(client), "--md", AUTOPSY_KNOWLEDGE=str(tmp_path))
    assert found.exit_code == 0
    assert "## What hit us" in found.stdout
    assert "# Post-mortem: swap is on" in found.stdout
    assert "The answer quoted above is the one that the audit names." in found.stdout


@pytest.mark.parametrize(
    ("arguments", "changes", "said"),
    [
        (("verify",), {"AUTOPSY_AUDIT_KEY": ""}, "AUTOPSY_AUDIT_KEY"),
        (("verify",), {"AUTOPSY_AUDIT_KEY": "short"}, "at least 32 bytes"),
        (("export",), {"REDIS_URL": "unix:///nowhere"}, "Redis: cannot be reached ("),
        (("verify", "--lang", "ko"), {"REDIS_URL": "unix:///nowhere"}, "Redis: 연결할 수 없습니다("),
        (("verify", "--file", "/nowhere"), {}, "/nowhere: "),
        (("export", "--incident", "none", "--md"), {}, "No incident none is kept"),
    ],
)
def test_what_is_missing_is_said(run: Run, arguments: tuple[str, ...], changes: dict[str, str], said: str) -> None:
    found = run(*arguments, **changes)
    assert found.exit_code != 0
    assert said in str(found.exception)


def test_a_post_mortem_is_of_one_incident(run: Run) -> None:
    assert run("export", "--md").exit_code == 2
