"""Outputs that are places in an input, such as those of an argmax or a top-k: among equal values any place is right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

from eval_app.engine.judge.structure import is_free


def points_to_the_same(got: torch.Tensor, truth: torch.Tensor, inputs: Sequence[torch.Tensor]) -> bool:
    """Return whether `got` and `truth`, integers of one shape, are places of equal values in one of the inputs."""
    if truth.dtype not in (torch.int64, torch.int32) or not truth.numel():
        return False
    # A copy: the candidate could write to its result between the look at its places and their use.
    places = got.to(torch.int64, copy=True)
    return any(
        _same_values(places, truth.long(), values, dim)
        for values in inputs
        if is_free(values)
        for dim in _dimensions(truth, values)
    )


def _dimensions(places: torch.Tensor, values: torch.Tensor) -> Iterator[int]:
    """Yield the dimensions of `values` along which `places` may count: all others have the same sizes."""
    for dim in range(values.dim()):
        shape = list(values.shape)
        kept, dropped = [*shape[:dim], *shape[dim + 1 :]], list(places.shape)
        if len(dropped) == len(shape):
            del dropped[dim]
        if dropped == kept:
            yield dim


def _same_values(got: torch.Tensor, truth: torch.Tensor, values: torch.Tensor, dim: int) -> bool:
    if got.dim() < values.dim():
        got, truth = got.unsqueeze(dim), truth.unsqueeze(dim)
    size = values.shape[dim]
    if any(bool(((places < 0) | (places >= size)).any()) for places in (got, truth)):
        return False
    if _repeats(got, dim) and not _repeats(truth, dim):
        return False
    return bool(torch.equal(values.gather(dim, got), values.gather(dim, truth)))


def _repeats(places: torch.Tensor, dim: int) -> bool:
    """Return whether a place occurs twice along the dimension."""
    if places.shape[dim] < 2:
        return False
    return bool((places.sort(dim).values.diff(dim=dim) == 0).any())
