"""Tests that what cannot travel between roles is named, and ends neither of them."""

from dataclasses import dataclass, field

import numpy
import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.shared.trees import (  # noqa: E402
    MAX_HELD,
    MAX_KEPT_BYTES,
    TreeError,
    count_held,
    flatten,
    is_as_given,
    lying,
    unflatten,
)

LARGE = 10**5000  # Python writes no such number


@dataclass
class Half:
    there: int
    absent: int = field(init=False)


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(LARGE, id="a large number"),
        pytest.param([-LARGE], id="a large number within"),
        pytest.param({LARGE: 1}, id="a large key"),
        pytest.param(Half(1), id="a field that is absent"),
        pytest.param({1.5: 2}, id="a key that is no name"),
    ],
)
def test_what_cannot_travel_is_said(value):
    with pytest.raises(TreeError):
        flatten(value, [])


@pytest.mark.parametrize(
    ("value", "number"),
    [(numpy.float32(0.5), 0.5), (numpy.float64(0.5), 0.5), (numpy.int64(-3), -3), (numpy.bool_(1), True)],
    ids=lambda value: type(value).__name__,
)
def test_numbers_of_numpy_are_plain_ones(value, number):
    assert flatten([value], []) == flatten([number], [])


def test_large_numbers_that_can_be_written_arrive():
    assert unflatten(flatten([2**4000, -3], []), []) == [2**4000, -3]


@pytest.mark.parametrize(
    ("sizes", "held"),
    [
        ([], 0),
        ([8] * 5, 5),
        ([8] * 30, MAX_HELD),
        ([MAX_KEPT_BYTES] * 5, 2),
        ([8, MAX_KEPT_BYTES // 2, 8, 8], 4),
        ([8, MAX_KEPT_BYTES, 8, 8], 2),
    ],
)
def test_two_results_are_held_and_more_where_all_are_small(sizes, held):
    results = [[torch.empty(size, dtype=torch.uint8, device="meta")] for size in sizes]
    assert count_held(results) == held


@pytest.mark.parametrize(
    "change",
    [
        lambda x, named: named.pop("scale"),
        lambda x, named: named["list"].append(3),
        lambda x, named: named.update(scale=named["scale"].clone()),
        lambda x, named: x.unsqueeze_(0),
        lambda x, named: x.t_(),
        lambda x, named: named["list"].append(object()),
    ],
)
def test_arguments_are_as_given_until_their_items_or_shapes_change(change):
    tensors = []
    arguments = [torch.randn(4, 4), {"scale": torch.rand(4), "list": [1, 2.5]}]
    form = flatten(arguments, tensors)
    before = lying(tensors)
    arguments[0].mul_(2)
    assert is_as_given(arguments, form, before)
    change(*arguments)
    assert not is_as_given(arguments, form, before)
