"""Tests of constants that a reference takes from the dtype of its values, in a wider precision."""

import threading

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.last_bits.dtype_constants import answered, asked  # noqa: E402
from tests.engine.judge.last_bits.test_honest_error import reviewed  # noqa: E402


def log_of_clamped(x):
    return torch.log(torch.relu(x).clamp_min(torch.finfo(x.dtype).eps))


def half_of_single(x):
    """Compute in single precision, with its own constant, what comes in half precision."""
    return torch.log(torch.relu(x.float()).clamp_min(torch.finfo(torch.float32).eps)).to(x.dtype)


def by_branch(x):
    return torch.log(torch.relu(x).clamp_min(1e-7 if x.dtype == torch.float32 else 1e-14))


def clamped(x, least):
    return lambda truth: torch.log(torch.relu(x.float()).clamp_min(least)).to(truth.dtype)


@pytest.mark.parametrize(
    ("function", "dtype"),
    [
        (log_of_clamped, torch.float32),
        (log_of_clamped, torch.bfloat16),
        (half_of_single, torch.bfloat16),
        (by_branch, torch.float32),
    ],
)
@pytest.mark.parametrize("least", [1e-12, 2.0**-52])
def test_a_constant_of_a_wider_precision_excuses_nothing(function, dtype, least):
    x = torch.randn(64, 64).to(dtype)
    assert reviewed(function, [x], clamped(x, least)).wrong > 1500


def test_a_wider_precision_says_how_far_half_precision_goes_behind_a_constant_of_its_dtype():
    x = torch.full((4, 64), 300.0, dtype=torch.float16)

    def square_mean(x):
        return (x * x).mean(-1) / 4 + torch.finfo(x.dtype).eps

    assert reviewed(square_mean, [x], lambda truth: square_mean(x.float()).half()).wrong == 0


def test_single_precision_that_drifts_less_than_half_does_is_excused_by_a_wider_one():
    x = torch.full((4,), 0.1)

    def total(x):
        sums = x * 0
        for _ in range(60000):
            sums = sums + x
        return sums

    exact = total(x.double()).float()
    assert float((total(x) / exact - 1).abs().max()) > 2e-4
    assert reviewed(total, [x], lambda truth: exact).wrong == 0


def test_layers_that_a_reference_casts_to_half_precision_may_be_computed_in_single():
    def layers(x, weights):
        for _ in range(6):
            x = torch.tanh(2 * x @ weights)
        return x

    def cast(x, weights):
        with torch.autocast("cpu", torch.bfloat16):
            return layers(x, weights).to(x.dtype)

    x, weights = torch.randn(128, 256), torch.randn(256, 256) / 16
    assert reviewed(cast, [x, weights], lambda truth: layers(x, weights)).wrong == 0


def test_answers_change_in_one_thread_and_for_as_long_as_asked():
    single, double = torch.finfo(torch.float32), torch.finfo(torch.float64)
    beside = []
    with asked() as found:
        assert (torch.finfo(torch.float32), torch.finfo()) == (single, single)
    assert found == [single, single]
    with answered(found):
        thread = threading.Thread(target=lambda: beside.append(torch.finfo(torch.float64)))
        thread.start()
        thread.join()
        assert [torch.finfo(torch.float64) for _ in range(3)] == [single, single, double]
    assert (beside, torch.finfo(torch.float64)) == ([double], double)
