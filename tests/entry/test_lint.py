"""The command: one line for each problem, and what the shell gets."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from bot.entry.cli import app

RUN = CliRunner()


def test_nothing_wrong() -> None:
    done = RUN.invoke(app, ["lint"])
    assert (done.exit_code, done.stdout) == (0, "nothing wrong\n")


def test_the_answer_is_in_the_language_that_was_asked_for(tmp_path: Path) -> None:
    (tmp_path / "signatures.toml").write_text('[[signature]]\ncode = "A"\n')
    assert RUN.invoke(app, ["lint", "--lang", "ko"]).stdout == "문제 없음\n"
    assert RUN.invoke(app, ["lint", "--lang", "ko", str(tmp_path)]).stdout.splitlines()[-1].startswith("문제 ")


def test_each_problem_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "signatures.toml").write_text('[[signature]]\ncode = "A\\u001b[31m"\nsource = "x"\npattern = "y"\n')
    done = RUN.invoke(app, ["lint", str(tmp_path)])
    lines = done.stdout.splitlines()
    assert done.exit_code == 1
    assert lines[0].startswith(f"{tmp_path / 'signatures.toml'}: signature[0].code: ")
    assert "\x1b" not in done.stdout
    assert lines[-1] == f"{len(lines) - 1} problems"


def test_a_folder_in_which_nothing_is_looked_for(tmp_path: Path) -> None:
    (tmp_path / "kubelet-swap.md").write_text("---\nname: broken\n")
    done = RUN.invoke(app, ["lint", str(tmp_path)])
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (1, "1 problems")
    assert "holds none of signatures.toml, links.toml" in done.stdout


def test_a_folder_that_is_not_there() -> None:
    assert RUN.invoke(app, ["lint", "/nowhere/at/all"]).exit_code == 2
