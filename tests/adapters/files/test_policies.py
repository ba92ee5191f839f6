"""Axes: the provider known, unknown, the operator's own; the file whole or broken."""

from datetime import timedelta
from pathlib import Path

import pytest

from bot.adapters.files.knowledge import BrokenKnowledge, load_policies
from bot.model.snapshot import RepairPolicy


def test_aws_is_the_default() -> None:
    assert load_policies() == load_policies("aws")
    assert RepairPolicy("AcceleratedHardwareReady", "False", timedelta(minutes=10)) in load_policies()


def test_a_provider_may_have_no_rows() -> None:
    assert load_policies("cluster-api") == ()


def test_an_unknown_provider_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(BrokenKnowledge, match=r"'acme' is none of alibaba, aws"):
        load_policies("acme")


def test_an_operators_table_replaces_ours(tmp_path: Path) -> None:
    (tmp_path / "policies.toml").write_text(
        '[aws]\npolicy = [{ condition = "Ready", status = "False", minutes = 5 }]\n[acme]\n', encoding="utf-8"
    )
    assert load_policies("aws", tmp_path) == (RepairPolicy("Ready", "False", timedelta(minutes=5)),)
    assert load_policies("acme", tmp_path) == ()


def test_a_part_of_a_minute_is_a_toleration_too(tmp_path: Path) -> None:
    text = '[aws]\npolicy = [{ condition = "Ready", status = "False", minutes = 0.25 }]\n'
    (tmp_path / "policies.toml").write_text(text, encoding="utf-8")
    assert load_policies("aws", tmp_path) == (RepairPolicy("Ready", "False", timedelta(seconds=15)),)


@pytest.mark.parametrize("text", ["[aws", '[aws]\npolicy = [{ condition = "Ready" }]', "[aws]\nrows = []"])
def test_a_broken_file_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "policies.toml").write_text(text, encoding="utf-8")
    with pytest.raises(BrokenKnowledge, match=r"policies\.toml"):
        load_policies("aws", tmp_path)
