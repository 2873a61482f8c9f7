"""Tests of the comparison with the truth: close values pass, others are reported with their position."""

from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from eval_app.engine.contract import schema  # noqa: E402
from eval_app.engine.contract.evidence import Mismatch  # noqa: E402
from eval_app.engine.judge.comparison import compare as comparing  # noqa: E402
from eval_app.engine.judge.comparison.compare import Tolerance, compare  # noqa: E402

KERNELBENCH = Tolerance(fp32=1e-4, half=1e-2, fp64=1e-6)


def test_equal_tensors_agree():
    x = torch.randn(7, 5)
    assert compare(x, x.clone(), KERNELBENCH).wrong == 0


def test_a_difference_beyond_tolerance_is_named_with_its_place():
    truth = torch.zeros(3, 4)
    got = truth.clone()
    got[2, 1] = 0.5
    difference = compare(got, truth, KERNELBENCH, "output[0]")
    assert difference.wrong == 1
    assert difference.mismatches == [{"output": "output[0]", "index": [2, 1], "got": "0.5", "expected": "0"}]


def test_chunks_are_seen_whole(monkeypatch):
    monkeypatch.setattr(comparing, "CHUNK_ELEMENTS", 8)
    truth = torch.zeros(5, 5)
    got = truth.clone()
    got[4, 4] = 1.0
    assert compare(got, truth, KERNELBENCH).mismatches[0]["index"] == [4, 4]


def test_nan_is_wrong_where_the_truth_is_a_number_and_right_where_it_is_nan():
    truth = torch.tensor([1.0, float("nan"), float("inf")])
    assert compare(truth.clone(), truth, KERNELBENCH).wrong == 0
    assert compare(torch.tensor([float("nan")] * 3), truth, KERNELBENCH).wrong == 2


@pytest.mark.parametrize("got", [0.0, 3e38, float("-inf"), float("nan")])
def test_no_number_and_no_other_infinity_is_close_to_infinity(got):
    truth = torch.tensor([1.0, float("inf")])
    difference = compare(torch.tensor([1.0, got]), truth, KERNELBENCH)
    assert (difference.wrong, difference.allclose) == (1, False)


def test_integers_must_be_equal():
    truth = torch.tensor([1, 2, 3])
    assert compare(truth + torch.tensor([0, 1, 0]), truth, KERNELBENCH).wrong == 1


def test_integers_that_differ_are_counted_and_sized():
    """An argmax that takes the last of equal maxima: 51 of 180 indices are wrong."""
    truth = torch.zeros(180, dtype=torch.int64)
    got = truth.clone()
    got[:51] = torch.arange(1, 52)
    difference = compare(got, truth, KERNELBENCH)
    assert (difference.wrong, difference.total, difference.max_abs) == (51, 180, 51.0)
    assert difference.max_rel > 0
    assert not difference.allclose
    assert difference.mismatches[0] == {"output": "output", "index": [0], "got": "1", "expected": "0"}


@pytest.mark.parametrize(("truth", "got"), [(2**62, 2**62 + 1), (-(2**63), 2**63 - 1), (0, 1)])
def test_no_integer_that_differs_is_off_by_nothing(truth, got):
    one, other = (torch.tensor([value], dtype=torch.int64) for value in (got, truth))
    assert compare(one, other, KERNELBENCH).max_abs >= 1


def test_kernelbench_takes_a_large_integer_that_is_off_by_a_little():
    difference = compare(torch.tensor([1_000_001]), torch.tensor([1_000_000]), KERNELBENCH)
    assert (difference.wrong, difference.allclose, difference.max_abs) == (1, True, 1.0)


def test_booleans_that_differ_are_counted():
    truth = torch.tensor([True, False, True, False])
    difference = compare(~truth, truth, KERNELBENCH)
    assert (difference.wrong, difference.max_abs, difference.allclose) == (4, 1.0, False)


def test_unsigned_bytes_do_not_wrap_around():
    one, other = (torch.tensor([value], dtype=torch.uint8) for value in (0, 255))
    assert compare(one, other, KERNELBENCH).max_abs == 255.0


def test_tf32_fails_where_single_precision_passes():
    left, right = torch.randn(64, 512).double(), torch.randn(512, 64).double()
    truth = (left @ right).float()
    shortened = [((t.float().view(torch.int32) >> 13) << 13).view(torch.float32) for t in (left, right)]
    assert compare(left.float() @ right.float(), truth, KERNELBENCH).wrong == 0
    assert compare(shortened[0] @ shortened[1], truth, KERNELBENCH).wrong > 0


def test_the_absolute_tolerance_grows_with_large_truths_and_kernelbenchs_verdict_is_kept():
    truth = torch.full((1000,), 100.0)
    truth[0] = 0.0
    got = truth.clone()
    got[0] = 0.005
    difference = compare(got, truth, KERNELBENCH)
    assert difference.wrong == 0
    assert not difference.allclose


def test_complex_values_are_compared_part_by_part():
    truth = torch.complex(torch.ones(4), torch.ones(4))
    got = torch.complex(torch.ones(4), torch.zeros(4))
    assert compare(got, truth, KERNELBENCH).wrong == 4


def test_of_complex_values_no_more_can_be_wrong_than_there_are():
    truth = torch.complex(torch.ones(4), torch.ones(4))
    difference = compare(-truth, truth, KERNELBENCH)
    assert (difference.wrong, difference.total) == (8, 8)


@given(
    st.sampled_from([0.0, 0.3, 1.7, 2.6]),
    st.lists(st.floats(-1e4, 1e4, width=32), min_size=1, max_size=40),
    st.sampled_from([torch.float32, torch.float16, torch.float64]),
)
def test_what_agrees_at_once_is_what_agrees_in_parts(share, values, dtype):
    truth = torch.tensor(values, dtype=dtype)
    got = truth + share * KERNELBENCH.relative(dtype) * truth.abs()
    at_once = compare(got, truth, KERNELBENCH)
    with mock.patch.object(comparing, "_agreement", return_value=None):
        in_parts = compare(got, truth, KERNELBENCH)
    assert (at_once.wrong, at_once.allclose, at_once.uneven) == (
        in_parts.wrong,
        in_parts.allclose,
        in_parts.uneven,
    )
    assert at_once.max_abs == pytest.approx(in_parts.max_abs)
    assert at_once.max_rel == pytest.approx(in_parts.max_rel, rel=1e-4)


def test_complex_numbers_of_half_precision_have_its_tolerance():
    assert KERNELBENCH.relative(torch.complex32) == KERNELBENCH.relative(torch.float16)


def test_a_wrong_element_of_many_dimensions_in_an_output_of_a_long_name_fits_a_report():
    truth = torch.zeros([1] * 20)
    [mismatch] = compare(truth + 1, truth, KERNELBENCH, "output['" + "k" * 200 + "']").mismatches
    assert schema.read(Mismatch, mismatch, "mismatch").index == [0] * 20
