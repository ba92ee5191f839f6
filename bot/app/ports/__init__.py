"""What the use cases need from outside, as protocols; the adapters and the playground implement them.

What most use cases meet is named here; the ports of Slack's people (`people`), of the worker's side of the queue
(`queue`) and of the LLM (`writer`) are imported from their own files.
"""

from bot.app.ports.answers import Investigation, Investigator, NoSuchObject, Resolution
from bot.app.ports.clock import Clock
from bot.app.ports.cluster import Cluster, Pages, Read
from bot.app.ports.hosts import HostTexts, PasteStore, Recognised, Recogniser
from bot.app.ports.incidents import Incidents
from bot.app.ports.posting import InHand, NotInChannel, Poster, PostFailed, Presenter, SharedOutside, Undeliverable
from bot.app.ports.queue import Queue, QueueUnavailable

__all__ = [
    "Clock",
    "Cluster",
    "HostTexts",
    "InHand",
    "Incidents",
    "Investigation",
    "Investigator",
    "NoSuchObject",
    "NotInChannel",
    "Pages",
    "PasteStore",
    "PostFailed",
    "Poster",
    "Presenter",
    "Queue",
    "QueueUnavailable",
    "Read",
    "Recognised",
    "Recogniser",
    "Resolution",
    "SharedOutside",
    "Undeliverable",
]
