"""What the values of an input have in common, on which a kernel may rely: rows in order, rows of length one, whole
numbers, none near zero, bounds in order, probabilities, values that repeat, padding, and matrices: triangular,
symmetric, positive definite or orthogonal ones; and whether they are measurements at all."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import torch

from eval_app.engine.judge.values import (
    derived,
    directions,
    integers,
    masks,
    matrices,
    ordering,
    probabilities,
    records,
    repetition,
)
from eval_app.engine.judge.values.computable import computable
from eval_app.engine.judge.values.padding import is_padded
from eval_app.engine.judge.values.reductions import rms, same, smallest

# At most this many distinct values are categories (labels, masks, signs), not measurements.
_CATEGORIES = 4
_SAMPLE = 4096
# Tensors of an input tree that are compared with each other.
_MOST_ORDERED = 12
_NEAR_ONE = 2e-3
# Values of one sign, all larger than this share of their mean size, are away from zero on purpose.
_FROM_ZERO = 0.01
# Of a tensor, from which on it is looked at whether zeros lie together.
_LEAST_ZEROS = 0.02


@dataclass(frozen=True)
class Structure:
    """The structure of one floating-point tensor."""

    # Whether the values may change at all; nothing else is looked for where they may not.
    free: bool
    # Dimensions along which values ascend (1) or descend (-1).
    orders: tuple[tuple[int, int], ...] = ()
    # The step of evenly spaced rows.
    even_step: float = 0.0
    # The order of the halves of each row: intervals, and corners of boxes.
    order_of_halves: int = 0
    # Along which dimension values have length one.
    direction: int | None = None
    # The smallest and the largest of whole numbers: counts or labels, which a task may take for places.
    whole: tuple[float, float] | None = None
    # Whether none is positive, as logarithms of decays are.
    never_positive: bool = False
    # The value that is nearest to zero, of values that are all positive or all negative, and none of them near it.
    least: float = 0.0
    upper: bool = False
    lower: bool = False
    # 1 for symmetric matrices, -1 for those whose transposed ones have the other sign.
    symmetric: int = 0
    # The value on all diagonals of square matrices, None where they have several.
    diagonal: float | None = None
    # The mean of the diagonals of positive definite matrices.
    definite: float = 0.0
    # 1 for rotations, -1 for other orthogonal matrices.
    orthogonal: int = 0
    repetitions: tuple[repetition.Repetition, ...] = ()
    probabilities: probabilities.Probabilities | None = None
    # How the tensor is split into parts of several kinds, and their structures.
    split: records.Split | None = None
    parts: tuple[Structure, ...] = ()
    # Whether some values are infinite or NaN, which stay in their places, and whether zeros do, as in padding.
    is_partial: bool = False
    is_padded: bool = False
    # Whether it is a mask that chooses elements here and there, and may choose more.
    is_mask: bool = False

    @classmethod
    def of(cls, x: torch.Tensor) -> Structure:
        """Return the structure of a tensor of any shape and dtype that torch computes with."""
        if masks.is_mask(x):
            return cls(free=False, is_mask=True, repetitions=repetition.find(x))
        if not _has_numbers(x):
            return cls(free=False)
        least, most = smallest(x), float(x.max())
        if not (math.isfinite(least) and math.isfinite(most)):
            return replace(cls.of(x.where(x.isfinite(), 0)), is_partial=True, is_mask=False)
        if not is_free(x):
            found = probabilities.find(x) if _is_varied(x) else None
            return cls(free=found is not None, probabilities=found)
        width = x.shape[-1]
        matrix = x.dim() >= 2 and min(x.shape[-2:]) >= 2
        square = matrix and width == x.shape[-2]
        direction = directions.dimension(x)
        symmetric = matrices.symmetry(x) if square else 0
        orders, whole = ordering.sorted_along(x), is_whole(x)
        nearest = least if least > 0 else min(most, 0.0)
        split = records.find(x)
        return cls(
            free=True,
            orders=orders,
            even_step=ordering.even_step(x) if orders and not whole else 0.0,
            order_of_halves=ordering.order_of_halves(x),
            direction=direction,
            whole=(least, most) if whole else None,
            never_positive=most <= 0,
            least=nearest if abs(nearest) > _FROM_ZERO * rms(x.reshape(-1)) else 0.0,
            upper=matrix and same(x.triu(), x),
            lower=matrix and same(x.tril(), x),
            symmetric=symmetric,
            diagonal=matrices.diagonal(x) if square else None,
            definite=matrices.definiteness(x) if symmetric > 0 else 0.0,
            orthogonal=matrices.orthogonality(x) if square and direction == x.dim() - 1 else 0,
            repetitions=repetition.find(x),
            is_padded=is_padded(x, _LEAST_ZEROS),
            split=split,
            parts=tuple(map(cls.of, x.split(split[1], split[0]))) if split else (),
        )

    def vary(self, x: torch.Tensor, transform: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
        """Return `x`, which has this structure, transformed to other values that have it; of the same dtype."""
        finite = x.where(x.isfinite(), 0) if self.is_partial else x
        changed = self._transformed(finite, transform).to(x.dtype)
        if self.is_padded:
            changed = changed.masked_fill(finite == 0, 0)
        changed = self.impose(changed)
        return changed.where(x.isfinite(), x) if self.is_partial else changed

    def _transformed(
        self, x: torch.Tensor, transform: Callable[[torch.Tensor], torch.Tensor]
    ) -> torch.Tensor:
        if self.split:
            dim, sizes = self.split
            parts = zip(self.parts, x.split(sizes, dim), strict=True)
            return torch.cat(
                [part.vary(piece, transform) if part.free else piece for part, piece in parts], dim
            )
        return -transform(-x) if self.never_positive else transform(x)

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
        for dim, direction in self.orders:
            changed = changed.sort(dim, descending=direction < 0).values
        if self.even_step:
            changed = ordering.evenly_spaced(changed, self.even_step)
        if self.order_of_halves:
            changed = ordering.halves_in_order(changed, self.order_of_halves)
        if self.direction is not None:
            changed = directions.of_length_one(changed, self.direction)
        if self.upper:
            changed = changed.triu()
        if self.lower:
            changed = changed.tril()
        if self.symmetric:
            lower = changed.triu(1).transpose(-1, -2)
            changed = changed.triu() + lower if self.symmetric > 0 else changed.triu(1) - lower
        if self.definite:
            changed = matrices.made_definite(changed, self.definite)
        if self.diagonal is not None:
            changed = matrices.with_diagonal(changed, self.diagonal, keeps_definite=bool(self.definite))
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
        self._integers: dict[tuple[tuple[torch.Size, torch.dtype], ...], dict[int, tuple[int, ...]]] = {}
        self._derived: dict[tuple[tuple[torch.Size, torch.dtype], ...], frozenset[int]] = {}
        self._held: dict[tuple[tuple[torch.Size, torch.dtype], ...], frozenset[int]] = {}

    def of(self, number: int, x: torch.Tensor) -> Structure:
        """Return the structure of tensor `number` of an input tree."""
        key = (number, x.shape, x.dtype)
        if key not in self._found:
            self._found[key] = Structure.of(computable(x))
        return self._found[key]

    def rearrangeable(self, own: list[torch.Tensor]) -> dict[int, tuple[int, ...]]:
        """Return by their number those integer tensors of an input tree whose values may change places, with the values
        that stay."""
        key = tuple((x.shape, x.dtype) for x in own)
        if key not in self._integers:
            self._integers[key] = integers.find(own)
        return self._integers[key]

    def derived(self, own: list[torch.Tensor]) -> frozenset[int]:
        """Return the numbers of those tensors of an input tree that stay, as one is computed from another."""
        key = tuple((x.shape, x.dtype) for x in own)
        if key not in self._derived:
            few = own[:_MOST_ORDERED]
            found = [self.of(number, x) for number, x in enumerate(few)]
            masked = {number for number, structure in enumerate(found) if structure.is_mask}
            free = {
                number
                for number, structure in enumerate(found)
                if structure.free and not structure.is_partial
            }
            self._derived[key] = derived.find(few, masked, free)
        return self._derived[key]

    def held_against_probabilities(self, own: list[torch.Tensor]) -> frozenset[int]:
        """Return the numbers of those tensors of an input tree that take no values beyond the range of their own."""
        key = tuple((x.shape, x.dtype) for x in own)
        if key not in self._held:
            self._held[key] = probabilities.held_against([computable(x) for x in own[:_MOST_ORDERED]])
        return self._held[key]

    def put_in_order(self, own: list[torch.Tensor], changed: list[torch.Tensor]) -> list[torch.Tensor]:
        """Return the `changed` tensors of an input tree in the order that its `own` ones have in each place, as bounds
        have."""
        key = tuple(x.shape for x in own)
        if key not in self._orders:
            free = {number: x for number, x in enumerate(own[:_MOST_ORDERED]) if is_free(x)}
            self._orders[key] = ordering.orders_among(free)
        moved = {number for number, x in enumerate(own) if changed[number] is not x}
        found = [(left, right, sign) for left, right, sign in self._orders[key] if {left, right} & moved]
        return ordering.put_in_order(changed, found)


def is_free(x: torch.Tensor) -> bool:
    """Return whether the values are measurements that may change alone: no categories, no probabilities, all finite."""
    return _has_numbers(x) and _is_varied(x) and probabilities.dimension(x) is None


def _has_numbers(x: torch.Tensor) -> bool:
    return x.is_floating_point() and x.numel() > 1 and x.dtype.itemsize > 1


def _is_varied(x: torch.Tensor) -> bool:
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
