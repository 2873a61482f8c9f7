"""A first comparison of many small results with the truth, with one wait for the device in all.

`compare` waits several times for each output, and says how far they are apart. This says which it need not look at.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import torch

from eval_app.engine.judge.comparison.compare import FAR_SHARE, Tolerance, far_bound, flat

# Of the absolute tolerance: the root mean square is rounded otherwise here.
_STRICTER = 0.999
# Results of one form are compared together, as many as have so many elements; `compare` looks at larger ones.
_ELEMENTS = 2**22


def agree(
    results: Sequence[torch.Tensor], truths: Sequence[torch.Tensor], tolerances: Sequence[Tolerance]
) -> list[bool]:
    """Return for each result whether all of its elements agree with the truth; False where `compare` must decide.

    All three have one length; a result has the shape and dtype of its truth.
    """
    alike: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for number, (truth, tolerance) in enumerate(zip(truths, tolerances, strict=True)):
        if truth.numel() <= _ELEMENTS:
            alike[truth.shape, truth.dtype, tolerance].append(number)
    order, flags = [], []
    for (shape, _, tolerance), numbers in alike.items():
        at_once = max(1, _ELEMENTS // max(1, shape.numel()))
        for start in range(0, len(numbers), at_once):
            some = numbers[start : start + at_once]
            got, expected = (torch.stack([flat(tensors[n]) for n in some]) for tensors in (results, truths))
            flags.append(_agrees(got, expected, tolerance))
            order += some
    found = dict(zip(order, torch.cat(flags).tolist() if flags else [], strict=True))
    return [found.get(number, False) for number in range(len(truths))]


def _agrees(got: torch.Tensor, truth: torch.Tensor, tolerance: Tolerance) -> torch.Tensor:
    """Return a bool for each row of two tensors of shape [k, n]. Values that are not finite never agree here."""
    rtol = tolerance.relative(truth.dtype)
    if not truth.is_floating_point() or not rtol:
        return (got != truth).sum(-1) == 0
    wide = torch.float64 if truth.dtype == torch.float64 else torch.float32
    got, truth = got.to(wide), truth.to(wide)
    size, gap = truth.abs(), (got - truth).abs_()
    if tolerance.least_size >= 1 and truth.numel():  # by few kinds of kernels: reductions.py
        far = far_bound(size, rtol, tolerance.hidden(tolerance.least_size))
        if float((gap / torch.minimum(far, (size + 1) * (rtol * _STRICTER))).max()) <= 1:
            return torch.ones(len(truth), dtype=torch.bool, device=truth.device)
    squares = size.square().mean(-1, keepdim=True) if truth.numel() else size.sum(-1, keepdim=True)
    scale = squares.sqrt_().clamp_min_(tolerance.least_size)
    allowed = (size * rtol).add_(scale, alpha=rtol * _STRICTER)
    near = ((gap <= allowed) & (gap < math.inf)).all(-1)
    hidden = tolerance.hidden(scale)
    distant: torch.Tensor = ((gap > far_bound(size, rtol, hidden)) & (scale > hidden)).sum(-1)
    return near & (distant <= FAR_SHARE * truth.shape[-1])
