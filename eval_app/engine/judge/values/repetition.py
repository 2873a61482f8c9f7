"""Values that repeat in an input, as those of a table of angles do for both halves of an attention head, or a bias that
is expanded over a batch: a kernel may read them once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch

from eval_app.engine.judge.values.reductions import same

# Ways to split a dimension that are compared with the whole tensor: in a row of angles of zero all of them seem to fit.
_MOST_SPLITS = 8
# Longer dimensions are not searched for periods.
_LONGEST = 2**16


@dataclass(frozen=True)
class Repetition:
    """One dimension along which values repeat: `blocks` blocks of `length` elements, either equal blocks or, with
    `runs`, equal elements within each block."""

    dim: int
    blocks: int
    length: int
    runs: bool

    def impose(self, x: torch.Tensor) -> torch.Tensor:
        """Return `x` with the first of the values that repeat in place of the others; of the same shape."""
        shape = (*x.shape[: self.dim], self.blocks, self.length, *x.shape[self.dim + 1 :])
        parts = x.reshape(shape)
        return parts.narrow(self.dim + self.runs, 0, 1).expand_as(parts).reshape(x.shape)


def find(x: torch.Tensor) -> tuple[Repetition, ...]:
    """Return how the values of a tensor of any shape repeat: at most one repetition per dimension."""
    found = (_along(x, dim) for dim, size in enumerate(x.shape) if 1 < size <= _LONGEST)
    return tuple(repetition for repetition in found if repetition)


def _along(x: torch.Tensor, dim: int) -> Repetition | None:
    row = x.movedim(dim, -1)
    for size in x.shape[:dim] + x.shape[dim + 1 :]:
        row = row.select(0, size // 2)
    for _, repetition in zip(range(_MOST_SPLITS), _splits(row.tolist(), dim), strict=False):
        if same(repetition.impose(x), x):
            return repetition
    return None


def _splits(values: list[float], dim: int) -> Iterator[Repetition]:
    """Yield the repetitions of one row of values: the shortest periods first, then the longest runs."""
    size = len(values)
    lengths = [length for length in range(1, size) if size % length == 0]
    for length in lengths:
        if values[length] == values[0] and values[:length] * (size // length) == values:
            yield Repetition(dim, size // length, length, runs=False)
    for length in reversed(lengths[1:]):
        if all(values[n] == values[n + 1] for n in range(size - 1) if (n + 1) % length):
            yield Repetition(dim, size // length, length, runs=True)
