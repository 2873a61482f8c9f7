"""Value families: the task's own inputs changed to expose shortcuts, within the task's domain.

A family outside the domain would blame honest kernels, so each tensor's own values decide: integers change places at
most, masks choose more, probabilities sum to 1, non-negative values stay so, and triangular or symmetric matrices stay
so.
Of complex values the size alone changes, of all of them alike.

Every family maps a floating-point tensor of any shape to one of the same shape and dtype.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any

import torch

from eval_app.engine.judge.values import integers, masks
from eval_app.engine.judge.values.computable import computable
from eval_app.engine.judge.values.eight_bits import like, single
from eval_app.engine.judge.values.matrices import are_regular
from eval_app.engine.judge.values.reductions import CHUNK_ELEMENTS, rms, smallest
from eval_app.engine.judge.values.structure import Structure, Structures, is_free_complex, is_whole
from eval_app.engine.shared.seeding import set_seed
from eval_app.engine.shared.trees import flatten, unflatten

Transform = Callable[[torch.Tensor], torch.Tensor]
_TIES = {"constant", "constants", "integers", "one_hot"}
# Where one value outweighs a row, scores are as its weights are, of which many are equal in half precision.
_TIES_IN_HALF = {"spikes"}
# Families on which a task can magnify last bits: by differences of nearly equal numbers, by exponentials of large ones.
MAGNIFYING = {"constant", "constants", "scaled_up", "mixed", "spikes", "stretched", "signed", "emptied"}
# Families whose values are whole numbers, whatever the task's own are.
MADE_WHOLE = {"constant", "constants", "integers", "one_hot"}
_LAST_BITS = 4
# The values of stretches of rows, beside the rest, and how many groups of rows have larger ones at their own place.
_LARGER, _SMALLER = 4.0, 2.0**-10
_STRETCHED_GROUPS = 16
# The share of itself by which last bits of a mean size move a value at most: beside much larger ones small values would
# become anything. Where last bits are a larger share, as in half precision, eight of these.
_MOST_OF_ITSELF = 2.0**-10
_MOST_LAST_BITS = 8


def _uniform(x: torch.Tensor) -> torch.Tensor:
    low = 0.0 if _non_negative(x) else -1.0
    return torch.rand(x.shape, device=x.device).mul_(1.0 - low).add_(low).to(x.dtype)


def _scaled_up(x: torch.Tensor) -> torch.Tensor:
    return x * 32


def _scaled_down(x: torch.Tensor) -> torch.Tensor:
    return x * 0.0625


def _constant(x: torch.Tensor) -> torch.Tensor:
    return torch.full_like(x, float(x.flatten()[0]))


def _integers(x: torch.Tensor) -> torch.Tensor:
    low = 0 if _non_negative(x) else -2
    return torch.randint(low, 3, x.shape, device=x.device, dtype=torch.int8).to(x.dtype)


def _one_hot(x: torch.Tensor) -> torch.Tensor:
    """Return zeros except for a one at a random place."""
    flat = torch.zeros(x.numel(), dtype=x.dtype, device=x.device)
    flat[int(torch.randint(x.numel(), (1,)))] = 1.0
    return flat.view(x.shape)


def _sorted(x: torch.Tensor) -> torch.Tensor:
    """Return the values in order, in chunks: sorting holds nine times what it sorts."""
    flat = x.flatten().clone()
    for part in flat.split(CHUNK_ELEMENTS):
        part.copy_(part.sort().values)
    return flat.view(x.shape)


def _mixed(x: torch.Tensor) -> torch.Tensor:
    """Return blocks of very different size in one tensor, so that a kernel that samples its first values is misled."""
    flat = x.flatten().clone()
    for part, scale in zip(flat.tensor_split(4), (1.0, 8.0, 0.0625, 32.0), strict=True):
        part *= scale
    return flat.view(x.shape)


def _stretched(x: torch.Tensor) -> torch.Tensor:
    """Return `x` with much smaller values in a stretch of all rows and in a stretch of the rows themselves, and larger
    ones in a stretch of each row: a kernel that leaves out tiles, or rows that seem to add nothing, misses some."""
    out = x.clone(memory_format=torch.contiguous_format)
    _scale_stretch(out, -1, _SMALLER, x.shape[-1] // 4)
    if x.dim() > 1:
        _scale_stretch(out, -2, _SMALLER, x.shape[-2] // 4)
    rows = out.view(-1, x.shape[-1])
    for group in rows.tensor_split(min(rows.shape[0], _STRETCHED_GROUPS)):
        _scale_stretch(group, -1, _LARGER, rows.shape[1] >> int(torch.randint(4, 8, ())) or 1)
    return out


def _scale_stretch(x: torch.Tensor, dimension: int, scale: float, length: int) -> None:
    """Scale as many slices of a dimension, one after the other from a random place on."""
    start = int(torch.randint(x.shape[dimension] - length + 1, ()))
    x.narrow(dimension, start, length).mul_(scale)


def _alternating(x: torch.Tensor) -> torch.Tensor:
    signs = torch.ones(x.numel(), dtype=x.dtype, device=x.device)
    if not _non_negative(x):
        signs[1::2] = -1
    return (x.abs().flatten() * signs).view(x.shape)


def _spikes(x: torch.Tensor) -> torch.Tensor:
    """Return `x` with one value in each row that weighs as much as the rest, or half as much: a sum that leaves some
    out misses it. In the last row it is the last value, and positive: a tile that is not full may be left out, also of
    a maximum. The first of all values is nearly as large: a loop may begin at the second one. How large they are is
    drawn for each tensor: where two are subtracted, equal ones would be gone."""
    rows = x.reshape(-1, x.shape[-1])
    weight = rows.shape[1] * float(rows[:64].float().std()) or 1.0
    size = min(weight, _largest(x))
    rows = rows * (size / weight)
    places = torch.randint(rows.shape[1], (rows.shape[0], 1), device=x.device)
    places[-1] = rows.shape[1] - 1
    size *= 1 - float(torch.rand(())) / 2
    spikes = torch.full(places.shape, size, device=x.device, dtype=torch.float32)
    if not _non_negative(x):
        spikes[:-1] *= torch.randint(0, 2, (len(places) - 1, 1), device=x.device) * 2 - 1
    rows = rows.scatter_(1, places, spikes.to(x.dtype))
    rows[0, 0] = 0.9 * size
    return rows.view(x.shape)


def _largest(x: torch.Tensor) -> float:
    """Return how large one value may be so that sums of a few stay in the dtype."""
    return min(float(torch.finfo(x.dtype).max) / 16, 2.0**20)


_OF_COMPLEX = {"scaled_up": _scaled_up, "scaled_down": _scaled_down}
FAMILIES: dict[str, Transform] = {
    "uniform": _uniform, "scaled_up": _scaled_up, "scaled_down": _scaled_down, "constant": _constant,
    "integers": _integers, "one_hot": _one_hot, "sorted": _sorted, "mixed": _mixed, "alternating": _alternating,
    "spikes": _spikes, "stretched": _stretched,
}  # fmt: skip


class NotApplicableError(ValueError):
    """The family does not apply to the task; the message says why."""


class Domain(IntEnum):
    """Which values a task takes besides its own: any, those between 0 and 1 alone where its own are, or none beyond
    the range of its own."""

    ANY = 0
    UNIT = 1
    OWN = 2


def change(
    name: str,
    inputs: Any,
    seed: int,
    *,
    domain: Domain = Domain.ANY,
    structures: Structures | None = None,
) -> Any:
    """Return `inputs` (a tree of tensors) changed to family `name`. Raises NotApplicableError if no tensor
    can change.

    Values stay in the task's `domain`. `structures` are those of the task, if it is drawn often.
    """
    if name not in FAMILIES:
        raise NotApplicableError(f"unknown family {name}")
    set_seed(seed)
    family, structures = FAMILIES[name], structures or Structures()
    own: list[torch.Tensor] = []
    form = flatten(inputs, own)
    stay, bounded = structures.derived(own), structures.held_against_probabilities(own)
    domains = [Domain.OWN if number in bounded else domain for number in range(len(own))]
    changed = [
        x if n in stay else _changed(x, name, _bounded(family, domains[n]), structures.of(n, x))
        for n, x in enumerate(own)
    ]
    if (
        name in integers.FAMILIES and domain is not Domain.OWN
    ):  # where an index beyond a table's end ends the context
        moved = structures.rearrangeable(own)
        changed = [integers.rearranged(y, moved[n], name) if n in moved else y for n, y in enumerate(changed)]
    if domain is Domain.OWN:  # a structure may lead beyond the range, as a sum of one does
        changed = [y if _is_in_range(y, x) else x for x, y in zip(own, changed, strict=True)]
    if all(x is before for x, before in zip(changed, own, strict=True)):
        raise NotApplicableError("no input holds values that it may change")
    return unflatten(form, structures.put_in_order(own, changed))


def require_regular(inputs: Any, changed: Any) -> None:
    """Raise NotApplicableError if a regular matrix of the inputs is a singular one in `changed`, a tree like theirs."""
    own: list[torch.Tensor] = []
    others: list[torch.Tensor] = []
    flatten(inputs, own)
    flatten(changed, others)
    if any(are_regular(x) and not are_regular(y) for x, y in zip(own, others, strict=True)):
        raise NotApplicableError("the task factorises matrices, and one of these values is singular")


def nudge(
    x: torch.Tensor, sign: int = 1, *, keeps: bool = False, domain: Domain = Domain.UNIT
) -> torch.Tensor:
    """Return `x` with changed last bits, as another order of summation would. Same shape and dtype.

    With `keeps` whole numbers stay, which may be counts or places, and so does a zero, which may mean that there is
    nothing. Values stay in the task's `domain`; where it takes any, none between 0 and 1 falls below 0.
    """
    if x.is_complex():
        return torch.view_as_complex(nudge(torch.view_as_real(x), sign, keeps=keeps))
    if not moves(x, keeps=keeps):
        return x.clone()
    return _within(x * (1 + _signs(x) * (sign * last_bits(x))), x, domain)


def nudge_absolutely(
    x: torch.Tensor, sign: int = 1, *, keeps: bool = False, domain: Domain = Domain.UNIT
) -> torch.Tensor:
    """Return `x` moved by last bits of its mean size, as a sum with a term of that size would, but by a small share of
    itself at most; else as `nudge`."""
    if x.is_complex():
        return torch.view_as_complex(nudge_absolutely(torch.view_as_real(x), sign, keeps=keeps))
    if not moves(x, keeps=keeps):
        return x.clone()
    most = abs(sign) * last_bits(x) * rms(x.reshape(-1))
    step = x.abs().mul_(max(_MOST_OF_ITSELF, _MOST_LAST_BITS * last_bits(x)))
    step = step.masked_fill_(x == 0, 0 if keeps else most).clamp_(max=most)
    moved = step.mul_(_signs(x)).mul_(1 if sign > 0 else -1).add_(x)
    return _within(moved, x, domain)


def moves(x: torch.Tensor, *, keeps: bool) -> bool:
    """Return whether nudges change a tensor of any dtype."""
    if x.is_complex():
        return x.numel() > 0
    has_last_bits = x.is_floating_point() and x.dtype.itemsize > 1 and x.numel() > 0
    return has_last_bits and not (keeps and is_whole(x))


def _bounded(family: Transform, domain: Domain) -> Transform:
    """Return a family whose values stay in a domain."""
    return (lambda x: _within(family(x), x, domain)) if domain else family


def _within(moved: torch.Tensor, own: torch.Tensor, domain: Domain) -> torch.Tensor:
    """Return `moved` within the range of `own`, or if that lies between 0 and 1, above 0, and below 1 unless the task
    takes any values."""
    low, high = smallest(own), float(own.max())
    if domain is Domain.OWN:
        return moved.clamp(low, high)
    return moved.clamp(0, 1 if domain else None) if low >= 0 and high <= 1 else moved


def _signs(x: torch.Tensor) -> torch.Tensor:
    return torch.randint(0, 2, x.shape, device=x.device, dtype=torch.int8).mul_(2).sub_(1).to(x.dtype)


def last_bits(x: torch.Tensor) -> float:
    """Return a relative change: one unit for half precision, whose tolerance is as wide as a few."""
    return (_LAST_BITS if x.dtype.itemsize > 2 else 1) * torch.finfo(x.dtype).eps


def has_ties(name: str, *, half: bool = False) -> bool:
    """Return whether the family makes equal values or, in half precision, equal scores: an output of indices is
    ambiguous there."""
    return name in _TIES or (half and name in _TIES_IN_HALF)


def _is_in_range(changed: torch.Tensor, own: torch.Tensor) -> bool:
    """Return whether the numbers of a tensor are within the range of `own`, of the same shape and dtype; True for
    integers and complex numbers."""
    if not changed.is_floating_point() or not changed.numel():
        return True
    mine, theirs = single(changed), single(own)
    return smallest(mine) >= smallest(theirs) and float(mine.max()) <= float(theirs.max())


def _changed(x: torch.Tensor, name: str, transform: Transform, structure: Structure) -> torch.Tensor:
    """Return `x` transformed to the family `name` within its structure, or `x` itself if its values may not change."""
    if structure.is_mask:
        return like(structure.impose(masks.denser(computable(x), name)), x) if name in masks.FAMILIES else x
    if x.is_complex():
        return _OF_COMPLEX[name](x) if name in _OF_COMPLEX and is_free_complex(x) else x
    return like(structure.vary(single(x), transform), x) if structure.free else x


def _non_negative(x: torch.Tensor) -> bool:
    return smallest(x) >= 0
