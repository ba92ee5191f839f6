"""Runbooks that must not be used: what is changed in a good one, and the field and reason that are named for it."""

from __future__ import annotations

from typing import Any

import pytest

from bot.remedy.lint import INTRO, Known, lint
from tests.support.books import GOOD, SECTIONS, changed, written

KNOWN = Known(
    codes=frozenset({"kubelet-swap-on", "vm-unschedulable", "node-not-ready"}),
    reasons=frozenset({"hazard-host-before-guard"}),
)


def told(*files: Any) -> list[str]:
    return [f"{one.field}: {one.reason}" for one in lint(files, KNOWN)]


def test_a_good_one_has_no_problem() -> None:
    assert told(written(GOOD)) == []


@pytest.mark.parametrize(
    ("path", "to", "field", "reason"),
    [
        # The whole.
        (("name",), "other", "name", "is not the file's"),
        (("roots",), [], "roots", "leads from nowhere"),
        (("roots",), ["never-heard-of"], "roots", "no known code"),
        (("choice",), None, "choice", "need a question"),
        (("choice",), "mark", "steps", "'mark' names 2 things"),
        (("steps", 0, "id"), "Mark It", "steps", "lower-case words"),
        # Options.
        (("options",), [], "options", "at least one"),
        (("options", 0, "steps"), [], "options[0].steps", "no steps"),
        (("options", 0, "steps"), ["mark", "hostess"], "options[0].steps", "no step 'hostess'"),
        (("options", 0, "steps"), ["host", "mark", "wait"], "options[0].steps", "'host' stands before 'mark'"),
        (("options", 0, "steps"), ["wait", "mark"], "options[0].steps", "'wait' stands before 'mark'"),
        (("options", 0, "steps"), ["mark", "mark"], "options[0].steps", "2 times"),
        (("options", 1, "steps"), ["gate", "ungate"], "options[1].steps", "takes another step back"),
        (("options", 1, "steps"), ["wait"], "steps[2]", "no option uses it"),
        (("options", 0, "leaves"), ["nothing-known"], "options[0].leaves", "no known code"),
        (("options", 1, "unless"), ["nothing-known"], "options[1].unless", "no known code"),
        # Order.
        (("steps", 1, "after"), ["nobody"], "steps[1].after", "no step 'nobody'"),
        (("steps", 0, "after"), ["wait"], "steps", "wait for each other"),
        (("steps", 1, "after"), [], "options[0].steps", "'host' waits for no other step"),
        # Parameters.
        (("parameters", "node"), "chat", "parameters.node", "subject, ref:ROLE or value:NAME"),
        (("parameters", "more"), "value:more", "parameters.more", "no step uses it"),
        (("parameters", "size"), "unheard.value:size", "parameters.size", "no known code"),
        (("parameters", "size"), None, "steps[0]", "{size} has no parameter"),
        (("parameters", "node"), "subject?", "steps[0].target", "{node} may be empty"),
        # What a step needs.
        (("steps", 4, "verify", "params", "node"), "{config}", "steps[4].verify.params", "name it in `needs`"),
        (("steps", 4, "needs"), ["node"], "steps[4].needs", "'node' is no parameter that may be empty"),
        (("steps", 4, "needs"), ["nobody"], "steps[4].needs", "'nobody' is no parameter that may be empty"),
        # A step's shape.
        (("steps", 0, "target"), "pod/{node}", "steps[0].target", "acts on node"),
        (("steps", 0, "target"), "node", "steps[0].target", "KIND/NAME"),
        (("steps", 0, "params"), {"label": "a"}, "steps[0].params", "needs 'value'"),
        (("steps", 0, "params", "shell"), "rm", "steps[0].params", "has no 'shell'"),
        (("steps", 0, "risk"), "read", "steps[0].risk", "reversible at least"),
        (("steps", 4, "risk"), "disruptive", "steps[4].risk", "is read"),
        (("steps", 0, "select"), "nodepool=x", "steps[0].select", "acts on what it finds"),
        (("steps", 0, "cap"), 0, "steps[0].cap", "at least 1"),
        (("steps", 0, "cap"), 3, "steps[0].cap", "more only for a selection"),
        # Labels, as the API server takes them.
        *(
            (("steps", 0, "params", "label"), key, "steps[0].params.label", "is no key of a label")
            for key in ("not a label!!", "a/b/c", "-a", "a/", "/a", "Example.com/a", "x" * 64, f"{'x' * 254}/a", "")
        ),
        *(
            (("steps", 0, "params", "value"), value, "steps[0].params.value", "is no value of a label")
            for value in ("not this", "-x", "x_", "x" * 64, "a/b", "{size}/")
        ),
        (("steps", 0, "verify", "params", "label"), "no label!", "steps[0].verify.params.label", "is no key"),
        (("steps", 0, "verify", "params", "value"), "no value!", "steps[0].verify.params.value", "is no value"),
        # Owners.
        (("steps", 2, "owner_of"), "size", "steps[2].owner_of", "always names an object"),
        (("steps", 2, "owner_of"), "config", "steps[2].owner_of", "always names an object"),
        (("steps", 2, "params", "change"), "anything", "steps[2].params.change", "monitor-off"),
        (("steps", 0, "params", "change"), "monitor-off", "steps[0].params", "has no 'change'"),
        # Commands.
        (("steps", 0, "commands"), ["ls"], "steps[0].commands", "only a person on a host"),
        (("steps", 1, "commands"), [], "steps[1].commands", "something to copy"),
        (
            ("steps", 1, "verify", "params", "command"),
            "cat /proc/swaps\nfree -m",
            "steps[1].verify.params.command",
            "none",
        ),
        (("steps", 1, "commands"), ["cat /proc/swaps", "x" * 60], "steps[1].commands[1]", "60 letters"),
        (("steps", 1, "commands"), ["a; b", "cat /proc/swaps"], "steps[1].commands[0]", "';' chains"),
        (("steps", 1, "commands"), ["a && b", "cat /proc/swaps"], "steps[1].commands[0]", "'&' chains"),
        (("steps", 1, "commands"), ["a | b", "cat /proc/swaps"], "steps[1].commands[0]", "'|' chains"),
        (("steps", 1, "commands"), ["echo $(x)", "cat /proc/swaps"], "steps[1].commands[0]", "'$' chains"),
        (("steps", 1, "commands"), ["a > /etc/x", "cat /proc/swaps"], "steps[1].commands[0]", "'>' chains"),
        (("steps", 1, "commands"), ["a\nb", "cat /proc/swaps"], "steps[1].commands[0]", "chains"),
        (("steps", 1, "commands"), ["a 2>&1", "cat /proc/swaps"], "steps[1].commands[0]", "chains"),
        (("steps", 1, "commands"), ["a `b`", "cat /proc/swaps"], "steps[1].commands[0]", "'`' chains"),
        *(
            (("steps", 1, "commands"), [line, "cat /proc/swaps"], "steps[1].commands[0]", "runs what another reads")
            for line in (
                *("sudo bash -c 'swapoff -a'", "sh -c x", "/bin/dash x", "env -S 'zsh -c x'", "eval x", "source /x"),
                *("xargs rm", "su -c 'swapoff -a'", "sudo python3 -c 'x'", "perl -e x", ". /etc/x"),
            )
        ),
        (("steps", 1, "commands"), ["free -m # then more", "cat /proc/swaps"], "steps[1].commands[0]", "'#' hides"),
        (("steps", 1, "commands"), ["echo 'x", "cat /proc/swaps"], "steps[1].commands[0]", "quote is not closed"),
        (("steps", 1, "verify", "params", "command"), "ls", "steps[1].verify.params.command", "none of the commands"),
        # Probes.
        (("steps", 1, "verify", "probe"), "node-ready", "steps[1].verify.probe", "what is pasted"),
        (("steps", 4, "verify", "probe"), "swap-off", "steps[4].verify.probe", "reads what a person pastes"),
        (("steps", 0, "precondition", 0, "probe"), "swap-off", "steps[0].precondition[0].probe", "pastes"),
        (("steps", 0, "verify", "params"), {"node": "{node}"}, "steps[0].verify.params", "'label'"),
        (("steps", 4, "verify", "params", "x"), "y", "steps[4].verify.params", "'x'"),
        (("steps", 4, "verify", "lasting"), 300, "steps[4].verify", "300 seconds do not fit"),
        (("steps", 4, "verify", "within"), 0, "steps[4].verify", "do not fit"),
        # The way back, and out of order.
        (("steps", 1, "hazard"), None, "steps[1].hazard", "out of order"),
        (("steps", 1, "hazard"), "hazard-unheard", "steps[1].hazard", "no words"),
        (("steps", 2, "expires"), -1, "steps[2].expires", "none below 0"),
        (("steps", 2, "undo"), None, "steps[2].undo", "takes it back"),
        (("steps", 2, "undo"), "nobody", "steps[2].undo", "no other step"),
        (("steps", 2, "undo"), "gate", "steps[2].undo", "no other step"),
    ],
    ids=lambda value: "-".join(map(str, value)) if isinstance(value, tuple) else "",
)
def test_a_broken_one_names_field_and_reason(path: tuple[str | int, ...], to: Any, field: str, reason: str) -> None:
    found = told(written(changed(*path, to=to)))
    assert [one for one in found if one.startswith(f"{field}: ") and reason in one], found


