"""Tests of the heap, which is filled where a program would find zeros by chance."""

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.runner import heap  # noqa: E402

NUMBERS = 2**24


def is_filled() -> bool:
    """Return whether all memory that is given out is filled; what an earlier test left there is something else."""
    return float(torch.empty(NUMBERS).min()) > 1e38


def test_what_is_given_out_is_filled_during_the_block_alone():
    with heap.filled(is_on=True):
        assert is_filled()
        assert not torch.zeros(NUMBERS).any()
    assert not is_filled()


def test_nothing_is_filled_unless_asked():
    with heap.filled(is_on=False):
        assert not is_filled()


def test_nothing_is_filled_after_an_error():
    with pytest.raises(ValueError, match="of the program"), heap.filled(is_on=True):
        raise ValueError("of the program")
    assert not is_filled()
