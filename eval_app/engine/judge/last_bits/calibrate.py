"""Calibrated tolerance of one task: as loose as KernelBench's unless the next lower precision, or a constant,
would pass it, and never so tight that honest error could fail.

Errors are relative to the size of the truth, `|error| / (|truth| + RMS)`, so that small outputs are compared
as strictly as large ones. Honest error is the larger of two: the reference in fp32 against fp64, if it can run
there, and the reference on inputs changed by one unit in the last place, which any backward-stable order of
operations may cause (Higham, Accuracy and Stability of Numerical Algorithms, 1.5). Lower precision is the
reference on rounded operands: to TF32's 10 bits for fp32, to fp8's 3 bits for half precision, to fp32 for fp64.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import torch

from eval_app.engine.judge.comparison.compare import Tolerance, flat
from eval_app.engine.judge.last_bits.neighbours import is_number, run
from eval_app.engine.judge.task.cases import Case, CaseMaker
from eval_app.engine.judge.task.reference import require_context
from eval_app.engine.judge.values.eight_bits import single
from eval_app.engine.judge.values.families import Domain
from eval_app.engine.judge.values.reductions import CHUNK_ELEMENTS, filled, mean, rms
from eval_app.engine.judge.verdicts import says_no_memory

# Honest kernels may sum in another order than eager, with several times its error.
_HONEST_ROOM = 8.0
# Margin by which the lower precision must fail, so that the drawn inputs do not decide.
_FAIL_ROOM = 3.0
_LEAST_SIZE = 1e-30
# Why a task is not calibrated, for which a candidate may have taken the memory.
NO_MEMORY = "there is no device memory for wider forms of its values"
_FIELDS = {torch.float32: "fp32", torch.float16: "half", torch.bfloat16: "half", torch.float64: "fp64"}
_BITS = {torch.float32: 10, torch.float16: 3, torch.bfloat16: 3}


def calibrate(maker: CaseMaker, cases: list[Case], usual: Tolerance) -> dict[str, Any]:
    """Return the task's errors as admission answers: `honest_error`, `lower_precision_error` and, if honest
    error leaves room, `calibrated_rtol`; or `calibration_skipped` with the reason."""
    dtypes = _real_dtypes(cases[0])
    if len(dtypes) != 1 or not dtypes <= set(_FIELDS):
        return {"calibration_skipped": "its outputs are not floating-point or complex tensors of one dtype"}
    if maker.reference.domain is Domain.OWN:  # which other last bits and lower precisions leave
        return {"calibration_skipped": "the reference takes no values beyond the range of the task's own"}
    try:
        honest = max(_honest_error(maker, case) for case in cases)
        lower = min(_lower_error(maker, case) for case in cases)
    except torch.OutOfMemoryError:
        return {"calibration_skipped": NO_MEMORY}
    except Exception as error:  # a reference may fail in any way in a form that it was not written for
        require_context(error)
        text = f"{type(error).__name__}: {str(error)[:200]}"
        return {"calibration_skipped": NO_MEMORY if says_no_memory(text) else text}
    answers: dict[str, Any] = {"honest_error": _digits(honest), "lower_precision_error": _digits(lower)}
    constant = min(_mean_error(case) for case in cases)
    rtol = choose(usual.relative(dtypes.pop()), honest, [lower, constant])
    if rtol is None:
        return answers | {"calibration_skipped": "honest error is as large as the usual tolerance"}
    return answers | {"calibrated_rtol": _digits(rtol)}


def choose(usual: float, honest: float, must_fail: list[float]) -> float | None:
    """Return the loosest tolerance up to `usual` that fails every error in `must_fail` distinguishable from
    honest error."""
    least = _HONEST_ROOM * honest
    if usual < least or not usual:
        return None
    bounds = [error / _FAIL_ROOM for error in must_fail]
    return min([usual, *(bound for bound in bounds if bound >= max(least, usual * 1e-3))])


def tightened(usual: Tolerance, case: Case, answers: dict[str, Any]) -> Tolerance:
    """Return the tolerance for the task's own values; `usual` if the task was not calibrated."""
    rtol = answers.get("calibrated_rtol")
    dtypes = _real_dtypes(case)
    if not isinstance(rtol, float) or len(dtypes) != 1 or not dtypes <= set(_FIELDS):
        return usual
    field = _FIELDS[dtypes.pop()]
    if not 0 < rtol <= getattr(usual, field):
        return usual
    return replace(usual, least_size=_LEAST_SIZE, usual=usual, **{field: rtol})


