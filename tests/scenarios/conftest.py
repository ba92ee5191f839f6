"""The pictures of both founding incidents, taken once."""

from __future__ import annotations

import pytest

from bot.model.snapshot import Snapshot
from tests.scenarios.twins import AT
from tests.support.scenarios import FOLDER, snapshot_of


@pytest.fixture(scope="package")
def swap(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return snapshot_of(FOLDER / "swap-kubelet" / "dump", AT, (), tmp_path_factory.mktemp("swap"))


@pytest.fixture(scope="package")
def loop(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return snapshot_of(FOLDER / "replacement-loop" / "dump", None, (), tmp_path_factory.mktemp("loop"))
