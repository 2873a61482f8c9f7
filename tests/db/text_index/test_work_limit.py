"""Tests of the limit on a search's work: a busy machine cuts no search short, a slow disk does in the end."""

import time

import pytest

from datasets_app.db.text_index.work_limit import WAITING, WorkLimit


@pytest.fixture
def clocks(monkeypatch):
    """Two clocks that stand still until a test moves them: seconds of the thread's work, and on the wall."""
    now = {"thread_time": 100.0, "monotonic": 5000.0}
    for name in now:
        monkeypatch.setattr(time, name, lambda name=name: now[name])
    return now


def test_work_ends_a_search(clocks):
    limit = WorkLimit(0.1)
    clocks["thread_time"] += 0.09
    assert not limit.is_over
    clocks["thread_time"] += 0.02
    assert limit.is_over


def test_waiting_for_a_processor_does_not_until_it_is_long(clocks):
    limit = WorkLimit(0.1)
    clocks["monotonic"] += 0.1 * (WAITING - 1)
    assert not limit.is_over
    clocks["monotonic"] += 0.2
    assert limit.is_over
