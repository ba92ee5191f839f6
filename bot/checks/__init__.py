"""Deterministic checks, one question a file; the list is written out."""

from bot.checks import (
    gpu_condition,
    gpu_configuration,
    gpu_hardware,
    node_repair,
    node_replacement_loop,
    repair_breaker,
    workload_disrupted,
)
from bot.checks.check import Check

#: GPU nodes that are marked and replaced again and again.
REPLACEMENT: tuple[Check, ...] = (
    gpu_condition.CHECK,
    gpu_hardware.CHECK,
    gpu_configuration.CHECK,
    node_repair.CHECK,
    repair_breaker.CHECK,
    node_replacement_loop.CHECK,
    workload_disrupted.CHECK,
)

CHECKS: tuple[Check, ...] = (*REPLACEMENT,)
