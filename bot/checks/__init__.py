"""Deterministic checks, one question a file; the list is written out."""

from bot.checks import (
    cluster_policy,
    do_not_force_delete,
    do_not_restart_operands,
    do_not_start_kubelet,
    gpu_condition,
    gpu_configuration,
    gpu_given_to_containers,
    gpu_hardware,
    gpu_not_offered,
    gpu_operator_acting,
    kubelet_down,
    node_not_ready,
    node_repair,
    node_replacement_loop,
    operands_stuck,
    others_acting,
    permitted_devices,
    proves_nothing,
    repair_breaker,
    runtime_not_ready,
    unread_files,
    unreadable_objects,
    vm_unmanaged,
    vm_unschedulable,
    workload_disrupted,
)
from bot.checks.check import Check

#: Nodes and their kubelets, and who else acts on them.
NODE: tuple[Check, ...] = (
    kubelet_down.CHECK,
    node_not_ready.CHECK,
    runtime_not_ready.CHECK,
    others_acting.CHECK,
    unreadable_objects.CHECK,
    unread_files.CHECK,
)

#: What the GPU Operator and KubeVirt make of a GPU.
OPERATOR: tuple[Check, ...] = (
    gpu_not_offered.CHECK,
    operands_stuck.CHECK,
    vm_unschedulable.CHECK,
    vm_unmanaged.CHECK,
    permitted_devices.CHECK,
    cluster_policy.CHECK,
    gpu_given_to_containers.CHECK,
    gpu_operator_acting.CHECK,
    proves_nothing.CHECK,
    do_not_start_kubelet.CHECK,
    do_not_force_delete.CHECK,
    do_not_restart_operands.CHECK,
)

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

CHECKS: tuple[Check, ...] = (*NODE, *OPERATOR, *REPLACEMENT)
