"""Deterministic checks, one question a file; the list is written out."""

from bot.checks import (
    cluster_policy,
    do_not_force_delete,
    do_not_restart_operands,
    do_not_start_kubelet,
    gpu_not_offered,
    kubelet_down,
    node_not_ready,
    operands_stuck,
    others_acting,
    permitted_devices,
    proves_nothing,
    runtime_not_ready,
    unreadable_objects,
    vm_unmanaged,
    vm_unschedulable,
)
from bot.checks.check import Check

CHECKS: tuple[Check, ...] = (
    # The node and its kubelet.
    kubelet_down.CHECK,
    node_not_ready.CHECK,
    runtime_not_ready.CHECK,
    others_acting.CHECK,
    unreadable_objects.CHECK,
    # GPU Operator and KubeVirt.
    gpu_not_offered.CHECK,
    operands_stuck.CHECK,
    vm_unschedulable.CHECK,
    vm_unmanaged.CHECK,
    permitted_devices.CHECK,
    cluster_policy.CHECK,
    proves_nothing.CHECK,
    do_not_start_kubelet.CHECK,
    do_not_force_delete.CHECK,
    do_not_restart_operands.CHECK,
)
