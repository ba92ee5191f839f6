"""The pages and pictures that are made from the program: `python -m tests.docs.generated` writes what is stale."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from io import StringIO
from pathlib import Path
from shutil import copytree, ignore_patterns
from tempfile import TemporaryDirectory

import msgspec
from rich.console import Console

from bot.adapters.files.knowledge import load_knowledge, load_words
from bot.adapters.files.runbooks import runbook_names
from bot.checks import CHECKS
from bot.diagnose.gone import GONE
from bot.entry.wiring import diagnosis as wiring
from bot.model.refs import Ref
from bot.remedy.probes import PROBES
from bot.render.document import schema
from bot.render.terminal import tree
from tests.support.playing import demo

ROOT = Path(__file__).parent.parent.parent
WIDTH = 100
#: What differs from run to run of a demo: moments, and the audit's MACs, whose key is the run's own.
_OF_A_RUN = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC|(?<=:)[0-9a-f]{12}(?=`)")
_FONT_FACE = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)


def codes() -> str:
    """`docs/codes.md`: every code, who finds it, what it means, what may stand before it."""
    knowledge, words, runbooks = load_knowledge(), load_words("en"), runbook_names()
    found: dict[str, list[str]] = {}
    for check in CHECKS:
        for code in check.codes:
            found.setdefault(code, []).append(f"check `{check.name}`")
    for row in knowledge.signatures:
        for code in (row.code, row.suspect):
            found.setdefault(code, []).append(f"text `{row.source}`")
    found[GONE] = ["the question, of an object that is gone"]
    lines = [
        "# Codes",
        "",
        "Everything that an answer can say, made from the checks, the signatures and the links. Written by",
        "`python -m tests.docs.generated`.",
        "",
        "| code | in words | found by | possible causes | runbook |",
        "|---|---|---|---|---|",
    ]
    for code in sorted(filter(None, found)):
        causes = ", ".join(f"`{row.cause}`" for row in knowledge.links.causes_of.get(code, ()))
        who = ", ".join(dict.fromkeys(found[code]))
        lines.append(f"| `{code}` | {words.code(code).title} | {who} | {causes} | {runbooks.get(code, '')} |")
    return "\n".join(lines) + "\n"


def probes() -> str:
    """`docs/probes.md`: everything that a step can be verified or guarded by."""
    lines = [
        "# Probes",
        "",
        "What `verify` and `precondition` of a [runbook's](runbooks.md) step may ask, made from the probes themselves.",
        "Written by `python -m tests.docs.generated`. `command` may stand among the parameters of each, for people.",
        "Where no parameter names the object, it is the step's target. `lasting` (seconds) is for those with a yes.",
        "",
        "| probe | holds when | needs | may have | `lasting` |",
        "|---|---|---|---|---|",
    ]
    for name, one in PROBES.items():
        needs, may = (", ".join(f"`{param}`" for param in sorted(params)) for params in (one.needs, one.may))
        lines.append(f"| `{name}` | {one.holds_when} | {needs} | {may} | {'yes' if one.lasts else ''} |")
    return "\n".join(lines) + "\n"


def picture(scenario: str, *refs: Ref, without: str = "") -> Callable[[], str]:
    """A scenario's answer, as the terminal shows it, as SVG; `without` is a folder of the dump that is left away."""
    dump = f"tests/scenarios/{scenario}/dump"

    def draw() -> str:
        words = load_words("en")
        with TemporaryDirectory() as scratch:
            folder = Path(scratch) / "dump"
            copytree(ROOT / dump, folder, ignore=ignore_patterns(without))
            source = wiring.dump(folder, scenario)
            found = wiring.investigator(source).investigate(refs, source.moment)
        console = Console(record=True, width=WIDTH, file=StringIO(), force_terminal=True, color_system="truecolor")
        console.print(tree(wiring.reported(found, words), words))
        asked = " ".join([*map(str, refs), f"--from {dump}", *([f"(without {without}/)"] if without else [])])
        svg = console.export_svg(title=f"gpu-autopsy diagnose {asked}", unique_id=scenario)
        # Without the fonts from elsewhere: a picture of ours makes nobody's browser call a third party.
        return _FONT_FACE.sub("", svg)

    return draw


def normal(text: str) -> str:
    """A post-mortem without what differs from run to run."""
    return _OF_A_RUN.sub("…", text)


#: Those that are made in no time.
FILES: Mapping[Path, Callable[[], str]] = {
    ROOT / "docs" / "codes.md": codes,
    ROOT / "docs" / "probes.md": probes,
    ROOT / "docs" / "report.schema.json": lambda: msgspec.json.format(msgspec.json.encode(schema())).decode() + "\n",
    ROOT / "docs" / "img" / "swap-kubelet.svg": picture("swap-kubelet", Ref("vm", "gpu-fedora", "vms")),
    ROOT / "docs" / "img" / "swap-kubelet-whole.svg": picture("swap-kubelet"),
    ROOT / "docs" / "img" / "swap-kubelet-unseen.svg": picture("swap-kubelet", without="journal"),
    ROOT / "docs" / "img" / "replacement-loop.svg": picture("replacement-loop"),
}


#: Those for which a demo is played, by its scenario. Each stays as one run told it, moments and all.
PLAYED: Mapping[Path, str] = {
    ROOT / "docs" / "postmortem-kubelet-swap.md": "swap-kubelet",
    ROOT / "docs" / "postmortem-node-replacement-loop.md": "replacement-loop",
}


def main() -> None:
    """Write them."""
    for path, make in FILES.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(make(), encoding="utf-8")
    plays = {path: demo(scenario) for path, scenario in PLAYED.items()}
    for path, play in plays.items():
        made = play.result().postmortem
        if not path.exists() or normal(path.read_text(encoding="utf-8")) != normal(made):
            path.write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
