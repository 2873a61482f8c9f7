"""Probabilities, and their logarithms, which sum to one along some dimension: a kernel may rely on that. And draws and
thresholds that are held against them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from eval_app.engine.judge.values.reductions import rounding, smallest, some_rows

_NEAR_ONE = 1e-3


@dataclass(frozen=True)
class Probabilities:
    """Values none of which is zero, or their logarithms, that sum to one along a dimension."""

    dim: int
    # The smallest of the values.
    least: float
    logarithms: bool

    def impose(self, changed: torch.Tensor) -> torch.Tensor:
        """Return `changed` with values that sum to one; of the same shape and dtype."""
        wide = (changed.float() if changed.dtype.itemsize < 4 else changed).clamp_min(self.least)
        shares = wide.log_softmax(self.dim) if self.logarithms else wide / wide.sum(self.dim, keepdim=True)
        return shares.to(changed.dtype)


def find(x: torch.Tensor) -> Probabilities | None:
    """Return the probabilities that a tensor of finite values holds; None if some are zero, which may mean that
    something is left out."""
    dim, least = dimension(x), smallest(x)
    if dim is None or not least or not math.isfinite(least):
        return None
    return Probabilities(dim, least, logarithms=least < 0)


def held_against(tensors: Sequence[torch.Tensor]) -> frozenset[int]:
    """Return the numbers of those tensors that hold values between 0 and 1, at most one for each distribution of
    another tensor: draws that accept or choose by probabilities, and thresholds."""
    numbers = {n: x for n, x in enumerate(tensors) if x.is_floating_point() and x.numel() > 1}
    dims = {n: dimension(x) for n, x in numbers.items()}
    most = max(
        (numbers[n].numel() // numbers[n].shape[dim] for n, dim in dims.items() if dim is not None), default=0
    )
    few = {n: x for n, x in numbers.items() if dims[n] is None and x.numel() <= most}
    return frozenset(n for n, x in few.items() if smallest(x) >= 0 and float(x.max()) <= 1)


def dimension(x: torch.Tensor) -> int | None:
    """Return along which dimension probabilities, or their logarithms, sum to one; the last one first, None if none
    does."""
    for dim in reversed(range(x.dim())):
        if x.shape[dim] > 1 and _sums_to_one(some_rows(x, dim)):
            return dim
    return None


def _sums_to_one(rows: torch.Tensor) -> bool:
    wide = rows.float()
    sums = wide.exp().sum(-1) if float(wide.max()) <= 0 else wide.sum(-1)
    return float((sums - 1).abs().max()) < rounding(rows, _NEAR_ONE)
