"""The founding incidents, diagnosed once."""

from __future__ import annotations

import pytest

from bot.model.diagnosis import Diagnosis
from tests.remedy.founding import diagnosis_of


@pytest.fixture(scope="package")
def swap() -> Diagnosis:
    return diagnosis_of("swap-kubelet")


@pytest.fixture(scope="package")
def loop() -> Diagnosis:
    return diagnosis_of("replacement-loop")
