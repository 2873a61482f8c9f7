"""Tests of where a runner says its results lie."""

from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.runner.orders import Places  # noqa: E402
from eval_app.engine.shared.cudart import CudaError  # noqa: E402

PLACES = Places(SimpleNamespace(offset_of=lambda address: 64))


@pytest.mark.parametrize(
    "lazy", [torch.randn(3, dtype=torch.complex64).conj(), torch._neg_view(torch.randn(3))]
)
def test_memory_that_is_conjugated_or_negated_when_it_is_read_is_not_read_by_another_process(lazy):
    with pytest.raises(CudaError, match="when it is read"):
        PLACES.of(lazy)


def test_an_empty_result_lies_nowhere():
    assert PLACES.of(torch.empty(0, 4)) == {"block": -1, "offset": 0, "shape": [0, 4], "stride": [4, 1]}
