"""What the values of an input have in common, on which a kernel may rely: rows in order, rows of length one,
triangular and symmetric matrices; and whether they are measurements at all."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

from eval_app.engine.judge.reductions import same

# At most this many distinct values are categories (labels, masks, signs), not measurements.
_CATEGORIES = 4
_SAMPLE = 4096


@dataclass(frozen=True)
class Structure:
    """The structure of one floating-point tensor."""

    # Whether the values may change at all; nothing else is looked for where they may not.
    free: bool
    in_order: bool = False
    length_one: bool = False
    upper: bool = False
    lower: bool = False
    symmetric: bool = False

    @classmethod
    def of(cls, x: torch.Tensor) -> Structure:
        """Return the structure of a tensor of any shape and dtype."""
        if not is_free(x):
            return cls(free=False)
        width = x.shape[-1]
        matrix = x.dim() >= 2 and min(x.shape[-2:]) >= 2
        return cls(
            free=True,
            in_order=width > 2 and float((x[..., :-1] - x[..., 1:]).max()) <= 0,
            length_one=width > 1 and _has_length_one(x),
            upper=matrix and same(x.triu(), x),
            lower=matrix and same(x.tril(), x),
            symmetric=matrix and width == x.shape[-2] and same(x, x.transpose(-1, -2)),
        )

    def impose(self, changed: torch.Tensor) -> torch.Tensor:
        """Return `changed`, of the shape that this is the structure of, with this structure."""
        if self.in_order:
            changed = changed.sort(-1).values
        if self.length_one:
            lengths = changed.norm(dim=-1, keepdim=True)
            changed = changed / lengths.clamp_min(torch.finfo(changed.dtype).tiny)
        if self.upper:
            changed = changed.triu()
        if self.lower:
            changed = changed.tril()
        if self.symmetric:
            changed = changed.triu() + changed.triu(1).transpose(-1, -2)
        return changed


class Structures:
    """The structures of a task's inputs, by their number among its tensors, their shape and dtype.

    Each is found in the first draw: to look for it takes longer than a call of a small task.
    """

    def __init__(self) -> None:
        """Start with none found."""
        self._found: dict[tuple[int, torch.Size, torch.dtype], Structure] = {}

    def of(self, number: int, x: torch.Tensor) -> Structure:
        """Return the structure of tensor `number` of an input tree."""
        key = (number, x.shape, x.dtype)
        if key not in self._found:
            self._found[key] = Structure.of(x)
        return self._found[key]


def is_free(x: torch.Tensor) -> bool:
    """Return whether the values are measurements that may change: no categories, no probabilities, all finite."""
    if not x.is_floating_point() or x.numel() < 2 or x.dtype.itemsize < 2:
        return False
    sample = x.flatten()[:_SAMPLE].float()
    values = sample.tolist()
    if not all(map(math.isfinite, values)) or len(set(values)) <= min(_CATEGORIES, x.numel() - 1):
        return False
    return not _sums_to_one(x)


def _has_length_one(x: torch.Tensor) -> bool:
    """Return whether the last dimension holds directions."""
    squares = x.float() * x.float()
    return float((squares.sum(-1) - 1).abs().max()) < 2e-3


def _sums_to_one(x: torch.Tensor) -> bool:
    """Return whether the last dimension holds probabilities or their logarithms, on which the task relies."""
    if x.dim() == 0 or x.shape[-1] < 2:
        return False
    rows = x.reshape(-1, x.shape[-1])[:64].float()
    sums = rows.exp().sum(-1) if float(rows.max()) <= 0 else rows.sum(-1)
    return float((sums - 1).abs().max()) < 1e-3
