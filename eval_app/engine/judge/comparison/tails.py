"""Errors by the size of the truth: a tolerance by the whole tensor's mean size, which a few large values decide, takes
any answer for small ones.

An element is far off if its error is beyond ten times the tolerance of its own size. Elements are grouped by the decade
of their size; the error that all but a few of a group stay below is compared with the reference's own, on values with
other last bits: after a cancellation small values beside large ones are known to nobody.
"""

from __future__ import annotations

import torch

from eval_app.engine.judge.comparison.compare import Tolerance, far_bound, flat
from eval_app.engine.judge.values.reductions import CHUNK_ELEMENTS, rms

# Groups of less than this share of a tensor are left to the tolerance of the whole: a normal distribution has 0.8 % of
# its values within a hundredth of its deviation, where sums cancel.
_LEAST_SHARE = 0.01
_LEAST_COUNT = 16
# Of a result of few numbers, such as a sum beside a mean, an eighth is a group, of which none may be far off.
_LEAST_SHARE_OF_FEW = 1 / 8
# Share of a group that may be far off.
_FEW = 0.02
_ZERO = -1000

# By decade: the error in units of the bound that all but a few elements stay below.
Tails = dict[int, float]


def measure(got: torch.Tensor, truth: torch.Tensor, tolerance: Tolerance) -> Tails:
    """Return the errors by decade of the truth's size. Both tensors have the same shape and a floating-point dtype.

    Of very many elements some are drawn.
    """
    size = rms(flat(truth))
    left, right = flat(got), flat(truth)
    if right.numel() > CHUNK_ELEMENTS:
        drawn = torch.randint(right.numel(), (CHUNK_ELEMENTS,), device=right.device)
        left, right = left[drawn], right[drawn]
    error, decade = _errors(left, right, tolerance, size)
    least = max(min(_LEAST_COUNT, _LEAST_SHARE_OF_FEW * error.numel()), _LEAST_SHARE * error.numel())
    result: Tails = {}
    for value in decade.unique().tolist():
        group = error[decade == value]
        if group.numel() >= least:
            is_small = group.numel() < _LEAST_COUNT
            rank = group.numel() if is_small else int(group.numel() * (1 - _FEW))
            result[int(value)] = float(group.kthvalue(rank).values)
    return result


def largest(runs: list[Tails]) -> Tails:
    """Return the largest error by decade."""
    return {decade: max(run.get(decade, 0.0) for run in runs) for run in runs for decade in run}


def beyond(mine: Tails, honest: Tails, room: float) -> list[int]:
    """Return the decades in which errors are beyond the bound and beyond `room` times the honest ones."""
    return [decade for decade, error in mine.items() if error > max(1.0, room * honest.get(decade, 0.0))]


def flags(got: torch.Tensor, truth: torch.Tensor, tolerance: Tolerance, decades: list[int]) -> torch.Tensor:
    """Return a bool tensor, shape [n], of the elements of these decades that are far off."""
    size, wanted = rms(flat(truth)), torch.tensor(decades, device=truth.device)
    chunks = zip(flat(got).split(CHUNK_ELEMENTS), flat(truth).split(CHUNK_ELEMENTS), strict=True)
    parts = []
    for left, right in chunks:
        error, decade = _errors(left, right, tolerance, size)
        parts.append((error > 1) & torch.isin(decade, wanted))
    return torch.cat(parts)


def _errors(
    got: torch.Tensor, truth: torch.Tensor, tolerance: Tolerance, whole: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return each element's error in units of its bound, and the decade of its size; shape [n], as both arguments have.

    `whole` is the size of the whole tensor.
    """
    left, right = got.double(), truth.double()
    size = right.abs()
    hidden = tolerance.hidden(max(tolerance.least_size, whole))
    bound = far_bound(size, tolerance.relative(truth.dtype), hidden)
    error = torch.where(left == right, 0.0, (left - right).abs_() / bound).nan_to_num_(nan=0.0)
    decade = torch.where(size > 0, size.log10().floor_(), float(_ZERO)).nan_to_num_(
        posinf=-_ZERO, neginf=_ZERO
    )
    return error, decade.to(torch.int32)
