"""Tests that a call in a child process ends at its deadline and within its memory."""

import os
import signal
import time

import pytest

from datasets_app.processes.child import ChildError, Limits, call

LIMITS = Limits(seconds=20, memory_bytes=256 * 2**20)


def double(number: int) -> int:
    return 2 * number


def take_memory(megabytes: int) -> int:
    return len(bytearray(megabytes * 2**20))


def test_it_returns_what_the_function_returns():
    assert call(double, (21,), LIMITS) == 42


def test_one_that_takes_too_long_is_killed_at_its_deadline():
    call(double, (1,), LIMITS)  # the first call starts the server
    begin = time.monotonic()
    with pytest.raises(ChildError, match=r"it took longer than 0\.2 s"):
        call(time.sleep, (600,), Limits(0.2, LIMITS.memory_bytes))
    assert time.monotonic() - begin < 300


def test_one_that_needs_too_much_memory_says_so():
    assert call(take_memory, (10,), LIMITS) == 10 * 2**20
    with pytest.raises(ChildError, match="it needed more than 256 MB of memory"):
        call(take_memory, (2_000,), LIMITS)


def test_one_that_crashes_is_told_from_one_that_answers():
    with pytest.raises(ChildError, match=r"its process ended by signal SIGSEGV"):
        call(crash, (), LIMITS)


def crash() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)
