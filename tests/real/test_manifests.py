"""A real API server takes the manifests, and the bot's account may read what the checks read and nothing else."""

import subprocess
from pathlib import Path

import pytest

from tests.support.controlplane import ADMIN, ControlPlane, assets_or_skip

pytestmark = pytest.mark.real
FOLDER = Path(__file__).parents[2] / "deploy" / "kubernetes"
BOT = "system:serviceaccount:gpu-autopsy:gpu-autopsy"


class Kubectl:
    """kubectl as the cluster's admin."""

    def __init__(self, plane: ControlPlane) -> None:
        self.program = assets_or_skip("kubectl") / "kubectl"
        self.config = plane.kubeconfig(ADMIN)

    def __call__(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.program, "--kubeconfig", self.config, *words], capture_output=True, text=True, timeout=60, check=False
        )


@pytest.fixture
def kubectl(control_plane: ControlPlane) -> Kubectl:
    return Kubectl(control_plane)


def test_it_takes_all_of_them_without_a_warning(kubectl: Kubectl) -> None:
    try:
        applied = kubectl("apply", "-k", FOLDER)
        # Pod security warns about what the namespace's level forbids.
        assert (applied.returncode, applied.stderr) == (0, "")
        for verb, thing, answer in (
            ("list", "nodes", "yes"),
            ("get", "pods/log", "yes"),
            ("list", "nodeclaims.karpenter.sh", "yes"),
            ("list", "secrets", "no"),
            ("get", "configmaps", "no"),
            ("patch", "nodes", "no"),
            ("delete", "pods", "no"),
            ("create", "pods/exec", "no"),
        ):
            assert kubectl("auth", "can-i", verb, thing, "-A", "--as", BOT).stdout.strip() == answer, (verb, thing)
    finally:
        removed = kubectl("delete", "-k", FOLDER, "--wait=false")
    assert removed.returncode == 0
