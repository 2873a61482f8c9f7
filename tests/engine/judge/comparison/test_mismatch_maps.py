"""Tests of the position and size of an output's errors."""

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.contract import schema  # noqa: E402
from eval_app.engine.contract.evidence import MismatchMap  # noqa: E402
from eval_app.engine.judge.comparison.compare import Tolerance  # noqa: E402
from eval_app.engine.judge.comparison.mismatch_maps import DECADES, decades, mismatch_map  # noqa: E402

TOLERANCE = Tolerance(fp32=1e-4, half=1e-2, fp64=1e-6)


@pytest.mark.parametrize("shape", [(), (1,), (7,), (3, 5), (40, 70), (2, 3, 33, 65), (100, 1)])
def test_a_map_of_any_shape_counts_every_wrong_element_once(shape):
    truth = torch.zeros(shape)
    drawn = mismatch_map(truth + 1, truth, TOLERANCE, "output")
    assert sum(schema.read(MismatchMap, drawn, "map").counts) == truth.numel()


def test_a_map_shows_where():
    truth = torch.zeros(64, 64)
    got = truth.clone()
    got[63, 0] = 1.0
    drawn = mismatch_map(got, truth, TOLERANCE, "output")
    assert drawn["rows"] == drawn["columns"] == 32
    assert [place for place, count in enumerate(drawn["counts"]) if count] == [31 * 32]


def test_errors_are_counted_by_their_decade_and_the_tolerance_is_one():
    truth = torch.zeros(5)
    got = torch.tensor([0.0, 5e-6, 5e-5, 5e-4, float("nan")])
    counts = dict(zip(DECADES, decades(got, truth, TOLERANCE), strict=True))
    assert counts == dict.fromkeys(DECADES, 0) | {-8: 1, -2: 1, -1: 1, 0: 1, DECADES[-1]: 1}


def test_integers_are_right_or_wrong():
    counts = decades(torch.tensor([1, 2]), torch.tensor([1, 3]), TOLERANCE)
    assert (counts[0], counts[-1]) == (1, 1)
