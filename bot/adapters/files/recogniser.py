"""`app.ports.Recogniser`: takes a paste apart, knowing the cluster's nodes by name."""

from __future__ import annotations

from collections.abc import Callable, Collection

from bot.adapters.files.paste import recognise
from bot.app.ports import Recognised
from bot.model.findings import Reporter


class PasteRecogniser:
    """Recognises host texts. A text of a host that is no node of the cluster is one whose node must be asked for.

    Args:
        nodes: the names of the cluster's nodes, asked for each paste; none if they cannot be read.
    """

    def __init__(self, nodes: Callable[[], Collection[str]]) -> None:
        self._nodes = nodes

    def recognise(self, text: str, reporter: Reporter) -> Recognised:
        """Take a paste apart; every host text carries the reporter."""
        nodes = self._nodes()
        found = recognise(text, nodes=nodes, reporter=reporter)
        told = [bool(one.node) and (not nodes or one.node in nodes) for one in found.texts]
        return Recognised(
            texts=tuple(one for one, is_told in zip(found.texts, told, strict=True) if is_told),
            node_unknown=tuple(one for one, is_told in zip(found.texts, told, strict=True) if not is_told),
            unrecognised=found.unrecognised,
        )
