"""Tests of what the reference's own moves explain."""

import math

import pytest

pytest.importorskip("torch")

from eval_app.engine.judge.compare import Difference
from eval_app.engine.judge.explained import accumulate, is_explained, joined

RIGHT, WRONG = Difference(total=100), Difference(wrong=3, total=100, furthest=0.5)


def test_an_output_that_last_bits_move_excuses_itself_and_no_other():
    moved = joined([WRONG, RIGHT])
    assert is_explained(joined([WRONG, RIGHT]), moved)
    assert not is_explained(joined([RIGHT, WRONG]), moved)
    assert is_explained(joined([RIGHT, RIGHT]), moved)


def test_moves_of_several_calls_add_up_output_by_output():
    moved = Difference()
    for call in (joined([RIGHT, RIGHT]), Difference(), joined([RIGHT, WRONG])):
        accumulate(moved, call)
    assert is_explained(joined([RIGHT, WRONG]), moved)
    assert not is_explained(joined([WRONG, RIGHT]), moved)
    assert moved.total == 400


def test_another_size_explains_anything():
    moved = Difference()
    accumulate(moved, joined([Difference(wrong=1, furthest=math.inf)]))
    assert is_explained(joined([Difference(wrong=8, total=8, furthest=1e9)]), moved)


def test_wrong_plain_values_are_held_against_all_outputs_together():
    found = joined([RIGHT])
    found.add(Difference(wrong=1, total=1))
    assert not is_explained(found, joined([RIGHT]))
    assert is_explained(found, joined([WRONG]))
