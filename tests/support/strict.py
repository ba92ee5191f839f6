"""A pytest plugin for where nothing may be missing: a skipped test is a failed one."""

import os
from collections.abc import Generator

import pytest

#: Set where every real part must be there (CI); elsewhere what a machine lacks is skipped by name.
STRICT = "AUTOPSY_TEST_STRICT"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if os.environ.get(STRICT) and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{STRICT} is set, and this test was skipped: {report.longrepr}"
    return report
