"""Masks that choose elements here and there: zeros and ones of any dtype, or zero and minus infinity, which is added.

Families let them choose more: everywhere, in every fourth slice of each dimension, or in stretches. Padding, labels,
places, triangles and other patterns, on which a kernel may rely, are no masks here.
"""

from __future__ import annotations

import math

import torch

from eval_app.engine.judge.values.integers import PLACES
from eval_app.engine.judge.values.padding import is_padded
from eval_app.engine.judge.values.reductions import same

_LEAST_ELEMENTS = 64
_SAMPLE = 4096
# What is added to scores to leave them out is infinite, or this at most.
_LEFT_OUT = -1e3
# Of so many elements that are left out one still is, in the family in which these lie everywhere and in others.
_STILL_LEFT_OUT = 8
# Of so many rows one is emptied.
_EMPTIED = 4
_EVERYWHERE = "mixed"
FAMILIES = frozenset(PLACES)


def is_mask(x: torch.Tensor) -> bool:
    """Return whether a tensor of any shape, as `computable` gives it, is such a mask."""
    has_no_values = x.is_complex() or (x.is_floating_point() and x.dtype.itemsize < 2)
    if x.numel() < _LEAST_ELEMENTS or has_no_values:
        return False
    is_chosen = chosen(x)
    return is_chosen is not None and not _is_pattern(is_chosen)


def chosen(x: torch.Tensor) -> torch.Tensor | None:
    """Return which elements are chosen, as a bool tensor of the shape of `x`; None if it holds other values."""
    if x.dtype == torch.bool:
        return x
    if len(set(x.reshape(-1)[:: x.numel() // _SAMPLE | 1].tolist())) > 2:
        return None
    least, most = float(x.min()), float(x.max())
    is_added = least <= _LEFT_OUT and math.isfinite(most)
    if not is_added and (least, most) != (0, 1):
        return None
    is_chosen = x == most
    left_out = torch.full_like(x, least)
    return is_chosen if same(x.masked_fill(is_chosen, least), left_out) else None


def denser(x: torch.Tensor, name: str) -> torch.Tensor:
    """Return a mask that chooses most of what it leaves out, where the family `name` has it, but for rows in which
    nothing would be left out any more."""
    rows = x.reshape(-1, x.shape[-1])
    more = torch.randint(_STILL_LEFT_OUT, rows.shape, device=x.device, dtype=torch.uint8) > 0
    if name != _EVERYWHERE:
        more &= PLACES[name](x).view(rows.shape)
    most = x.max()
    filled = rows.masked_fill(more, most)
    is_full = (filled == most).all(-1, keepdim=True)
    return torch.where(is_full, rows, filled).view(x.shape)


def emptied(x: torch.Tensor) -> torch.Tensor:
    """Return a mask of which a quarter of the rows, one at least, choose nothing."""
    rows = x.reshape(-1, x.shape[-1]).clone()
    rows[torch.randperm(len(rows), device=x.device)[: -(-len(rows) // _EMPTIED)]] = x.min()
    return rows.view(x.shape)


def _is_pattern(is_chosen: torch.Tensor) -> bool:
    """Return whether as many elements are chosen along a dimension everywhere, as of labels, places and pairs, or those
    left out lie together or in a triangle, or all or none are chosen."""
    counts = [is_chosen.sum(dim) for dim in range(is_chosen.dim())]
    if any(map(_are_alike, counts)) or not 0 < int(counts[0].sum()) < is_chosen.numel():
        return True
    if is_chosen.dim() > 1 and is_chosen.shape[-1] == is_chosen.shape[-2]:
        forms = (is_chosen.transpose(-1, -2), is_chosen.tril(), is_chosen.triu())
        if any(same(form, is_chosen) for form in forms):
            return True
    return is_padded(is_chosen, 0)


def _are_alike(values: torch.Tensor) -> bool:
    first = values.reshape(-1)[:1]
    return values.numel() > 1 and same(values, first.expand(values.numel()))
