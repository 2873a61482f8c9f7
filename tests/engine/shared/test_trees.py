"""Tests that what cannot travel between roles is named, and ends neither of them."""

from dataclasses import dataclass, field

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.shared.trees import TreeError, flatten, unflatten  # noqa: E402

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


def test_large_numbers_that_can_be_written_arrive():
    assert unflatten(flatten([2**4000, -3], []), []) == [2**4000, -3]
