"""Outputs that are places in an input, such as those of an argmax or a top-k: among equal values any place is right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

from eval_app.engine.judge.values.reductions import rms
from eval_app.engine.judge.values.structure import is_free

# By how many last bits equal scores may differ in two runs of the reference.
_LAST_BITS = 2
# Elements of rows that are looked through at once: of more, nothing is looked up.
_LOOKED_UP = 2**26
# Of places in a tensor.
PLACES = (torch.int64, torch.int32)


def points_to_the_same(
    got: torch.Tensor,
    truth: torch.Tensor,
    inputs: Sequence[torch.Tensor],
    outputs: Sequence[torch.Tensor] = (),
) -> bool:
    """Return whether `got` and `truth`, integers of one shape, are places of equal values in one of the inputs.

    An input of few different values explains anything, unless the task gives the values at these places as one of its
    `outputs` too, as a sort or a top-k does. One whose rows are each of one value explains nothing.
    """
    if truth.dtype not in PLACES or not truth.numel():
        return False
    # A copy: the candidate could write to its result between the look at its places and their use.
    places = got.to(torch.int64, copy=True)
    return any(
        _same_values(places, truth.long(), values, dim)
        for values in inputs
        for dim in _dimensions(truth, values)
        if _varies(values, dim) and (is_free(values) or _is_given(truth.long(), values, dim, outputs))
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


def _varies(values: torch.Tensor, dim: int) -> bool:
    """Return whether any two values along the dimension differ."""
    return (
        not bool(torch.equal(values, values.narrow(dim, 0, 1).expand_as(values))) if values.numel() else False
    )


def _same_values(got: torch.Tensor, truth: torch.Tensor, values: torch.Tensor, dim: int) -> bool:
    if got.dim() < values.dim():
        got, truth = got.unsqueeze(dim), truth.unsqueeze(dim)
    size = values.shape[dim]
    if any(bool(((places < 0) | (places >= size)).any()) for places in (got, truth)):
        return False
    if _repeats(got, dim) and not _repeats(truth, dim):
        return False
    return bool(torch.equal(values.gather(dim, got), values.gather(dim, truth)))


def is_beside(places: torch.Tensor, values: torch.Tensor, wanted: torch.Tensor) -> bool:
    """Return whether `values` could be what is at `places`: numbers of the same shape."""
    alike = places.shape == values.shape == wanted.shape and values.dtype == wanted.dtype
    return alike and places.dtype in PLACES and values.is_floating_point() and places.dim() > 0


def repeats_anew(got: torch.Tensor, truth: torch.Tensor) -> bool:
    """Return whether a place comes twice in some dimension along which none does in the truth; both have one shape."""
    return any(_repeats(got, dim) and not _repeats(truth, dim) for dim in range(truth.dim()))


def is_held(
    got: torch.Tensor, at: torch.Tensor, places: torch.Tensor, values: torch.Tensor, wanted: torch.Tensor
) -> torch.Tensor:
    """Return for each place in `got`, shape [n], whether it is among `places`, in the row of the element `at` of their
    flat form, with a value that differs from the one `wanted` there by last bits alone.

    All others have one shape; a row is one in which no place comes twice.
    """
    index = torch.unravel_index(at, places.shape)
    value = wanted[index].double()
    room = _LAST_BITS * torch.finfo(wanted.dtype).eps * value.abs().clamp_min(rms(wanted.reshape(-1)))
    held = torch.zeros_like(at, dtype=torch.bool)
    for dim, size in enumerate(places.shape):
        row = index[:dim] + index[dim + 1 :]
        if size > 1 and size * at.numel() <= _LOOKED_UP and not _repeats(places, dim):
            numbers, beside = (tensor.movedim(dim, -1)[row].view(-1, size) for tensor in (places, values))
            near = (beside.double() - value[:, None]).abs_() <= room[:, None]
            held |= ((numbers == got[:, None]) & near).any(-1)
    return held


def _is_given(truth: torch.Tensor, values: torch.Tensor, dim: int, outputs: Sequence[torch.Tensor]) -> bool:
    """Return whether one of the outputs holds the values at these places."""
    alike = [output for output in outputs if (output.shape, output.dtype) == (truth.shape, values.dtype)]
    places = truth if truth.dim() == values.dim() else truth.unsqueeze(dim)
    if not alike or bool(((places < 0) | (places >= values.shape[dim])).any()):
        return False
    given = values.gather(dim, places).view(truth.shape)
    return any(torch.equal(given, output) for output in alike)


def _repeats(places: torch.Tensor, dim: int) -> bool:
    """Return whether a place occurs twice along the dimension."""
    if places.shape[dim] < 2:
        return False
    return bool((places.sort(dim).values.diff(dim=dim) == 0).any())
