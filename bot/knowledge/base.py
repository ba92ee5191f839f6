"""All that is known, in one value, as the diagnosis takes it."""

from __future__ import annotations

import msgspec

from bot.knowledge.links import Links
from bot.knowledge.signatures import Signature


class Knowledge(msgspec.Struct, frozen=True, kw_only=True):
    """Signatures and links, ours and the operator's."""

    signatures: tuple[Signature, ...] = ()
    links: Links = Links()
