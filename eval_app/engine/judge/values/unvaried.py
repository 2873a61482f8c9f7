"""Inputs that a task never varies: a mask of ones, a bias of zeros, a number, values drawn from a seed of its own.

A candidate that leaves such an input out, or that keeps its last answer, is right on everything that the task draws. So
measurements are scaled by another factor at each draw, cosines and sines of the same angles are turned by another one,
and values that are one constant are moved by a trial of their own: ones and true become zero here and there, zeros
become one, any other number moves by a quarter. Places, such as a list of indices, patterns, such as a triangle, and
directions stay as they are, because kernels may rely on them: they are named. Of an input that varies in part, such as
new rows before a bank of others, the rest is scaled.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from eval_app.engine.judge.values import directions, unvaried_parts
from eval_app.engine.judge.values.derived import of_angles
from eval_app.engine.judge.values.output_digest import checksum
from eval_app.engine.judge.values.structure import is_free
from eval_app.engine.shared.trees import flatten, leaves, unflatten

# The family of values that moves constants.
FAMILY = "constants"
_SHARE = 0.25
_LEAST_FACTOR = 0.5
# Of draws that are compared: of 64, two are equal in most tasks that have fewer than 1,500 different ones.
_DRAWS = 64
# Elements of all of these together: to draw as many takes some 40 ms.
_DRAWN_ELEMENTS = 2**22


@dataclass(frozen=True)
class Unvaried:
    """Leaves of the inputs that two draws have in common, by their number in the order of `leaves`."""

    numbers: frozenset[int] = frozenset()
    # Measurements among them, which are scaled at each draw.
    scaled: frozenset[int] = frozenset()
    # Which elements of other leaves are the same measurements in both draws, and are scaled at each draw.
    parts: dict[int, torch.Tensor] = field(default_factory=dict)
    # How much of other leaves is the same, and stays so, because the values depend on each other, in words.
    kept_parts: dict[int, str] = field(default_factory=dict)
    # Cosines beside the sines of the same angles, which are turned by another one at each draw.
    turned: tuple[tuple[int, int], ...] = ()

    @property
    def fixed(self) -> list[int]:
        """Return the leaves that no draw varies."""
        return sorted(self.numbers - self.scaled - {number for pair in self.turned for number in pair})

    def are_all(self, inputs: Any) -> bool:
        """Return whether no draw varies any tensor of the inputs, or there is none."""
        leaves = enumerate(leaf_values(inputs))
        return {number for number, leaf in leaves if isinstance(leaf, torch.Tensor)} <= {*self.fixed}

    def describe_kept(self, inputs: Any) -> str:
        """Return in words which parts of inputs are the same in each draw, and how much they are; empty if none."""
        shares = zip(
            places(inputs, self.kept_parts), map(self.kept_parts.get, sorted(self.kept_parts)), strict=False
        )
        return ", ".join(f"{share} of {place}" for place, share in shares)

    def leave_plain(self, inputs: Any) -> bool:
        """Return whether draws vary numbers or texts, which are no tensors."""
        leaves = enumerate(leaf_values(inputs))
        return any(
            not isinstance(leaf, torch.Tensor) and number not in self.numbers for number, leaf in leaves
        )


def come_again(draw: Callable[[], Any]) -> bool:
    """Return whether draws of inputs come twice, so that all answers can be kept."""
    seen: set[tuple[int, ...]] = set()
    drawn = 0
    for number in range(1, _DRAWS + 1):
        tensors = [leaf for leaf in leaf_values(draw()) if isinstance(leaf, torch.Tensor)]
        seen.add(checksum(tensors))
        if len(seen) < number:
            return True
        drawn += sum(tensor.numel() for tensor in tensors)
        if drawn * (number + 1) / number > _DRAWN_ELEMENTS:
            return False
    return False


def find(first: Any, second: Any) -> Unvaried:
    """Return what two draws of a task's inputs have in common."""
    left, right = leaf_values(first), leaf_values(second)
    if len(left) != len(right):
        return Unvaried()
    same = frozenset(i for i, (a, b) in enumerate(zip(left, right, strict=True)) if _is_same(a, b))
    turned = tuple(pair for pair in of_angles(left) if same.issuperset(pair))
    tables = {number for pair in turned for number in pair}
    # Directions, of which a kernel may know that they have the length one, stay as they are.
    scaled = frozenset(
        i for i in same - tables if is_measured(left[i]) and directions.dimension(left[i]) is None
    )
    pairs = ((i, a, b) for i, (a, b) in enumerate(zip(left, right, strict=True)) if i not in same)
    parts = {
        i: part
        for i, a, b in pairs
        if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor)
        if (part := unvaried_parts.find(a, b)) is not None
    }
    kept = {
        i: unvaried_parts.share(part)
        for i, part in parts.items()
        if not unvaried_parts.can_scale(left[i], part)
    }
    return Unvaried(same, scaled, {i: part for i, part in parts.items() if i not in kept}, kept, turned)


