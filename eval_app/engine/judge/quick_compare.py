"""A first comparison of many small results with the truth, with one wait for the device in all.

`compare` waits several times for each output, and says how far they are apart. This says which it need not look at.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from eval_app.engine.judge.compare import FAR_SHARE, Tolerance, far_bound, flat

# Of the absolute tolerance: the root mean square is rounded otherwise here.
_STRICTER = 0.999


def agree(
    results: Sequence[torch.Tensor], truths: Sequence[torch.Tensor], tolerances: Sequence[Tolerance]
) -> list[bool]:
    """Return for each result whether all of its elements agree with the truth; False where `compare` must decide.

    All three have one length; a result has the shape and dtype of its truth.
    """
    flags = [
        _agrees(flat(result), flat(truth), tolerance).to(results[0].device)
        for result, truth, tolerance in zip(results, truths, tolerances, strict=True)
    ]
    return [bool(flag) for flag in torch.stack(flags).tolist()] if flags else []


def _agrees(got: torch.Tensor, truth: torch.Tensor, tolerance: Tolerance) -> torch.Tensor:
    """Return one bool element. Values that are not finite never agree here."""
    rtol = tolerance.relative(truth.dtype)
    if not truth.is_floating_point() or not rtol:
        return (got == truth).all()
    wide = torch.float64 if truth.dtype == torch.float64 else torch.float32
    got, truth = got.to(wide), truth.to(wide)
    size = truth.abs()
    scale = size.square().mean().sqrt_().clamp_min_(tolerance.least_size) if truth.numel() else size.sum()
    gap = (got - truth).abs_()
    near = ((gap <= size * rtol + scale * (rtol * _STRICTER)) & (gap < math.inf)).all()
    far = (gap > far_bound(size, rtol, 1.0)).sum() > FAR_SHARE * truth.numel()
    return near & ~(far & (scale > 1))
