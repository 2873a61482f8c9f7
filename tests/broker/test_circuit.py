"""Tests of the circuit breaker: after a failure nobody waits for the broker for seconds; then one retries."""

import pytest
import redis
from kombu.exceptions import OperationalError

from datasets_app.broker import Circuit


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def circuit(clock):
    return Circuit(silence_seconds=5, clock=clock)


def fail(circuit, error):
    with pytest.raises(type(error)), circuit.attempt():
        raise error


def is_open(circuit):
    try:
        with circuit.attempt():
            return False
    except OperationalError:
        return True


def test_while_the_broker_answers_everybody_asks(circuit):
    assert [is_open(circuit) for _ in range(3)] == [False] * 3


@pytest.mark.parametrize(
    "error",
    [OperationalError("away"), redis.TimeoutError("slow"), redis.ResponseError("MISCONF"), ConnectionError()],
)
def test_a_failure_spares_the_next_ones_the_wait(circuit, error):
    fail(circuit, error)
    assert is_open(circuit)


def test_another_kind_of_fault_says_nothing_of_the_broker(circuit):
    fail(circuit, ValueError("ours"))
    assert not is_open(circuit)


def test_after_the_silence_one_attempt_is_made_while_all_others_still_go_without(circuit, clock):
    fail(circuit, OperationalError("away"))
    clock.now = 5.0
    with circuit.attempt():
        assert is_open(circuit)
    assert not is_open(circuit)


def test_an_attempt_that_fails_again_opens_it_for_as_long_again(circuit, clock):
    fail(circuit, OperationalError("away"))
    clock.now = 5.0
    fail(circuit, OperationalError("still away"))
    clock.now = 9.9
    assert is_open(circuit)
    clock.now = 10.0
    assert not is_open(circuit)
