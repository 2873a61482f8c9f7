"""What the values of an input have in common, on which a kernel may rely: rows in order, rows of length one, whole
numbers, none near zero, bounds in order, probabilities, values that repeat, and matrices: triangular, symmetric,
positive definite or orthogonal ones; and whether they are measurements at all."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

from eval_app.engine.judge import matrices, repetition
from eval_app.engine.judge.reductions import rms, same, smallest

# At most this many distinct values are categories (labels, masks, signs), not measurements.
_CATEGORIES = 4
_SAMPLE = 4096
# Tensors of an input tree that are compared with each other.
_MOST_ORDERED = 12
_NEAR_ONE = 2e-3
# Values that are all larger than this share of their mean size are positive on purpose.
_FROM_ZERO = 0.01


@dataclass(frozen=True)
class Probabilities:
    """Rows of probabilities, none of them zero, or of their logarithms."""

    # The smallest of the values.
    least: float
    logarithms: bool

    @classmethod
    def of(cls, x: torch.Tensor) -> Probabilities | None:
        """Return those of a tensor whose rows sum to one; None if there are zeros, which may mean that something is
        left out."""
        least = smallest(x)
        return cls(least, logarithms=least < 0) if least and math.isfinite(least) else None

    def impose(self, changed: torch.Tensor) -> torch.Tensor:
        """Return `changed` with rows that sum to one; of the same shape and dtype."""
        wide = (changed.float() if changed.dtype.itemsize < 4 else changed).clamp_min(self.least)
        rows = wide.log_softmax(-1) if self.logarithms else wide / wide.sum(-1, keepdim=True)
        return rows.to(changed.dtype)


@dataclass(frozen=True)
class Structure:
    """The structure of one floating-point tensor."""

    # Whether the values may change at all; nothing else is looked for where they may not.
    free: bool
    # 1 for ascending rows, -1 for descending ones.
    order: int = 0
    # The same for the halves of each row: intervals, and corners of boxes.
    order_of_halves: int = 0
    length_one: bool = False
    # The smallest and the largest of whole numbers: counts or labels, which a task may take for places.
    whole: tuple[float, float] | None = None
    # The smallest of values that are positive, none of them near zero.
    least: float = 0.0
    upper: bool = False
    lower: bool = False
    symmetric: bool = False
    # The mean of the diagonals of positive definite matrices.
    definite: float = 0.0
    # 1 for rotations, -1 for other orthogonal matrices.
    orthogonal: int = 0
    repetitions: tuple[repetition.Repetition, ...] = ()
    probabilities: Probabilities | None = None

    @classmethod
    def of(cls, x: torch.Tensor) -> Structure:
        """Return the structure of a tensor of any shape and dtype."""
        if not is_free(x):
            found = Probabilities.of(x) if _is_varied(x) else None
            return cls(free=found is not None, probabilities=found)
        width = x.shape[-1]
        matrix = x.dim() >= 2 and min(x.shape[-2:]) >= 2
        square, least = matrix and width == x.shape[-2], smallest(x)
        length_one = width > 1 and has_length_one(x)
        symmetric = square and same(x, x.transpose(-1, -2))
        return cls(
            free=True,
            order=_order(x) if width > 2 else 0,
            order_of_halves=order_of(*_halves(x)) if width % 2 == 0 else 0,
            length_one=length_one,
            whole=(least, float(x.max())) if is_whole(x) else None,
            least=least if least > _FROM_ZERO * rms(x.reshape(-1)) else 0.0,
            upper=matrix and same(x.triu(), x),
            lower=matrix and same(x.tril(), x),
            symmetric=symmetric,
            definite=float(x.diagonal(dim1=-2, dim2=-1).mean())
            if symmetric and matrices.are_definite(x)
            else 0.0,
            orthogonal=matrices.orthogonality(x) if square and length_one else 0,
            repetitions=repetition.find(x),
        )

    def impose(self, changed: torch.Tensor) -> torch.Tensor:
        """Return `changed`, of the shape that this is the structure of, with this structure."""
        if self.probabilities:
            return self.probabilities.impose(changed)
        for repeated in self.repetitions:
            changed = repeated.impose(changed)
        if self.whole:
            changed = changed.round().clamp(*self.whole)
        if self.least:
            changed = changed.masked_fill(changed == 0, self.least)
        if self.order:
            changed = changed.sort(-1, descending=self.order < 0).values
        if self.order_of_halves:
            changed = torch.cat(in_order(*_halves(changed), self.order_of_halves), -1)
        if self.length_one:
            lengths = changed.norm(dim=-1, keepdim=True)
            changed = changed / lengths.clamp_min(torch.finfo(changed.dtype).tiny)
        if self.upper:
            changed = changed.triu()
        if self.lower:
            changed = changed.tril()
        if self.symmetric:
            changed = changed.triu() + changed.triu(1).transpose(-1, -2)
        if self.definite:
            changed = matrices.made_definite(changed, self.definite)
        if self.orthogonal:
            changed = matrices.made_orthogonal(changed, rotations=self.orthogonal > 0)
        return changed


class Structures:
    """The structures of a task's inputs, by their number among its tensors, their shape and dtype.

    Each is found in the first draw: to look for it takes longer than a call of a small task.
    """

    def __init__(self) -> None:
        """Start with none found."""
        self._found: dict[tuple[int, torch.Size, torch.dtype], Structure] = {}
        self._orders: dict[tuple[torch.Size, ...], list[tuple[int, int, int]]] = {}

    def of(self, number: int, x: torch.Tensor) -> Structure:
        """Return the structure of tensor `number` of an input tree."""
        key = (number, x.shape, x.dtype)
        if key not in self._found:
            self._found[key] = Structure.of(x)
        return self._found[key]

    def put_in_order(self, own: list[torch.Tensor], changed: list[torch.Tensor]) -> list[torch.Tensor]:
        """Return the `changed` tensors of an input tree in the order that its `own` ones have in each place, as bounds
        have."""
        key = tuple(x.shape for x in own)
        if key not in self._orders:
            self._orders[key] = _orders(own)
        changed = [*changed]
        for left, right, order in self._orders[key]:
            changed[left], changed[right] = in_order(changed[left], changed[right], order)
        return changed


def is_free(x: torch.Tensor) -> bool:
    """Return whether the values are measurements that may change alone: no categories, no probabilities, all finite."""
    return _is_varied(x) and not _sums_to_one(x)


def _is_varied(x: torch.Tensor) -> bool:
    if not x.is_floating_point() or x.numel() < 2 or x.dtype.itemsize < 2:
        return False
    flat = x.flatten()
    first, spread = flat[:_SAMPLE].float().tolist(), flat[:: (x.numel() // _SAMPLE) | 1].float().tolist()
    return all(map(math.isfinite, first)) and len({*first, *spread}) > min(_CATEGORIES, x.numel() - 1)


def is_free_complex(x: torch.Tensor) -> bool:
    """Return whether complex values may be scaled: sizes that are free, and neither phases, nor directions, nor a state
    of length one."""
    size = x.abs()
    if not is_free(size):
        return False
    squares = size.float() ** 2
    lengths = (squares.sum(-1), squares.sum().reshape(1), squares)
    return all(float((length - 1).abs().max()) >= _NEAR_ONE for length in lengths)


def is_whole(x: torch.Tensor) -> bool:
    """Return whether all values of a floating-point tensor are finite whole numbers."""
    sample = x.flatten()[:_SAMPLE].float().tolist()
    return all(map(float.is_integer, sample)) and same(x.round(), x)


def _order(x: torch.Tensor) -> int:
    steps = x[..., 1:] - x[..., :-1]
    return 1 if smallest(steps) >= 0 else -1 if float(steps.max()) <= 0 else 0


def _orders(tensors: list[torch.Tensor]) -> list[tuple[int, int, int]]:
    """Return which two tensors, by their numbers, are in which order in each place."""
    numbers = [n for n, x in enumerate(tensors[:_MOST_ORDERED]) if is_free(x)]
    pairs = [(i, j) for i in numbers for j in numbers if i < j and _are_alike(tensors[i], tensors[j])]
    return [(i, j, order) for i, j in pairs if (order := order_of(tensors[i], tensors[j]))]


def _are_alike(left: torch.Tensor, right: torch.Tensor) -> bool:
    return (left.shape, left.dtype) == (right.shape, right.dtype)


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


def _halves(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    half = x.shape[-1] // 2
    return x[..., :half], x[..., half:]


def has_length_one(x: torch.Tensor) -> bool:
    """Return whether the last dimension holds directions."""
    squares = x.float() * x.float()
    return float((squares.sum(-1) - 1).abs().max()) < _NEAR_ONE


def _sums_to_one(x: torch.Tensor) -> bool:
    """Return whether the last dimension holds probabilities or their logarithms, on which the task relies."""
    if x.dim() == 0 or x.shape[-1] < 2:
        return False
    rows = x.reshape(-1, x.shape[-1])[:64].float()
    sums = rows.exp().sum(-1) if float(rows.max()) <= 0 else rows.sum(-1)
    return float((sums - 1).abs().max()) < 1e-3
