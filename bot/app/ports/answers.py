"""Questions about the cluster, and their answers."""

from __future__ import annotations

from typing import Protocol

from bot.model.diagnosis import Diagnosis
from bot.model.refs import Ref
from bot.model.sections import Section


class Resolution(Protocol):
    """What words mean."""

    @property
    def refs(self) -> tuple[Ref, ...]:
        """The objects meant."""
        ...

    @property
    def candidates(self) -> tuple[Ref, ...]:
        """Objects that one word may mean, when several bear the name: ask back."""
        ...

    @property
    def unmatched(self) -> tuple[str, ...]:
        """Words that name nothing."""
        ...

    @property
    def unread(self) -> tuple[Section, ...]:
        """Sections in which a name could not be looked up."""
        ...


class Investigation(Protocol):
    """An answer."""

    @property
    def diagnosis(self) -> Diagnosis:
        """What was found."""
        ...


class NoSuchObject(Exception):
    """Nothing of this name is in the cluster, and nothing tells that it ever was."""

    def __init__(self, ref: Ref, why: str) -> None:
        super().__init__(f"{ref}: {why}")
        self.ref = ref


class Investigator(Protocol):
    """Answers questions about the cluster."""

    def resolve(self, words: str) -> Resolution:
        """The objects that these words name: references, or names of live objects.

        Raises:
            MalformedReference: a reference has too few or too many parts.
        """
        ...

    def investigate(self, scope: tuple[Ref, ...], *, typed: bool = True) -> Investigation:
        """Read what the question needs and diagnose it.

        Of a machine that a person typed and that was replaced nobody could look at what was asked about. Where the
        scope was remembered its pool stands for it: what went for good is nothing that is still to be looked at.

        Raises:
            NoSuchObject: a reference names nothing that is there or has left a trace.
        """
        ...
