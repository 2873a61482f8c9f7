"""Tests of the layouts that upstream gradients have."""

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.gradients.upstream import dense, one_row, one_value, transposed  # noqa: E402

OUTPUT = torch.zeros(3, 4, 5, dtype=torch.float64)


@pytest.mark.parametrize(
    ("layout", "strides"),
    [(dense, (20, 5, 1)), (transposed, (1, 3, 12)), (one_value, (0, 0, 0)), (one_row, (0, 5, 1))],
)
def test_an_upstream_gradient_has_the_shape_and_dtype_of_its_output_and_strides_of_its_own(layout, strides):
    whole = layout(OUTPUT).expand(OUTPUT.shape)
    assert (whole.shape, whole.dtype, whole.stride()) == (OUTPUT.shape, OUTPUT.dtype, strides)
    assert whole.abs().min() > 0


@pytest.mark.parametrize("layout", [dense, transposed, one_value, one_row])
def test_a_loss_has_an_upstream_gradient_in_every_layout(layout):
    assert layout(torch.tensor(1.0)).shape == ()
