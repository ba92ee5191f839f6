"""All that is known, in one value, as the diagnosis takes it."""

from __future__ import annotations

import msgspec

from bot.knowledge.links import Links
from bot.knowledge.signatures import Signature

#: Whose node repair policies apply where nobody names Karpenter's provider (`policies.toml`).
PROVIDER = "aws"


class Knowledge(msgspec.Struct, frozen=True, kw_only=True):
    """Signatures and links, ours and the operator's."""

    signatures: tuple[Signature, ...] = ()
    links: Links = Links()
