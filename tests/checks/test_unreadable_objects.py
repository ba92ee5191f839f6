"""An object that does not decode is said, is no fault, and keeps the answer from being healthy."""

from bot.checks.unreadable_objects import CHECK
from bot.model.findings import Kind, Severity
from bot.model.sections import Section, UnreadableObject
from tests.support.checked import ask, the, the_blind
from tests.support.lab import cluster

BROKEN = UnreadableObject(Section.VIRTUALMACHINES, "odd", "vms", "Expected `object`, got `str` - at `$.spec`")


def test_says_which_and_why() -> None:
    answers = ask(CHECK, cluster(unreadable=(BROKEN,)))
    found = the(answers, "unreadable-object")
    assert (found.kind, found.severity, str(found.subject)) == (Kind.FACT, Severity.INFO, "vm/vms/odd")
    assert found.values["detail"] == BROKEN.detail
    assert the_blind(answers).required
    assert the_blind(answers).command == "kubectl get virtualmachines odd -n vms -o yaml"


def test_quiet() -> None:
    answers = ask(CHECK, cluster())
    assert not answers.findings
    assert not answers.blind
