"""Parts with threads. The axes: what ends the thread, and what it left undone."""

from threading import Event

from bot.entry.parts import Connection, Loop


def test_a_loop_runs_until_it_is_stopped() -> None:
    began = Event()

    def run(stop: Event) -> int:
        began.set()
        return 0 if stop.wait(30) else 1

    loop = Loop("workers", run)
    assert not loop.alive()
    loop.start()
    assert began.wait(30)
    assert loop.alive()
    loop.stop()
    assert loop.join(30)
    assert not loop.alive()


def test_a_loop_that_leaves_work_is_not_done() -> None:
    loop = Loop("workers", lambda _: 2)
    loop.start()
    assert not loop.join(30)
    assert not loop.alive()


def test_a_loop_that_goes_on_is_not_done() -> None:
    release = Event()
    loop = Loop("workers", lambda _: 0 if release.wait(30) else 1)
    loop.start()
    loop.stop()
    assert not loop.join(0)
    assert loop.alive()
    release.set()
    assert loop.join(30)


def test_a_connection_closes_beside_the_rest() -> None:
    diary: list[str] = []
    release = Event()

    def close() -> None:
        release.wait(30)
        diary.append("closed")

    connection = Connection("slack", lambda: diary.append("open"), close)
    connection.start()
    connection.stop()
    assert (diary, connection.alive(), connection.join(0)) == (["open"], True, False)
    release.set()
    assert connection.join(30)
    assert diary == ["open", "closed"]
