"""Inputs that a task computes from other inputs: the counts of a mask, or means, deviations and maxima of rows. And
cosines beside sines, which it computes from the same angles.

A kernel may take either, so that families change neither: each on its own they would not belong together.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import combinations
from typing import Any

import torch

from eval_app.engine.judge.values.computable import computable
from eval_app.engine.judge.values.masks import chosen
from eval_app.engine.judge.values.reductions import CHUNK_ELEMENTS

# Rows that are compared, at least and at most.
_LEAST_ROWS, _MOST_ROWS = 8, 64
# How far a tensor may be from a multiple of what is computed here, as a share of what rows differ by: rounding, and
# what is added to a variance.
_CLOSE = 0.02
# Tensors among which cosines and sines are looked for, and the elements that are compared before all others.
_MOST_TABLES, _FIRST = 32, 256

_STATISTICS: tuple[Callable[[torch.Tensor], torch.Tensor], ...] = (
    lambda rows: rows.mean(-1),
    lambda rows: rows.std(-1),
    lambda rows: rows.std(-1).reciprocal(),
    lambda rows: rows.square().mean(-1).sqrt(),
    lambda rows: rows.square().mean(-1).rsqrt(),
    lambda rows: rows.amax(-1),
    lambda rows: rows.abs().amax(-1),
    lambda rows: rows.logsumexp(-1),
)


def find(
    tensors: Sequence[torch.Tensor], masks: Collection[int], measured: Collection[int]
) -> frozenset[int]:
    """Return the numbers of those tensors, `masks` and `measured` ones by number, of which another one holds counts or
    statistics, and of these others; and those of cosines and sines."""
    stay = {number for pair in of_angles(tensors) for number in pair}
    for number in {*masks, *measured}:
        for other, values in enumerate(tensors):
            x = tensors[number]
            is_smaller = 0 < values.numel() < x.numel() and not x.numel() % values.numel()
            if not is_smaller or values.is_complex() or _is_tiny_float(values):
                continue
            belong = _are_counts if number in masks else _are_statistics
            if belong(x, values):
                stay |= {number, other}
    return frozenset(stay)


def of_angles(leaves: Sequence[Any]) -> list[tuple[int, int]]:
    """Return the numbers of those pairs of tensors that hold the cosines and the sines of the same angles, as rotary
    positions have them: a kernel may rely on their squares, which add up to one. Each tensor is in one pair at most."""
    tables = [(n, x) for n, x in enumerate(leaves) if isinstance(x, torch.Tensor) and x.is_floating_point()]
    tables = [(n, x) for n, x in tables if x.numel() >= _LEAST_ROWS and not _is_tiny_float(x)]
    pairs: dict[int, int] = {}
    for (one, x), (other, y) in combinations(tables[:_MOST_TABLES], 2):
        is_free = not {one, other} & {*pairs, *pairs.values()}
        if is_free and x.shape == y.shape and x.device == y.device and _are_of_angles(x, y):
            pairs[one] = other
    return list(pairs.items())


def _are_of_angles(x: torch.Tensor, y: torch.Tensor) -> bool:
    x, y = x.flatten(), y.flatten()
    for part in (slice(_FIRST), slice(None)):
        squares = x[part].float().square()
        if not bool(((squares + y[part].float().square() - 1).abs() < _CLOSE).all()):
            return False
    return bool(((squares > _CLOSE) & (squares < 1 - _CLOSE)).any())  # not a mask beside what it leaves out


def _is_tiny_float(x: torch.Tensor) -> bool:
    return x.is_floating_point() and x.dtype.itemsize < 2


def _rows(x: torch.Tensor, count: int) -> Iterator[torch.Tensor]:
    """Yield the ways to see `x` as `count` rows, shape [count, n]: along one dimension, one slice of a dimension in
    each, or one part of all."""
    for dim, size in enumerate(x.shape):
        if x.numel() == count * size:
            yield x.movedim(dim, -1).reshape(count, size)
        elif size == count:
            yield x.movedim(dim, 0).reshape(count, -1)
    yield x.reshape(count, -1)


def _are_counts(mask: torch.Tensor, values: torch.Tensor) -> bool:
    is_chosen, wide = chosen(computable(mask)), values.double().flatten()
    if is_chosen is None or float(wide.sum()) != int(is_chosen.sum()):
        return False
    return any(torch.equal(rows.sum(-1).double(), wide) for rows in _rows(is_chosen, len(wide)))


def _are_statistics(x: torch.Tensor, values: torch.Tensor) -> bool:
    count, width = values.numel(), x.numel() // values.numel()
    if not values.is_floating_point() or count < _LEAST_ROWS:
        return False
    if width * _LEAST_ROWS > CHUNK_ELEMENTS:
        return False
    first = min(_MOST_ROWS, CHUNK_ELEMENTS // width)
    wide = values.flatten()[:first].double()
    some = (rows[:first].double() for rows in _rows(x, count))
    return any(_is_multiple(wide, statistic(rows)) for rows in some for statistic in _STATISTICS)


def _is_multiple(values: torch.Tensor, statistic: torch.Tensor) -> bool:
    """Return whether values, shape [n], are a multiple of a statistic that differs from row to row."""
    share = (values * statistic).sum() / statistic.square().sum()
    error, spread = (values - share * statistic).square().mean().sqrt(), statistic.std()
    return bool(error < _CLOSE * share.abs() * spread)
