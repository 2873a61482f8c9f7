"""Tests of the search for other work on the judge's GPU. Mocked: the device, by how long groups of kernels take."""

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.clock import foreign_work  # noqa: E402
from eval_app.engine.judge.clock.foreign_work import Watch  # noqa: E402

QUIET_MS, BURSTS_MS = [0.24] * 16, [0.24] * 10 + [0.44] * 6
GPU, CPU = torch.device("cuda"), torch.device("cpu")


@pytest.mark.parametrize(
    ("spans", "share", "gap"),
    [
        ([0.24] * 16, 0.0, 0.0),
        ([0.24] * 10 + [0.44] * 6, 1 - 16 * 0.24 / (10 * 0.24 + 6 * 0.44), 0.2),
        ([0.24] * 15 + [2.24], 1 - 16 * 0.24 / (16 * 0.24 + 2.0), 2.0),
    ],
    ids=["nobody else", "many short kernels", "a slice"],
)
def test_what_others_took_of_the_device_shows_as_a_share_and_as_the_longest_gap(
    monkeypatch, spans, share, gap
):
    monkeypatch.setattr(foreign_work, "_spans_ms", lambda: spans)
    device = GPU
    assert foreign_work.foreign_share(device) == pytest.approx(share)
    assert foreign_work.longest_gap_ms(device) == pytest.approx(gap)


def shares(monkeypatch, *looks):
    """Have each search, one after the other, find groups of these lengths."""
    left = iter(looks)
    monkeypatch.setattr(foreign_work, "_spans_ms", lambda: next(left))
    return left


def test_work_that_comes_again_and_again_is_not_missed_for_one_look_that_found_none(monkeypatch):
    shares(monkeypatch, BURSTS_MS, QUIET_MS, BURSTS_MS)
    assert foreign_work.foreign_share(GPU) > 0.2


def test_one_look_of_three_that_something_else_made_longer_changes_nothing(monkeypatch):
    left = shares(monkeypatch, BURSTS_MS, QUIET_MS, QUIET_MS, None)
    assert foreign_work.foreign_share(GPU) == pytest.approx(0)
    assert next(left) is None


def test_a_quiet_device_is_looked_at_once(monkeypatch):
    left = shares(monkeypatch, QUIET_MS, None)
    assert foreign_work.foreign_share(GPU) == pytest.approx(0)
    assert next(left) is None


def test_a_device_that_one_program_leaves_alone_for_a_moment_only_does_not_stay_quiet(monkeypatch):
    monkeypatch.setattr(foreign_work, "_ALONE_S", 60.0)
    shares(monkeypatch, QUIET_MS, QUIET_MS, *[[*QUIET_MS, 2.24]] * 3)
    assert not foreign_work.stays_quiet(GPU)


def test_one_gap_that_does_not_come_again_is_nobodys_work(monkeypatch):
    looks = iter([QUIET_MS, [*QUIET_MS, 2.24], [*QUIET_MS, 2.24]])
    monkeypatch.setattr(foreign_work, "_spans_ms", lambda: next(looks, QUIET_MS))
    monkeypatch.setattr(foreign_work, "_ALONE_S", 0.01)
    assert foreign_work.stays_quiet(GPU)


def test_nobody_looks_at_a_cpu():
    assert foreign_work.foreign_share(CPU) == foreign_work.longest_gap_ms(CPU) == 0


def test_a_device_on_which_others_work_again_and_again_is_given_up(monkeypatch):
    monkeypatch.setattr(foreign_work, "foreign_share", lambda device: 0.2)
    watch = Watch(GPU, alone=True)
    assert [watch.is_quiet() for _ in range(5)] == [False, False, False, True, True]
    assert watch.disturbed


def test_three_disturbances_are_waited_for(monkeypatch):
    looks = iter([0.2, 0.0, 0.2, 0.0, 0.2, 0.0])
    monkeypatch.setattr(foreign_work, "foreign_share", lambda device: next(looks))
    watch = Watch(GPU, alone=True)
    assert [watch.is_quiet() for _ in range(6)] == [False, True] * 3
    assert not watch.disturbed


def test_a_device_that_others_use_anyway_is_not_looked_at(monkeypatch):
    monkeypatch.setattr(foreign_work, "foreign_share", lambda device: 1 / 0)
    assert Watch(GPU, alone=False).is_quiet()
