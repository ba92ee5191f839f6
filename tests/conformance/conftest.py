"""Every test of this folder runs against the simulated API server and, where there is one, a real one."""

from __future__ import annotations

import pytest

from tests.support.servers import ApiServer


@pytest.fixture(params=["simulated", "real"])
def server(request: pytest.FixtureRequest) -> ApiServer:
    found: ApiServer = request.getfixturevalue(request.param)
    return found