def test_what_risks_more_than_it_says_is_refused() -> None:
    clear = {
        "id": "mark",
        "verb": "clear-condition",
        "target": "nodepool/{node}",
        "select": "nodepool={node}",
        "cap": 5,
        "risk": "disruptive",
        "params": {"condition": "{size}"},
        "verify": {"probe": "condition-gone", "params": {"nodepool": "{node}", "condition": "{size}"}},
    }
    assert told(written(changed("steps", 0, to=clear))) == [
        "steps[0].risk: mark: clear-condition is destructive at least"
    ]


def test_an_option_has_a_step_whatever_is_found() -> None:
    book = changed("options", 0, "steps", to=["wait"])
    (wait,) = [one for one in book["steps"] if one["id"] == "wait"]
    wait["needs"] = ["config"]
    assert [one for one in told(written(book)) if one.endswith("no step that is always part of it")]


def test_what_is_handed_over_says_to_whose_owner() -> None:
    handed = {**GOOD["steps"][0], "verb": "hand-over", "params": {"change": "monitor-off", "size": "{size}"}}
    found = told(written(changed("steps", 0, to=handed)))
    assert "steps[0].owner_of: mark: whose owner it is handed to is not said" in found


@pytest.mark.parametrize("section", [INTRO, *SECTIONS])
@pytest.mark.parametrize("text", ["", "a title alone", "\n\na text alone"])
def test_every_section_has_title_and_text(section: str, text: str) -> None:
    assert [one for one in told(written(GOOD, **{section: text})) if "title or text" in one]


