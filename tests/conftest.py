"""Fixtures and rules that tests of several rooms share."""

pytest_plugins = [
    "tests.support.controlplane",
    "tests.support.karpenter",
    "tests.support.servers",
    "tests.support.strict",
]
