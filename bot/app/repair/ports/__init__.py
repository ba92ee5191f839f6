"""What repair needs from outside, as protocols; the adapters implement them."""

from bot.app.repair.ports.archive import Kept, PostMortems, ReportArchive
from bot.app.repair.ports.hands import (
    CannotPrepare,
    Claimed,
    ClaimResult,
    ConfigMaps,
    Draft,
    Hands,
    Owners,
    Prepared,
    Result,
)
from bot.app.repair.ports.journal import Journal, Ledger, NotBegun, NotWritten
from bot.app.repair.ports.people import NOT_ASKED_HERE, Authority
from bot.app.repair.ports.silencing import Silencer
from bot.app.repair.ports.telling import Cards, Library, OpenItem, Tells

__all__ = [
    "NOT_ASKED_HERE",
    "Authority",
    "CannotPrepare",
    "Cards",
    "ClaimResult",
    "Claimed",
    "ConfigMaps",
    "Draft",
    "Hands",
    "Journal",
    "Kept",
    "Ledger",
    "Library",
    "NotBegun",
    "NotWritten",
    "OpenItem",
    "Owners",
    "PostMortems",
    "Prepared",
    "ReportArchive",
    "Result",
    "Silencer",
    "Tells",
]
