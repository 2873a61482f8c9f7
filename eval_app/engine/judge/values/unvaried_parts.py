"""Parts of an input that a task never varies, beside others that it draws: rows of a bank behind new ones."""

from __future__ import annotations

import torch

from eval_app.engine.judge.values.directions import has_length_one
from eval_app.engine.judge.values.reductions import same
from eval_app.engine.judge.values.structure import Structure, is_free

# Elements of a slice, of which too few may be alike by chance.
_LEAST_ELEMENTS = 16
# Of the slices along a dimension: answers that are kept for fewer save next to nothing.
_LEAST_SHARE = 1 / 32


def find(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor | None:
    """Return which measurements of two draws of a tensor are the same in whole slices, as a bool tensor of its shape;
    None if none are. Constants, as in padding, and categories, as in masks, are none."""
    if left.shape != right.shape or left.dtype != right.dtype or left.dtype.itemsize < 2:
        return None
    equal = left == right
    # Counted first: draws at random have hardly an element in common, and to know whether one is free takes longer.
    if int(equal.sum()) < _LEAST_ELEMENTS or not is_free(left):
        return None
    places = torch.zeros(left.shape, dtype=torch.bool, device=left.device)
    for dim, size in enumerate(left.shape):
        which = _slices(left, equal, dim) if size and left.numel() // size >= _LEAST_ELEMENTS else None
        if which is not None:
            places |= which.view(-1, *[1] * (left.dim() - 1 - dim))
    return places if bool(places.any()) else None


def _slices(x: torch.Tensor, equal: torch.Tensor, dim: int) -> torch.Tensor | None:
    """Return which slices along a dimension are equal measurements, shape [size]; None if too few are."""
    rows = x.movedim(dim, 0).flatten(1)
    which = equal.movedim(dim, 0).flatten(1).all(1) & (rows.amin(1) < rows.amax(1))
    if int(which.sum()) < max(1.0, _LEAST_SHARE * len(which)):
        return None
    part = rows[which]
    is_measured = is_free(part) and not same(part, part.round())
    return which if is_measured else None


def can_scale(x: torch.Tensor, part: torch.Tensor) -> bool:
    """Return whether a part of a tensor may have another size: nothing that holds for the whole, or for some of its
    rows, ends by that."""
    found = Structure.of(x)
    is_tied = found.orders or found.even_step or found.order_of_halves or found.symmetric or found.repetitions
    lengths = (x.float() * x.float()).sum(-1)[part.any(-1)]
    return not is_tied and not has_length_one(lengths.sqrt()[:, None])


def share(part: torch.Tensor) -> str:
    """Return in words how much of a tensor never varies: rows where these are whole ones."""
    rows = part.flatten(1).all(1) if part.dim() > 1 else part
    count, of, kind = int(rows.sum()), len(rows), "rows"
    if not count:
        count, of, kind = int(part.sum()), part.numel(), "values"
    return f"{count} of {of} {kind}"
