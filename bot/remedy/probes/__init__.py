"""Everything that a step can be verified or guarded by: each probe a pure function of the picture.

A probe looks at what the cluster (or a paste) shows and never at what the bot did. A failed read is "cannot tell".
"""

from __future__ import annotations

from collections.abc import Mapping

from bot.remedy.probes.answer import Answer, ProbeAnswer, Question
from bot.remedy.probes.calls import call_of
from bot.remedy.probes.config import CONFIG_IS, configmaps_of
from bot.remedy.probes.labels import LABEL_IS, UNSCHEDULABLE_IS
from bot.remedy.probes.machines import VMS_SETTLED
from bot.remedy.probes.nodes import NODE_READY, RESOURCE_OFFERED
from bot.remedy.probes.operator import OPERATOR_REACTED, SANDBOX_ON
from bot.remedy.probes.pasted import CUDA_STOPPED, KUBELET_ACTIVE, SWAP_OFF
from bot.remedy.probes.replacements import CONDITION_GONE, NO_REPLACEMENT
from bot.remedy.probes.workloads import ENV_IS, POD_GONE, ROLLED_OUT
from bot.remedy.runbook import Probe

PROBES: Mapping[Probe, Question] = {
    Probe.LABEL_IS: LABEL_IS,
    Probe.OPERATOR_REACTED: OPERATOR_REACTED,
    Probe.SANDBOX_ON: SANDBOX_ON,
    Probe.SWAP_OFF: SWAP_OFF,
    Probe.KUBELET_ACTIVE: KUBELET_ACTIVE,
    Probe.CUDA_STOPPED: CUDA_STOPPED,
    Probe.NODE_READY: NODE_READY,
    Probe.RESOURCE_OFFERED: RESOURCE_OFFERED,
    Probe.VMS_SETTLED: VMS_SETTLED,
    Probe.UNSCHEDULABLE_IS: UNSCHEDULABLE_IS,
    Probe.POD_GONE: POD_GONE,
    Probe.ROLLED_OUT: ROLLED_OUT,
    Probe.CONFIG_IS: CONFIG_IS,
    Probe.ENV_IS: ENV_IS,
    Probe.CONDITION_GONE: CONDITION_GONE,
    Probe.NO_REPLACEMENT: NO_REPLACEMENT,
}

__all__ = ["PROBES", "Answer", "ProbeAnswer", "Question", "call_of", "configmaps_of"]
