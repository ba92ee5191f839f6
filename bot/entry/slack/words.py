"""The words of a command or a mention -> what is asked. Pure; whether such objects exist is the worker's question."""

from __future__ import annotations

import msgspec

from bot.app.requests import PressKind
from bot.model.refs import CLUSTER, KINDS, NAME, NAMESPACED, MalformedReference, Ref


class Help(msgspec.Struct, frozen=True):
    """What can be asked, and how."""


class Look(msgspec.Struct, frozen=True):
    """One object, or the cluster, by its reference."""

    ref: Ref

    def __str__(self) -> str:
        return str(self.ref)


class Search(msgspec.Struct, frozen=True):
    """Words among which names of objects may be."""

    words: str

    def __str__(self) -> str:
        return self.words


class Order(msgspec.Struct, frozen=True):
    """Something of repair that concerns no single step: what is open, stop everything, go on."""

    kind: PressKind
    reason: str = ""


class Unclear(ValueError):
    """A command whose shape is wrong: `reason` is a key of the catalogue, `values` name what is wrong."""

    def __init__(self, reason: str, **values: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.values = values


Command = Help | Look | Search | Order

#: Orders by their word; after `freeze` the reason follows, the others stand alone.
_ORDERS = {"open": PressKind.OPEN, "freeze": PressKind.FREEZE, "unfreeze": PressKind.UNFREEZE}


def parse(text: str) -> Command:
    """Read `help`, `node N`, `vm NS/N`, `vm/NS/N`, `cluster`, `open`, `freeze WHY`, `unfreeze`, or words with a name.

    A kind with more than one word after it is a sentence, and its words are searched.

    Raises:
        Unclear: a kind without a name, a reference of the wrong shape, or a name that no object can have.
    """
    words = text.replace("`", " ").split()
    if not words or [words[0].lower(), *words[1:]] == ["help"]:
        return Help()
    if [words[0].lower(), *words[1:]] == ["cluster"]:
        return Look(CLUSTER)
    order = _ORDERS.get(words[0].lower())
    if order is not None and (len(words) == 1 or order is PressKind.FREEZE):
        return Order(order, " ".join(words[1:]))
    kind, rest = _kind_and_rest(words)
    if not kind or len(rest) > 1:
        return Search(" ".join(words))
    if not rest:
        raise Unclear("slack-name-missing", kind=kind, shape=_shape(kind))
    return _reference(kind, rest[0], " ".join(words))


def _kind_and_rest(words: list[str]) -> tuple[str, list[str]]:
    kind, slash, rest = words[0].partition("/")
    if kind.lower() not in KINDS:
        return "", words
    return kind.lower(), [*([rest] if slash and rest else []), *words[1:]]


def _reference(kind: str, name: str, words: str) -> Command:
    if kind in NAMESPACED and "/" not in name:
        # The namespace may be left out: the name alone is enough where only one object has it.
        return Search(f"{kind} {_valid(name)}")
    try:
        ref = Ref.parse(f"{kind}/{name}")
    except MalformedReference:
        raise Unclear("slack-reference-malformed", words=words, shape=_shape(kind)) from None
    for part in (ref.namespace, ref.name):
        if part:
            _valid(part)
    return Look(ref)


def _valid(name: str) -> str:
    if not NAME.fullmatch(name):
        raise Unclear("slack-name-invalid", name=name)
    return name


def _shape(kind: str) -> str:
    return f"{kind} NAMESPACE/NAME" if kind in NAMESPACED else f"{kind} NAME"
