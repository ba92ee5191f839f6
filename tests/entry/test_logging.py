"""The log. The axes: who writes (we, a library), where a secret stands, which level."""

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from bot.adapters.auditlog import LOGGER, log_entry
from bot.entry.logging import AUDIT, configure_logging

SECRET = "xoxb-hush"


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    stream = io.StringIO()
    configure_logging("INFO", ["hush", SECRET, ""], stream)
    yield stream
    structlog.reset_defaults()
    root.handlers[:] = handlers
    root.setLevel(level)


def lines(log: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.getvalue().splitlines()]


def test_a_line_is_one_json_object(log: io.StringIO) -> None:
    structlog.get_logger("bot.entry.webhook").info("webhook_group", alerts=2, channel="C0GPU", fresh=True)
    (line,) = lines(log)
    assert line.pop("timestamp").endswith("Z")
    assert line == {
        "event": "webhook_group",
        "level": "info",
        "logger": "bot.entry.webhook",
        "alerts": 2,
        "channel": "C0GPU",
        "fresh": True,
    }


def test_libraries_write_the_same(log: io.StringIO) -> None:
    logging.getLogger("somebody").warning("%s of %s\nlines", 2, 3)
    (line,) = lines(log)
    assert (line["event"], line["level"], line["logger"]) == ("2 of 3\nlines", "warning", "somebody")


PLACES: dict[str, dict[str, Any]] = {
    "a value": {"token": SECRET},
    "inside a text": {"url": f"https://x/?token={SECRET}&a"},
    "a list": {"headers": ["Authorization", f"Bearer {SECRET}"]},
    "a nested key": {"headers": {"deep": [{SECRET: 1}]}},
    "an object": {"why": ValueError(SECRET)},
    "bytes": {"body": SECRET.encode()},
}


@pytest.mark.parametrize("values", PLACES.values(), ids=PLACES)
def test_a_secret_stands_in_no_line(log: io.StringIO, values: dict[str, Any]) -> None:
    structlog.get_logger("ours").error("failed", **values)
    assert "hush" not in log.getvalue()
    assert "[secret]" in log.getvalue()


def test_a_secret_stands_in_no_traceback(log: io.StringIO) -> None:
    try:
        raise ValueError(SECRET)
    except ValueError:
        logging.getLogger("library").exception("failed with %s", SECRET)
        structlog.get_logger("ours").exception("failed")
    assert "hush" not in log.getvalue()
    assert ["Traceback" in line["exception"] for line in lines(log)] == [True, True]


def test_levels(log: io.StringIO) -> None:
    structlog.get_logger("ours").debug("quiet")
    logging.getLogger("slack_sdk.web").info("quiet")
    logging.getLogger("slack_sdk.web").warning("heard")
    assert [line["event"] for line in lines(log)] == ["heard"]


@pytest.mark.parametrize("level", ["DEBUG", "INFO", "WARNING", "ERROR"])
def test_the_audit_is_written_whatever_the_level(log: io.StringIO, level: str) -> None:
    configure_logging(level, [], log)
    log_entry(b'{"seq":"1"}')
    (line,) = lines(log)
    assert (line["event"], line["entry"]) == ("audit", '{"seq":"1"}')
    assert LOGGER == AUDIT
