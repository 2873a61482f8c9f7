"""Tests of reductions and fillings that hold for every format of numbers."""

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.values.reductions import filled  # noqa: E402


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_a_tensor_is_filled_with_the_value_itself(dtype):
    like = torch.empty(2, 3, dtype=dtype)
    assert torch.equal(filled(like, 0.5), torch.full((2, 3), 0.5, dtype=dtype))


@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e8m0fnu])
@pytest.mark.parametrize("value", [0.0, -1.0, 0.3, 1e30])
def test_an_eight_bit_format_gets_a_number_that_it_holds(dtype, value):
    result = filled(torch.ones(4).to(dtype), value)
    assert (result.shape, result.dtype) == ((4,), dtype)
    assert len(set(result.float().nan_to_num(-7.0).tolist())) == 1