def _real_dtypes(case: Case) -> set[torch.dtype]:
    """Return the dtypes of the case's outputs that are numbers; of complex ones that of their parts."""
    return {truth.dtype.to_real() for truth in case.truth if is_number(truth)}


def _honest_error(maker: CaseMaker, case: Case) -> float:
    """Return the larger one of both honest errors; that of nudged inputs where the program cannot run in fp64."""
    floats = _floats(case.truth)
    nudged = _floats(run(maker.reference.model, case, _nudged))
    errors = [scaled_error(other, truth) for other, truth in zip(nudged, floats, strict=True)]
    del nudged  # beside the wider form of a large task's values there is no room for them
    try:
        exact = _floats(run(copy.deepcopy(maker.reference.model).double(), case, _doubled))
    except torch.OutOfMemoryError:
        raise
    except Exception as error:  # a reference may name its precision
        if says_no_memory(str(error)):
            raise
        return max(errors)
    return max(errors + [scaled_error(truth, wide) for truth, wide in zip(floats, exact, strict=True)])


def _lower_error(maker: CaseMaker, case: Case) -> float:
    lowered = _floats(run(shortened_model(maker.reference.model), case, shortened))
    pairs = zip(lowered, _floats(case.truth), strict=True)
    return max(scaled_error(low, truth) for low, truth in pairs)


def _mean_error(case: Case) -> float:
    return max(
        scaled_error(filled(truth, mean(truth)), truth) if truth.numel() > 1 else 1.0
        for truth in map(flat, _floats(case.truth))
    )


def _floats(tensors: list[torch.Tensor]) -> list[torch.Tensor]:
    return [t for t in tensors if is_number(t)]


def _doubled(x: torch.Tensor) -> torch.Tensor:
    return x.to(torch.complex128 if x.is_complex() else torch.float64, copy=True)


def _nudged(x: torch.Tensor) -> torch.Tensor:
    """Return `x`, each value changed by at most one unit in its last place. Same shape; eight-bit numbers become single
    ones, others keep their dtype."""
    x = single(x)
    noise = torch.rand(x.shape, device=x.device, dtype=torch.float32).mul_(2).sub_(1).to(x.dtype)
    return noise.mul_(x).mul_(torch.finfo(x.dtype).eps).add_(x)


def shortened_model(model: torch.nn.Module) -> torch.nn.Module:
    """Return a copy with weights rounded to the next lower precision."""
    lower = copy.deepcopy(model)
    for tensor in [*lower.parameters(), *lower.buffers()]:
        if is_number(tensor):
            tensor.data.copy_(shortened(tensor.data))
    return lower


def shortened(x: torch.Tensor) -> torch.Tensor:
    """Return `x` rounded to the mantissa of the next lower precision. Same shape and dtype."""
    if x.is_complex():
        return torch.view_as_complex(shortened(torch.view_as_real(x.resolve_conj())))
    if x.dtype == torch.float64:
        return x.float().double()
    if x.dtype not in _BITS:
        return x.clone()
    drop = 23 - _BITS[x.dtype]
    bits = x.float().contiguous().view(torch.int32)
    rounded = (bits + (1 << (drop - 1))) & ~((1 << drop) - 1)
    return rounded.view(torch.float32).to(x.dtype)


def scaled_error(got: torch.Tensor, truth: torch.Tensor) -> float:
    """Return the largest |got - truth| / (|truth| + RMS of the truth) of finite values; 0 if there are none.
    Both tensors have the same shape."""
    flat_got, flat_truth = flat(got), flat(truth)
    size, largest = max(rms(flat_truth), _LEAST_SIZE), 0.0
    for start in range(0, flat_truth.numel(), CHUNK_ELEMENTS):
        part = slice(start, start + CHUNK_ELEMENTS)
        left, right = flat_got[part].double(), flat_truth[part].double()
        error = (left - right).abs_() / (right.abs() + size)
        error = error[torch.isfinite(error)]
        largest = max(largest, float(error.max()) if error.numel() else 0.0)
    return largest


def _digits(value: float) -> float:
    return float(f"{value:.3g}")
