"""A look at what an incident or an alert is about, part of which may be gone."""

from __future__ import annotations

from collections.abc import Iterable

from bot.app.ports import Investigator, NoSuchObject
from bot.model.diagnosis import Diagnosis
from bot.model.refs import CLUSTER, Ref


def look(investigator: Investigator, scope: Iterable[Ref]) -> tuple[tuple[Ref, ...], Diagnosis]:
    """Diagnose what is there of the scope, the whole cluster where nothing of it is; returns what was looked at too.

    For scopes that no person typed: a label may name what is no object of this cluster, and a node of an incident
    may have left no trace by now, or have been replaced.
    """
    left = tuple(dict.fromkeys(scope)) or (CLUSTER,)
    while True:
        try:
            return left, investigator.investigate(left, typed=False).diagnosis
        except NoSuchObject as why:
            rest = tuple(one for one in left if one != why.ref)
            if len(rest) == len(left):
                raise
            left = rest or (CLUSTER,)


def is_fallback(asked: Iterable[Ref], seen: Iterable[Ref]) -> bool:
    """Whether nothing of what was asked for is there, so that the whole cluster was looked at in its place.

    It may tell what is broken elsewhere; no plan is offered for that: nobody asked about it.
    """
    named = set(asked) - {CLUSTER}
    return bool(named) and set(seen) == {CLUSTER}