def rescaled(inputs: Any, unvaried: Unvaried, seed: int) -> Any:
    """Return a draw of inputs whose unvaried measurements have another size, and whose unvaried tables of angles have
    others: a factor and an angle per draw from `seed`."""
    if not (unvaried.scaled or unvaried.parts or unvaried.turned):
        return inputs
    share, found = (seed % 2**20) / 2**20, leaf_values(inputs)
    factor = _LEAST_FACTOR + (1 - _LEAST_FACTOR) * share
    changes = {
        number: leaf * factor
        for number, leaf in enumerate(found)
        if number in unvaried.scaled and is_measured(leaf)
    }
    along, across = math.cos(math.tau * share), math.sin(math.tau * share)
    for one, other in set(unvaried.turned) & set(of_angles(found)):
        cosines, sines = found[one], found[other]
        changes[one], changes[other] = cosines * along - sines * across, sines * along + cosines * across
    for number, leaf in enumerate(found):
        part = unvaried.parts.get(number)
        if part is not None and isinstance(leaf, torch.Tensor) and leaf.shape == part.shape:
            changes[number] = torch.where(part, leaf * factor, leaf)
    return with_leaves(inputs, changes)


def movable(inputs: Any, unvaried: Unvaried) -> list[int]:
    """Return the numbers of the leaves that hold one constant, which may be another."""
    return list(_moved_leaves(inputs, unvaried.fixed))


def measured(inputs: Any, numbers: Iterable[int]) -> set[int]:
    """Return which of the leaves `numbers` hold measurements, which families change."""
    leaves = leaf_values(inputs)
    return {number for number in numbers if number < len(leaves) and is_measured(leaves[number])}


def moved(inputs: Any, numbers: Sequence[int]) -> Any:
    """Return inputs with other constants in the leaves `numbers`."""
    return with_leaves(inputs, _moved_leaves(inputs, numbers))


def _moved_leaves(inputs: Any, numbers: Sequence[int]) -> dict[int, Any]:
    """Return other constants for those of the leaves `numbers` that hold one: another draw may have fewer leaves."""
    chosen = set(numbers)
    moves = {n: _moved(leaf) for n, leaf in enumerate(leaf_values(inputs)) if n in chosen}
    return {number: value for number, value in moves.items() if value is not None}


def places(inputs: Any, numbers: Iterable[int]) -> list[str]:
    """Return the places in words of those leaves that there are: another draw may have fewer."""
    where = [place for place, _ in leaves(flatten(inputs, []), "inputs")]
    return [where[n] for n in sorted(numbers) if n < len(where)]


