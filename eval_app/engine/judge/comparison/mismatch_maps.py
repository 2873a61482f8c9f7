"""Summaries of a comparison for a reader: where an output is wrong, and how its errors are distributed."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import torch

from eval_app.engine.contract.evidence import MAP_SIDE
from eval_app.engine.judge.comparison.compare import Tolerance, bounds_of, flat, wrong_flags
from eval_app.engine.judge.values.reductions import CHUNK_ELEMENTS

# Decades of |error| / tolerance by their lower bounds: 0 begins at the tolerance itself.
DECADES = list(range(-8, 5))
_SAMPLE = 2**18


def mismatch_map(got: torch.Tensor, truth: torch.Tensor, tolerance: Tolerance, where: str) -> dict[str, Any]:
    """Return the JSON form of evidence.MismatchMap for two tensors of one shape and dtype."""
    flat_got, flat_truth = flat(got), flat(truth)
    bounds = bounds_of(flat_truth, truth.dtype, tolerance)
    width = (truth.shape[-1] if truth.dim() else 1) * (2 if truth.dtype.is_complex else 1)
    height = max(1, flat_truth.numel() // max(1, width))
    rows, columns = min(MAP_SIDE, height), min(MAP_SIDE, max(1, width))
    counts = torch.zeros(rows * columns, dtype=torch.int64)
    for start in range(0, flat_truth.numel(), CHUNK_ELEMENTS):
        part = slice(start, start + CHUNK_ELEMENTS)
        places = wrong_flags(flat_got[part], flat_truth[part], bounds).nonzero().flatten() + start
        fields = (places // width) * rows // height * columns + places % width * columns // width
        counts += torch.bincount(fields, minlength=rows * columns).cpu()
    return {
        "output": where, "shape": list(truth.shape), "rows": rows, "columns": columns, "counts": counts.tolist(),
    }  # fmt: skip


def decades(got: torch.Tensor, truth: torch.Tensor, tolerance: Tolerance) -> list[int]:
    """Return the number of elements in each of DECADES, of a random sample if the output is large. Both
    tensors have the same shape and dtype."""
    flat_got, flat_truth = flat(got), flat(truth)
    bounds = bounds_of(flat_truth, truth.dtype, tolerance)
    if flat_truth.numel() > _SAMPLE:
        places = torch.randint(flat_truth.numel(), (_SAMPLE,), device=flat_truth.device)
        flat_got, flat_truth = flat_got[places], flat_truth[places]
    if not flat_truth.is_floating_point():
        wrong = int((flat_got != flat_truth).sum())
        return [flat_truth.numel() - wrong, *[0] * (len(DECADES) - 2), wrong]
    left, right = flat_got.double(), flat_truth.double()
    ratio = (left - right).abs_() / (right.abs() * bounds.rtol + bounds.atol)
    if ratio.numel() and not float(ratio.max()) < math.inf:
        same = (left == right) | (left.isnan() & right.isnan())
        ratio = torch.where(same, 0.0, ratio)
    edges = torch.tensor([10.0**decade for decade in DECADES[1:]], dtype=torch.float64, device=ratio.device)
    below = (
        (ratio < edges[:, None]).sum(1).tolist()
    )  # no comparison holds for NaN, which is in the last decade
    return [int(high - low) for low, high in pairwise([0, *below, ratio.numel()])]
