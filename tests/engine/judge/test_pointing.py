"""Tests of outputs that are places: among equal values any of them is right."""

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge import pointing  # noqa: E402
from eval_app.engine.judge.pointing import points_to_the_same  # noqa: E402

X = torch.tensor([[5.0, 7.0, 7.0, 1.0, 2.0], [3.0, 0.0, 9.0, 4.0, 9.0]])


def test_of_equal_maxima_either_place_is_right():
    assert points_to_the_same(torch.tensor([2, 4]), torch.tensor([1, 2]), [X])


def test_a_place_of_another_value_is_wrong():
    assert not points_to_the_same(torch.tensor([0, 4]), torch.tensor([1, 2]), [X])


def test_places_of_the_largest_values_may_change_among_equals():
    assert points_to_the_same(torch.tensor([[2, 1], [4, 2]]), torch.tensor([[1, 2], [2, 4]]), [X])


def test_one_place_twice_is_wrong():
    assert not points_to_the_same(torch.tensor([[1, 1], [2, 4]]), torch.tensor([[1, 2], [2, 4]]), [X])


@pytest.mark.parametrize("place", [-1, 5])
def test_a_place_outside_the_input_is_wrong(place):
    assert not points_to_the_same(torch.tensor([place, 2]), torch.tensor([1, 2]), [X])


def test_places_that_change_after_they_were_looked_at_are_not_used(monkeypatch):
    got = torch.tensor([2, 4])

    def change_then_answer(places, dim):
        got.fill_(2**40)
        return False

    monkeypatch.setattr(pointing, "_repeats", change_then_answer)
    assert points_to_the_same(got, torch.tensor([1, 2]), [X])


def test_a_mask_explains_nothing_because_all_its_values_are_equal():
    assert not points_to_the_same(torch.tensor([0, 4]), torch.tensor([1, 2]), [torch.ones(2, 5)])