def _moved(leaf: Any) -> Any:
    """Return a constant moved; None for what stays: text, counts, places, patterns."""
    if isinstance(leaf, float):
        return _moved_number(leaf) if math.isfinite(leaf) else None
    if not isinstance(leaf, torch.Tensor) or not leaf.numel() or leaf.is_complex() or _is_tiny_float(leaf):
        return None
    value = leaf.flatten()[0].item()
    if not bool((leaf == value).all()) or not math.isfinite(value):
        return None
    if leaf.numel() == 1:
        return torch.full_like(leaf, _moved_number(value)) if leaf.is_floating_point() else None
    if value == 1 or (value == 0 and not _counts(leaf)):
        return _flipped(leaf, value)
    return None if _counts(leaf) else _spread(leaf)


def _moved_number(value: float) -> float:
    return value + _SHARE if abs(value) < 2 * _SHARE else value * (1 - _SHARE)


def _flipped(leaf: torch.Tensor, value: float) -> torch.Tensor:
    """Return zeros for ones, or ones for zeros, at random places, never the first of a row: a mask keeps something."""
    if leaf.numel() == 1:
        return (
            leaf.clone()
            if not leaf.is_floating_point()
            else torch.full_like(leaf, _moved_number(float(value)))
        )
    flips = torch.rand(leaf.shape, device=leaf.device) < 2 * _SHARE
    flips[..., 0] = False
    if leaf.shape[-1] > 1:
        flips[..., 1] = True
    return torch.where(flips, torch.full_like(leaf, 1 - value), leaf)


def _spread(leaf: torch.Tensor) -> torch.Tensor:
    noise = torch.rand(leaf.shape, device=leaf.device, dtype=torch.float32).mul_(2).sub_(1)
    return (leaf.float() * (1 + noise * _SHARE)).to(leaf.dtype)


def _is_tiny_float(leaf: torch.Tensor) -> bool:
    """Return whether these are eight-bit floats, which torch cannot compare."""
    return leaf.is_floating_point() and leaf.dtype.itemsize < 2


def _counts(leaf: torch.Tensor) -> bool:
    return not leaf.is_floating_point() and leaf.dtype != torch.bool


def is_measured(leaf: Any) -> bool:
    """Return whether a leaf holds measurements: free values, and no whole numbers."""
    return isinstance(leaf, torch.Tensor) and is_free(leaf) and not torch.equal(leaf, leaf.round())


def _is_same(left: Any, right: Any) -> bool:
    if isinstance(left, torch.Tensor) and isinstance(right, torch.Tensor):
        alike = left.shape == right.shape and left.dtype == right.dtype
        return alike and (not left.numel() or torch.equal(_bytes(left), _bytes(right)))
    return type(left) is type(right) and bool(left == right)


def _bytes(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.contiguous().reshape(-1).view(torch.uint8)


def leaf_values(inputs: Any) -> list[Any]:
    """Return tensors and plain values in the order of `leaves`."""
    tensors: list[torch.Tensor] = []
    forms = leaves(flatten(inputs, tensors))
    return [unflatten(form, tensors) for _, form in forms]


def with_leaves(inputs: Any, changes: dict[int, Any]) -> Any:
    """Return the inputs with other leaves, by their numbers."""
    tensors: list[torch.Tensor] = []
    tree = flatten(inputs, tensors)
    order = iter(range(len(leaves(tree))))
    return unflatten(_replaced(tree, order, changes, tensors), tensors)


def _replaced(form: Any, order: Iterator[int], changes: dict[int, Any], tensors: list[torch.Tensor]) -> Any:
    ((kind, body),) = form.items()
    if kind in ("tuple", "list"):
        return {kind: [_replaced(item, order, changes, tensors) for item in body]}
    if kind == "dict":
        pairs = sorted(body, key=lambda pair: repr(pair[0]))
        done = {id(item): _replaced(item, order, changes, tensors) for _, item in pairs}
        return {kind: [[key, done[id(item)]] for key, item in body]}
    number = next(order)
    return flatten(changes[number], tensors) if number in changes else form
