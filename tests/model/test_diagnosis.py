"""What a root leads to. Axes: how far away an effect is, whether two ways lead to it, whether it leads back."""

from __future__ import annotations

import msgspec

from bot.model.diagnosis import Certainty, Link
from tests.support.desk import chains, fault

ROOT, NEAR, FAR, OTHER = (fault(one, "node/omen2") for one in ("root", "near", "far", "other"))


def test_a_chain_is_what_its_root_leads_to_and_nothing_of_another_root() -> None:
    diagnosis = chains([ROOT, NEAR, FAR], [OTHER, FAR])
    assert diagnosis.chain_of(ROOT.key) == {ROOT.key, NEAR.key, FAR.key}
    assert diagnosis.chain_of(OTHER.key) == {OTHER.key, FAR.key}
    assert diagnosis.chain_of(FAR.key) == {FAR.key}


def test_a_chain_that_leads_back_ends() -> None:
    diagnosis = chains([ROOT, NEAR])
    back = Link(NEAR.key, ROOT.key, Certainty.OBSERVED)
    assert msgspec.structs.replace(diagnosis, links=(*diagnosis.links, back)).chain_of(NEAR.key) == {ROOT.key, NEAR.key}