def test_a_section_that_belongs_to_nothing() -> None:
    assert told(written(GOOD, stray="Stray\n\nText.")) == ["## stray: no step, option or choice has this id"]


def test_languages_say_the_same() -> None:
    other = written(changed("steps", 0, "risk", to="disruptive"), file="small.ko.md", lang="ko")
    (found,) = lint([written(GOOD), other], KNOWN)
    assert (found.file, found.field, found.reason) == ("small.ko.md", "steps", "is not what small.md says")


def test_a_translation_alone_is_none() -> None:
    assert told(written(GOOD, file="small.ko.md", lang="ko")) == [": there is no English file beside it"]


def test_two_runbooks_for_one_root() -> None:
    (found,) = lint([written(GOOD), written(GOOD, file="twin.md")], KNOWN)
    assert (found.file, found.field) == ("twin.md", "roots")


def test_without_the_catalogue_codes_and_reasons_are_not_judged() -> None:
    data = changed("steps", 1, "hazard", to="hazard-unheard")
    assert lint([written({**data, "roots": ["of-an-operator"]})], Known()) == ()


@pytest.mark.parametrize(
    ("key", "value"),
    [("a", ""), ("nvidia.com/gpu.workload.config", "vm-passthrough"), ("x" * 63, "x" * 63), ("A_b.c-1", "{size}.v-1")],
)
def test_labels_that_the_api_server_takes(key: str, value: str) -> None:
    data = changed("steps", 0, "params", to={"label": key, "value": value})
    assert not [one for one in told(written(data)) if "of a label" in one]


@pytest.mark.parametrize(
    "command",
    ["sudo sed -i.bak '/\\sswap\\s/s/^#*/#/' /etc/fstab", "sudo systemctl mask swap.target", "cat /etc/bash.bashrc"],
)
def test_commands_that_only_look_like_a_shell(command: str) -> None:
    data = changed("steps", 1, "commands", to=[command, "cat /proc/swaps"])
    assert not [one for one in told(written(data)) if "commands[0]" in one]
