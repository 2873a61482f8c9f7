"""Tests of what is compared of a call besides its output tensors."""

from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.calls.conduct import compare_plain, floats_close  # noqa: E402
from eval_app.engine.judge.comparison.compare import Difference  # noqa: E402


def number(value):
    return {"float": float(value).hex()}


@pytest.mark.parametrize(
    ("got", "wanted", "close"),
    [
        (1.0001, 1.0, True),
        (1.001, 1.0, False),
        (5.004e-4, 5e-4, True),
        (5.05e-4, 5e-4, False),  # a hundredth off, and less than the tolerance of numbers near one
        (5e-7, 0.0, True),
        (5e-5, 0.0, False),
    ],
)
def test_small_numbers_are_compared_by_their_own_size_as_elements_of_tensors_are(got, wanted, close):
    assert floats_close(number(got), number(wanted)) == close


@pytest.mark.parametrize(
    "got",
    [None, 5, "float", [], {}, {"float": 1}, {"float": "one"}, {"int": "1"}, number("inf"), number("nan")],
)
def test_a_forged_form_is_close_to_nothing(got):
    assert not floats_close(got, number(1))


@pytest.mark.parametrize(("dtype", "wrong"), [(torch.float32, 1), (torch.bfloat16, 0)])
def test_small_numbers_made_of_halves_may_be_rounded_as_these_are(dtype, wrong):
    case = SimpleNamespace(tensors=[torch.ones(4, dtype=dtype)], wanted=[("output", number(5e-4))])
    total = Difference()
    compare_plain(case, [number(5.05e-4)], total, lambda case, wrong: [])
    assert (total.wrong, total.total, total.outputs[0].wrong) == (wrong, 1, wrong)
