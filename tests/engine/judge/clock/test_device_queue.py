"""Tests of the head start of what the judge times. Mocked: the device, by how many cycles the host takes to queue."""

from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.clock import device_queue, foreign_work  # noqa: E402
from eval_app.engine.judge.clock.device_queue import HeadStart  # noqa: E402


@pytest.fixture
def given(monkeypatch):
    """List the cycles of each head start, on a host that takes 5,000 to queue anything."""
    cycles = []

    def event(**options):
        return SimpleNamespace(
            record=lambda: None, query=lambda: cycles[-1] < 5000, synchronize=lambda: None,
            elapsed_time=lambda other: 0.24,
        )  # fmt: skip

    monkeypatch.setattr(device_queue, "_device_sleep", cycles.append)
    monkeypatch.setattr(torch.cuda, "Event", event)
    return cycles


def test_a_head_start_that_a_busy_host_outlasts_is_doubled(given):
    head = HeadStart()
    found = []
    for _ in range(5):
        head.give(1000)
        found.append(head.was_enough())
    assert given == [1000, 2000, 4000, 8000, 8000]
    assert found == [False, False, False, True, True]


def test_it_grows_to_sixteen_times_and_no_more(given):
    head = HeadStart()
    for _ in range(8):
        head.give(100)
        head.was_enough()
    assert given[-3:] == [1600, 1600, 1600]


def test_other_work_is_looked_for_anew_where_the_host_left_gaps(given, monkeypatch):
    monkeypatch.setattr(foreign_work, "_device_sleep", lambda cycles: None)
    monkeypatch.setattr(foreign_work, "_QUEUE_CYCLES", 2000)
    assert foreign_work.foreign_share(torch.device("cuda")) == pytest.approx(0)
    assert given == [2000, 4000, 8000]
