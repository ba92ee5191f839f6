"""Random ways to meddle with the lines of an audit."""

from __future__ import annotations

from random import Random


def flip(lines: list[bytes], chance: Random) -> list[bytes]:
    """Another byte somewhere in one line."""
    at = chance.randrange(len(lines))
    line = bytearray(lines[at])
    line[chance.randrange(len(line))] ^= chance.randrange(1, 256)
    return [*lines[:at], bytes(line), *lines[at + 1 :]]


def delete(lines: list[bytes], chance: Random) -> list[bytes]:
    at = chance.randrange(len(lines))
    return lines[:at] + lines[at + 1 :]


def insert(lines: list[bytes], chance: Random) -> list[bytes]:
    """A genuine line, once more, somewhere."""
    at = chance.randrange(len(lines) + 1)
    return [*lines[:at], chance.choice(lines), *lines[at:]]


def swap(lines: list[bytes], chance: Random) -> list[bytes]:
    one, two = chance.sample(range(len(lines)), 2)
    changed = list(lines)
    changed[one], changed[two] = changed[two], changed[one]
    return changed


def truncate(lines: list[bytes], chance: Random) -> list[bytes]:
    return lines[: chance.randrange(len(lines))]


def delete_newest(lines: list[bytes], chance: Random) -> list[bytes]:
    """The last entry, before whatever closes the lines."""
    return [*lines[:-2], lines[-1]]


def reorder(lines: list[bytes], chance: Random) -> list[bytes]:
    return chance.sample(lines, len(lines))


MEDDLING = (flip, delete, insert, swap, truncate, delete_newest, reorder)
