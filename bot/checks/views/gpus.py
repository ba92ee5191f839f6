"""Which nodes have GPUs, as far as they have ever said so."""

from __future__ import annotations

from bot.model.objects import Node

GPU_PREFIX = "nvidia.com/"


def gpu_resources(node: Node) -> dict[str, str]:
    """GPU resources that the node has ever advertised, with the numbers that were written last."""
    numbers = {**node.status.capacity, **node.status.allocatable}
    return {name: number for name, number in sorted(numbers.items()) if name.startswith(GPU_PREFIX)}


def has_gpu(node: Node) -> bool:
    """Whether it has advertised a GPU, or is labelled as having one."""
    return bool(gpu_resources(node)) or node.metadata.labels.get("nvidia.com/gpu.present") == "true"
