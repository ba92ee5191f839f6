"""The service. The axes: who ends it (told, a part dies, a part does not start), and whether work ends in time."""

from dataclasses import dataclass, field
from threading import Event

import pytest

from bot.entry.service import Service


@dataclass
class FakePart:
    """A part that tells what it was asked, in one diary for all."""

    name: str
    diary: list[str]
    stop_after: Event | None = None
    fails: bool = False
    dies: bool = False
    takes: float = 0.0
    waited: list[float] = field(default_factory=list)

    def start(self) -> None:
        if self.fails:
            raise RuntimeError(f"{self.name} does not start")
        self.diary.append(f"start {self.name}")

    def stop(self) -> None:
        self.diary.append(f"stop {self.name}")

    def join(self, seconds: float) -> bool:
        self.waited.append(seconds)
        self.diary.append(f"join {self.name}")
        return self.takes <= seconds

    def alive(self) -> bool:
        if self.stop_after is not None:
            self.stop_after.set()
        return not self.dies


class Watch:
    """A clock that goes on by one second each time that it is read."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


@pytest.fixture
def diary() -> list[str]:
    return []


def run(*parts: FakePart, stop: Event, grace: float = 10.0) -> bool:
    return Service(parts, stop=stop, grace=grace, monotonic=Watch(), look=0.0).run()


def test_ears_start_last_and_close_first(diary: list[str]) -> None:
    stop = Event()
    assert run(FakePart("workers", diary), FakePart("slack", diary, stop_after=stop), stop=stop)
    assert diary == ["start workers", "start slack", "stop slack", "stop workers", "join slack", "join workers"]


def test_a_stop_before_the_first_look(diary: list[str]) -> None:
    stop = Event()
    stop.set()
    assert run(FakePart("workers", diary), stop=stop)


def test_a_part_that_dies_ends_the_service(diary: list[str]) -> None:
    assert not run(FakePart("workers", diary, dies=True), FakePart("slack", diary), stop=Event())
    assert diary[-4:] == ["stop slack", "stop workers", "join slack", "join workers"]


def test_a_part_that_does_not_start_stops_those_that_did(diary: list[str]) -> None:
    parts = FakePart("workers", diary), FakePart("slack", diary, fails=True), FakePart("never", diary)
    with pytest.raises(RuntimeError, match="slack does not start"):
        run(*parts, stop=Event())
    assert diary == ["start workers", "stop workers", "join workers"]


def test_the_time_to_finish_is_shared(diary: list[str]) -> None:
    stop = Event()
    stop.set()
    parts = [FakePart(name, diary, takes=7.5) for name in ("first", "second", "third")]
    assert not run(*parts, stop=stop, grace=9.0)
    assert [part.waited for part in reversed(parts)] == [[8.0], [7.0], [6.0]]


def test_no_part_waits_less_than_nothing(diary: list[str]) -> None:
    stop = Event()
    stop.set()
    parts = [FakePart(name, diary) for name in ("first", "second")]
    assert run(*parts, stop=stop, grace=0.0)
    assert [part.waited for part in parts] == [[0.0], [0.0]]
