"""From the words of a person to references: `omen2`, `node omen2`, `vm vms/gpu-fedora`, `why is omen2 down?`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from bot.app.ports import Cluster, Read
from bot.app.scope import SECTION_OF
from bot.model.refs import CLUSTER, KINDS, NAME, NAMESPACED, Ref
from bot.model.sections import Section, Unknown

#: What stands around a name in a sentence or in a chat, and is never part of one.
_AROUND = " \t`'\"“”‘’.,:;!?()[]{}<>*_~"


class Resolved(msgspec.Struct, frozen=True, kw_only=True):
    """What the words mean.

    `candidates` are the objects that one word may mean, when several bear the name: ask back. `unmatched` are the
    words that name nothing, `unread` the sections in which a name could not be looked up.
    """

    refs: tuple[Ref, ...] = ()
    candidates: tuple[Ref, ...] = ()
    unmatched: tuple[str, ...] = ()
    unread: tuple[Section, ...] = ()


class _Word(msgspec.Struct, frozen=True):
    """One name to look up; an empty kind means any."""

    name: str
    kind: str = ""
    namespace: str = ""


def resolve(cluster: Cluster, words: str) -> Resolved:
    """References for words: full ones as they stand, names by looking for live objects that bear them.

    Words that name nothing are left aside, so that a whole sentence may stand around a name.

    Raises:
        MalformedReference: a full reference has too few or too many parts.
    """
    refs: list[Ref] = []
    loose: list[_Word] = []
    for one in _parsed(words.split()):
        if isinstance(one, Ref):
            refs.append(one)
        else:
            loose.append(one)
    if not loose:
        return Resolved(refs=tuple(dict.fromkeys(refs)))
    return _looked_up(cluster, refs, loose)


def _parsed(tokens: Sequence[str]) -> Iterator[Ref | _Word]:
    """Full references, and names with what is known of them; `node omen2` is read as `node/omen2`."""
    kind = ""
    for raw in tokens:
        token = raw.strip(_AROUND)
        if not token:
            continue
        if not kind and token.lower() == "cluster":
            yield CLUSTER
        elif not kind and token.lower() in KINDS:
            kind = token.lower()
        else:
            yield _one(token, kind)
            kind = ""
    if kind:
        yield _Word(kind)


def _one(token: str, kind: str) -> Ref | _Word:
    head, slash, rest = token.partition("/")
    if not kind and slash and head.lower() in KINDS:
        kind, token = head.lower(), rest
    if not kind:
        namespace, _, name = token.rpartition("/")
        return _Word(name, namespace=namespace)
    if kind in NAMESPACED and token and "/" not in token:
        return _Word(token, kind)
    return Ref.parse(f"{kind}/{token}")


def _looked_up(cluster: Cluster, refs: list[Ref], loose: Sequence[_Word]) -> Resolved:
    reads = list(dict.fromkeys(read for word in loose for read in _reads(word)))
    pages = cluster.read(reads)
    live: dict[tuple[str, str], list[Ref]] = {}
    unread: dict[Section, None] = {}
    for read, page in zip(reads, pages, strict=True):
        if isinstance(page.objects, Unknown):
            unread[read.section] = None
        elif isinstance(page.objects, tuple):
            kind = _KIND_OF[read.section]
            for thing in page.objects:
                found = live.setdefault((kind, thing.name), [])
                found += [ref for ref in (Ref(kind, thing.name, thing.namespace),) if ref not in found]
    candidates: list[Ref] = []
    unmatched: list[str] = []
    for word in loose:
        hits = [ref for kind in _kinds(word) for ref in live.get((kind, word.name), ())]
        hits = [ref for ref in hits if word.namespace in ("", ref.namespace)]
        if len(hits) == 1:
            refs.append(hits[0])
        elif hits:
            candidates += hits
        else:
            unmatched.append("/".join(part for part in (word.kind, word.namespace, word.name) if part))
    return Resolved(
        refs=tuple(dict.fromkeys(refs)),
        candidates=tuple(dict.fromkeys(candidates)),
        unmatched=tuple(unmatched),
        unread=tuple(unread),
    )


_KIND_OF = {section: kind for kind, section in SECTION_OF.items()}


def _kinds(word: _Word) -> tuple[str, ...]:
    return (word.kind,) if word.kind else tuple(SECTION_OF)


def _reads(word: _Word) -> Iterator[Read]:
    """Lists where they are short; of pods only those of this name. Nothing for a word that is no name."""
    if not NAME.fullmatch(word.name):
        return
    for kind in _kinds(word):
        section = SECTION_OF.get(kind)
        if section is Section.PODS:
            yield Read(section=section, namespace=word.namespace, field_selector=f"metadata.name={word.name}")
        elif section is not None:
            yield Read(section=section)
