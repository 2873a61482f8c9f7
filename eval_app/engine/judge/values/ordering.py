"""Values in order, on which a kernel may rely: sorted rows, evenly spaced ones, intervals, corners of boxes, a lower
bound beside an upper one."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from eval_app.engine.judge.values.reductions import smallest

# By which share of itself a step of a grid may differ from the others.
_EVEN = 1e-2
# Rows, or values, that are looked at before all others.
_FIRST = 64


def sorted_along(x: torch.Tensor) -> tuple[tuple[int, int], ...]:
    """Return along which dimensions of more than two elements the values ascend (1) or descend (-1)."""
    found = ((dim, _direction(x, dim)) for dim, size in enumerate(x.shape) if size > 2)
    return tuple((dim, direction) for dim, direction in found if direction)


def _direction(x: torch.Tensor, dim: int) -> int:
    row = x.movedim(dim, -1)
    while row.dim() > 1:
        row = row.select(0, row.shape[0] // 2)
    return _direction_of(x, dim) if _direction_of(row, 0) else 0  # most tensors are not looked through


def _direction_of(x: torch.Tensor, dim: int) -> int:
    size = x.shape[dim]
    steps = x.narrow(dim, 1, size - 1) - x.narrow(dim, 0, size - 1)
    return 1 if smallest(steps) >= 0 else -1 if float(steps.max()) <= 0 else 0


def even_step(x: torch.Tensor) -> float:
    """Return the step of rows of more than two values that are evenly spaced, as a grid is; 0 for others."""
    if x.shape[-1] <= 2:
        return 0.0
    steps = (x[..., 1:] - x[..., :-1]).float()
    step, last_bits = float(steps.mean()), torch.finfo(x.dtype).eps * float(x.abs().max())
    room = _EVEN * abs(step) + last_bits
    return step if float((steps - step).abs().max()) <= room < abs(step) else 0.0


def evenly_spaced(x: torch.Tensor, step: float) -> torch.Tensor:
    """Return rows from the first to the last value of those of `x`, or by `step` where both are equal."""
    wide = x.float() if x.dtype.itemsize < 4 else x
    places = torch.arange(x.shape[-1], device=x.device, dtype=wide.dtype)
    steps = (wide[..., -1:] - wide[..., :1]) / (x.shape[-1] - 1)
    return (wide[..., :1] + places * steps.masked_fill(steps == 0, step)).to(x.dtype)


def order_of(left: torch.Tensor, right: torch.Tensor) -> int:
    """Return 1 if no value of `left` is above the one in its place in `right`, -1 if none is below, else 0; 0 also for
    tensors that are equal. Both have the same shape and dtype."""
    steps = right - left
    least, most = smallest(steps), float(steps.max())
    return 1 if least >= 0 and most > 0 else -1 if most <= 0 and least < 0 else 0


def in_order(left: torch.Tensor, right: torch.Tensor, order: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return two tensors of one shape with their values exchanged where they are not in this order."""
    low, high = torch.minimum(left, right), torch.maximum(left, right)
    return (low, high) if order > 0 else (high, low)


def order_of_halves(x: torch.Tensor) -> int:
    """Return the order of the first and the second half of each row; 0 for rows of odd length."""
    if x.shape[-1] % 2:
        return 0
    first = order_of(*_halves(x.reshape(-1, x.shape[-1])[:_FIRST]))  # most tensors are not looked through
    return order_of(*_halves(x)) if first else 0


def halves_in_order(x: torch.Tensor, order: int) -> torch.Tensor:
    """Return `x` with this order of the halves of each row."""
    return torch.cat(in_order(*_halves(x), order), -1)


def _halves(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    half = x.shape[-1] // 2
    return x[..., :half], x[..., half:]


def orders_among(tensors: dict[int, torch.Tensor]) -> list[tuple[int, int, int]]:
    """Return which two of some tensors, by their numbers, are in which order in each place."""
    pairs = [(i, j) for i in tensors for j in tensors if i < j and _may_be_in_order(tensors[i], tensors[j])]
    return [(i, j, order) for i, j in pairs if (order := order_of(tensors[i], tensors[j]))]


def put_in_order(
    tensors: Sequence[torch.Tensor], orders: Sequence[tuple[int, int, int]]
) -> list[torch.Tensor]:
    """Return the tensors in these orders."""
    tensors = [*tensors]
    for left, right, order in orders:
        tensors[left], tensors[right] = in_order(tensors[left], tensors[right], order)
    return tensors


def _may_be_in_order(left: torch.Tensor, right: torch.Tensor) -> bool:
    if (left.shape, left.dtype) != (right.shape, right.dtype):
        return False
    return order_of(left.flatten()[:_FIRST], right.flatten()[:_FIRST]) != 0
