"""Tests that one thread produces what another consumes: in order, with its errors, and never far ahead."""

import sys
import threading
import time
from contextlib import closing

import pytest

from datasets_app.ingest.prefetch import PREFETCHED, SWITCH_SECONDS, prefetch
from datasets_app.ingest.rows import IngestError


def never() -> None:
    raise AssertionError("nothing was long in the making")


def names_of_threads() -> set[str]:
    return {thread.name for thread in threading.enumerate()}


def test_items_come_in_order_and_are_made_in_another_thread():
    made_in = []

    def items():
        for number in range(20):
            made_in.append(threading.current_thread().name)
            yield number

    assert list(prefetch(items(), never, 60)) == list(range(20))
    assert set(made_in) == {"prefetch"}
    assert "prefetch" not in names_of_threads()


def test_what_breaks_the_making_is_raised_after_the_items_before_it():
    def items():
        yield 1
        raise IngestError("breaks off")

    taken = prefetch(items(), never, 60)
    assert next(taken) == 1
    with pytest.raises(IngestError, match="breaks off"):
        next(taken)
    assert "prefetch" not in names_of_threads()


def test_no_more_is_made_than_may_wait():
    made = []

    def items():
        for number in range(100):
            made.append(number)
            yield number

    with closing(prefetch(items(), never, 60)) as taken:
        assert next(taken) == 0
        time.sleep(0.3)
        assert len(made) <= 1 + PREFETCHED + 1  # consumed, queued, and one in progress


def test_who_leaves_early_leaves_no_thread_behind():

    def items():
        while True:
            yield 1

    with closing(prefetch(items(), never, 60)) as taken:
        next(taken)
        assert "prefetch" in names_of_threads()
    assert "prefetch" not in names_of_threads()


def test_who_waits_long_may_do_something_meanwhile():
    enough, renewed = threading.Event(), []

    def items():
        enough.wait(10)
        yield "late"

    def renew():
        renewed.append(threading.current_thread().name)
        if len(renewed) == 3:
            enough.set()

    assert list(prefetch(items(), renew, 0.01)) == ["late"]
    assert renewed[:3] == [threading.current_thread().name] * 3


def test_the_consumer_waits_less_for_the_interpreter_only_while_items_are_made():
    before = sys.getswitchinterval()
    with closing(prefetch(iter(range(3)), never, 60)) as taken:
        next(taken)
        assert sys.getswitchinterval() == pytest.approx(SWITCH_SECONDS)
    assert sys.getswitchinterval() == pytest.approx(before)
    assert before > SWITCH_SECONDS
