"""Tests of calibrated tolerances: looser than honest error, tighter than lower precision, or the default."""

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.comparison.compare import Tolerance  # noqa: E402
from eval_app.engine.judge.last_bits.calibrate import (  # noqa: E402
    NO_MEMORY,
    calibrate,
    choose,
    scaled_error,
    shortened,
)
from eval_app.engine.judge.task.cases import CaseMaker  # noqa: E402
from eval_app.engine.judge.task.reference import Reference  # noqa: E402


def test_it_stays_the_usual_one_where_lower_precision_fails_that():
    assert choose(1e-4, honest=1e-7, must_fail=[1e-2, 1.0]) == 1e-4


def test_it_is_drawn_until_lower_precision_fails_with_room():
    assert choose(1e-4, honest=1e-7, must_fail=[3e-5]) == pytest.approx(1e-5)


def test_it_is_never_so_tight_that_honest_error_could_fail():
    assert choose(1e-4, honest=1e-5, must_fail=[3e-5]) == 1e-4


def test_where_honest_error_is_large_there_is_none():
    assert choose(1e-4, honest=1e-4, must_fail=[1.0]) is None


@pytest.mark.parametrize(("dtype", "bits"), [(torch.float32, 10), (torch.float16, 3), (torch.bfloat16, 3)])
def test_values_are_rounded_to_the_mantissa_of_the_next_lower_precision(dtype, bits):
    x = torch.rand(1000).add(1).to(dtype)
    step = 2.0**-bits
    assert torch.equal(shortened(x).float(), (x.float() / step).add(0.5).floor() * step)
    assert shortened(x).dtype == dtype


def test_a_small_output_is_held_as_strictly_as_a_large_one():
    truth = torch.randn(1000)
    off = truth * (1 + 1e-3)
    assert scaled_error(off * 1e-6, truth * 1e-6) == pytest.approx(scaled_error(off, truth), rel=1e-3)


PROGRAM = """
import torch
class Model(torch.nn.Module):
    def forward(self, a, b):
        total = torch.zeros(a.shape[0], b.shape[1])
        return total.addmm_(a, b).mul_(1e-9) if {runs} else (a @ b, (a @ b).half())
def get_inputs():
    return [torch.randn(16, 32), torch.randn(32, 8)]
"""


def answers(tmp_path, runs):
    maker = CaseMaker(Reference(PROGRAM.format(runs=runs), tmp_path, torch.device("cpu"), 1))
    return calibrate(maker, [maker.make(), maker.make()], Tolerance(1e-4, 1e-2, 1e-6))


def test_a_task_that_cannot_run_in_double_is_calibrated_by_nudged_inputs(tmp_path):
    found = answers(tmp_path, "True")
    assert found["honest_error"] < 1e-5 < found["lower_precision_error"]
    assert found["calibrated_rtol"] <= 1e-4


def test_a_task_of_eight_bit_numbers_is_calibrated_by_nudges_of_single_ones(tmp_path):
    program = """
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return torch.softmax(x.float(), -1)
def get_inputs():
    return [torch.randn(16, 4096).to(torch.float8_e4m3fn)]
"""
    maker = CaseMaker(Reference(program, tmp_path, torch.device("cpu"), 1))
    found = calibrate(maker, [maker.make()], Tolerance(1e-4, 1e-2, 1e-6))
    assert 0 < found["honest_error"] < 1e-5 < found["calibrated_rtol"]


def test_a_calibration_that_does_not_happen_says_why(tmp_path):
    assert "one dtype" in answers(tmp_path, "False")["calibration_skipped"]


FULL_DEVICE = """
import torch
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.rand(8, 8))
        self.calls = 0
    def forward(self, x):
        self.calls += 1
        if self.weight.dtype is torch.float64 or (self.calls > 4 and WHEN == "later"):
            raise RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`")
        return x @ self.weight
def get_inputs():
    return [torch.rand(8, 8)]
"""


@pytest.mark.parametrize("when", ["in double", "later"])
def test_memory_that_a_library_lacks_is_no_answer_about_the_task(tmp_path, when):
    """A candidate may have taken it, and the answer serves all candidates of the task."""
    program = FULL_DEVICE.replace("WHEN", repr(when))
    maker = CaseMaker(Reference(program, tmp_path, torch.device("cpu"), 1))
    found = calibrate(maker, [maker.make(), maker.make()], Tolerance(1e-4, 1e-2, 1e-6))
    assert found == {"calibration_skipped": NO_MEMORY}
