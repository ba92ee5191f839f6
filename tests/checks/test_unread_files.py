"""A file that could not be read is named with the reason, and keeps the answer from being healthy."""

from bot.checks.unread_files import CHECK
from bot.model.refs import CLUSTER
from bot.model.snapshot import UnreadFile
from tests.support.checked import ask, the_blind
from tests.support.lab import cluster


def test_says_which_and_why() -> None:
    blind = the_blind(ask(CHECK, cluster(unread_files=(UnreadFile("dump/x.yaml", "no YAML"),))))
    assert (blind.required, blind.subject) == (True, CLUSTER)
    assert dict(blind.values) == {"file": "dump/x.yaml", "detail": "no YAML"}


def test_quiet() -> None:
    assert not ask(CHECK, cluster()).blind
