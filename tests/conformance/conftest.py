"""Every test of this folder runs against the simulated API server and, where there is one, a real one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.controlplane import ControlPlane
from tests.support.servers import ApiServer, Real


@pytest.fixture(params=["simulated", "real"])
def server(request: pytest.FixtureRequest) -> Iterator[ApiServer]:
    if request.param == "simulated":
        yield request.getfixturevalue("simulated")
        return
    plane: ControlPlane = request.getfixturevalue("control_plane")
    real = Real(plane)
    yield real
    real.close()
