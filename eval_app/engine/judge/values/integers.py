"""Integers of a wide range, such as the bytes of an image: families move the larger of a tensor's own values together.

Values change places alone, so that a reference that looks something up by them finds it. Places, lengths, labels, and
values in any order, on which a kernel may rely, stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from eval_app.engine.judge.values.computable import computable
from eval_app.engine.judge.values.reductions import CHUNK_ELEMENTS, same

# Others, such as pairs of float4, are no numbers to torch.
_DTYPES = {torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64}
_SAMPLE = 4096
# Elements and distinct values of a tensor of measurements, at least.
_LEAST_ELEMENTS = 256
_LEAST_DISTINCT = 4
# A value of which there are more is a special one, such as padding, which stays in its place.
_COMMON = 1 / 32
# Of the steps along a dimension that go up, or down, where values are in no order.
_MOST_ALIKE = 2 / 3
# Columns of fewer values may each hold something else.
_FEW = 16
# Labels at least, and members of each on the average.
_LEAST_LABELS, _LEAST_MEMBERS = 64, 4
# Every so many slices of a dimension, and the share of one, hold larger values.
_PERIOD = 4


def special_values(x: torch.Tensor) -> tuple[int, ...] | None:
    """Return those values of an integer tensor of any shape that stay in their places; None if all of them do."""
    wide = computable(x)
    if wide.dtype not in _DTYPES or x.numel() < _LEAST_ELEMENTS:
        return None
    sample, special = _sampled(wide)
    eighth = len(sample) // 8
    lowest, highest = sample[:eighth], sample[len(sample) - eighth :]
    if min(len(set(lowest)), len(set(highest))) < _LEAST_DISTINCT:
        return None
    # Wide integers without signs may be places, lengths or names, which nothing tells from measurements.
    if x.dtype.itemsize > 2 and (lowest[-1] >= 0 or not x.dtype.is_signed):
        return None
    return special if _is_free(wide, special) else None


def find(tensors: Sequence[torch.Tensor]) -> dict[int, tuple[int, ...]]:
    """Return by their number those integer tensors of an input tree whose values may change places, with the values
    that stay: none that are places in another one, or in order beside one of the same shape."""
    found = {
        number: special for number, x in enumerate(tensors) if (special := special_values(x)) is not None
    }
    for number in [*found]:
        x = computable(tensors[number])
        others = [other for n, other in enumerate(tensors) if n != number]
        if _cover_places(x, others) or any(_are_in_order(x, other) for other in others):
            del found[number]
    return found


def _cover_places(x: torch.Tensor, others: Sequence[torch.Tensor]) -> bool:
    """Return whether the values may be places in a dimension of one of the other tensors."""
    least, most = int(x.min()), int(x.max())
    return least >= 0 and any(most < size <= 2 * (most + 1) for other in others for size in other.shape)


def _are_in_order(x: torch.Tensor, other: torch.Tensor) -> bool:
    """Return whether no value is above, or none below, the one in its place in another integer tensor."""
    other = computable(other) if x.shape == other.shape else other
    if x.shape != other.shape or other.dtype not in _DTYPES:
        return False
    return bool((x <= other).all()) or bool((x >= other).all())


def rearranged(x: torch.Tensor, special: tuple[int, ...], name: str) -> torch.Tensor:
    """Return `x` with its values in other places, as the family `name` has them."""
    wide = computable(x)
    out = wide.clone(memory_format=torch.contiguous_format)
    is_larger = PLACES[name](wide).reshape(-1)
    flat, own = out.view(-1), wide.reshape(-1)
    for start in range(0, x.numel(), CHUNK_ELEMENTS):
        part = slice(start, start + CHUNK_ELEMENTS)
        _gather(flat[part], own[part], is_larger[part], special)
    return out.to(x.dtype)


def are_labels(x: torch.Tensor) -> bool:
    """Return whether integers of any shape, as `computable` gives them, are labels that come by chance: few ones from
    zero on, in no order, some of them more often than others, and not each once in a row."""
    if x.dtype not in _DTYPES or not _LEAST_LABELS <= x.numel() <= CHUNK_ELEMENTS or x.shape[-1] < 2:
        return False
    values, counts = x.unique(return_counts=True)
    is_few = 1 < len(values) <= x.numel() // _LEAST_MEMBERS and int(values[0]) >= 0
    return is_few and not same(counts, counts[:1].expand_as(counts)) and not _is_line(x, x.dim() - 1, ())


def emptied(x: torch.Tensor) -> torch.Tensor:
    """Return labels of which a quarter, one at least, have no members: these have others instead."""
    values, places = x.unique(return_inverse=True)
    order = torch.randperm(len(values), device=x.device)
    gone, kept = order.tensor_split([-(-len(values) // _PERIOD)])
    labels: torch.Tensor = values.clone()
    labels[gone] = values[kept[torch.randint(len(kept), (len(gone),), device=x.device)]]
    return labels[places]


def _sampled(x: torch.Tensor) -> tuple[list[int], tuple[int, ...]]:
    """Return the values at some places in order, but for common ones, and the common ones."""
    values = sorted(x.reshape(-1)[:: x.numel() // _SAMPLE | 1].tolist())
    counts: dict[int, int] = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    special = tuple(value for value, count in counts.items() if count >= _COMMON * len(values))
    return [value for value in values if value not in special], special


def _is_free(x: torch.Tensor, special: tuple[int, ...]) -> bool:
    """Return whether nothing that holds for all values ties them to their places."""
    wide = x if x.dtype.itemsize > 2 else x.to(torch.int32)
    if x.dim() > 1 and x.shape[-1] == x.shape[-2] and _is_square_pattern(wide):
        return False
    if any(size > 1 and _is_tied(wide, dim, special) for dim, size in enumerate(x.shape)):
        return False
    # Along other dimensions frames of different brightness are in some order, or have no value in common, by chance.
    lines = {-1, 0} if x.dim() == 2 else {-1}
    return not any(_is_line(wide, dim, special) or _are_columns(wide, dim) for dim in lines)


def _is_square_pattern(x: torch.Tensor) -> bool:
    """Return whether square matrices are symmetric, triangular, or of one value on their diagonals."""
    diagonals = x.diagonal(dim1=-2, dim2=-1)
    forms = (x.transpose(-1, -2), -x.transpose(-1, -2), x.triu(), x.tril())
    return same(diagonals, diagonals[..., :1].expand_as(diagonals)) or any(same(form, x) for form in forms)


def _is_tied(x: torch.Tensor, dim: int, special: tuple[int, ...]) -> bool:
    """Return whether values along a dimension are sorted, repeat, or have one sum."""
    up, down, unequal = _steps(x, dim, special)
    sums = x.sum(dim).flatten()
    is_sorted = x.shape[dim] > 2 and min(up, down) == 0
    return is_sorted or unequal < _MOST_ALIKE or (len(sums) > 1 and bool((sums == sums[0]).all()))


def _is_line(x: torch.Tensor, dim: int, special: tuple[int, ...]) -> bool:
    """Return whether values along a dimension are in some order, in parts of it too, or differ from each other."""
    up, down, _ = _steps(x, dim, special)
    size, half = x.shape[dim], x.shape[dim] // 2
    low, high = x.narrow(dim, 0, half), x.narrow(dim, size - half, half)
    is_ordered = max(up, down) > _MOST_ALIKE * (up + down)
    return is_ordered or bool((low <= high).all() | (low >= high).all()) or _is_distinct(x, dim, special)


def _steps(x: torch.Tensor, dim: int, special: tuple[int, ...]) -> tuple[int, int, float]:
    """Return how many steps along a dimension go up, how many down, and the share of both of all but those from one
    special value to the same."""
    left, right = x.narrow(dim, 0, x.shape[dim] - 1), x.narrow(dim, 1, x.shape[dim] - 1)
    up, down = int((left < right).sum()), int((left > right).sum())
    within = sum(int(((left == value) & (right == value)).sum()) for value in special)
    return up, down, (up + down) / max(1, left.numel() - within)


def _is_distinct(x: torch.Tensor, dim: int, special: tuple[int, ...]) -> bool:
    """Return whether no value but special ones comes twice along a dimension; some rows are looked at before all."""
    rows = x.movedim(dim, -1).flatten(0, -2) if x.dim() > 1 else x[None]
    return all(_has_distinct_rows(part, special) for part in (rows[:64], rows))


def _has_distinct_rows(rows: torch.Tensor, special: tuple[int, ...]) -> bool:
    ordered = rows.sort(-1).values
    is_twice = ordered[:, 1:] == ordered[:, :-1]
    for value in special:
        is_twice &= ordered[:, 1:] != value
    return not bool(is_twice.any())


def _are_columns(x: torch.Tensor, dim: int) -> bool:
    """Return whether a short dimension holds kinds of values: their ranges differ."""
    if not 1 < x.shape[dim] <= _FEW:
        return False
    columns = x.movedim(dim, 0).flatten(1)
    least, most = columns.amin(1).tolist(), columns.amax(1).tolist()
    widths = [high - low for low, high in zip(least, most, strict=True)]
    return bool(2 * min(widths) < max(most) - min(least))


def _gather(out: torch.Tensor, own: torch.Tensor, is_larger: torch.Tensor, special: tuple[int, ...]) -> None:
    """Exchange values within a flat `out`, which holds those of `own`, until the larger ones are where they are to."""
    is_kept = torch.zeros_like(is_larger)
    for value in special:
        is_kept |= own == value
    free = own[~is_kept][:: own.numel() // _SAMPLE | 1].sort().values
    if not len(free):
        return
    share = float(is_larger.sum()) / len(is_larger)
    is_large = own > free[min(int((1 - share) * len(free)), len(free) - 1)]
    empty = (is_larger & ~is_large & ~is_kept).nonzero().flatten()
    astray = (~is_larger & is_large & ~is_kept).nonzero().flatten()
    count = min(len(empty), len(astray))
    empty, astray = empty[:count], astray[:count]
    out[empty], out[astray] = own[astray], own[empty]


def _every_few(x: torch.Tensor) -> torch.Tensor:
    """Return every few slices of each dimension that is not short."""
    dims = [dim for dim, size in enumerate(x.shape) if size >= 2 * _PERIOD]
    return _slices(x, [(dim, _some_places(x, dim) % _PERIOD == 0) for dim in dims])


def _some_places(x: torch.Tensor, dim: int) -> torch.Tensor:
    """Return the places along a dimension, counted from a random one on."""
    return torch.arange(x.shape[dim], device=x.device) + int(torch.randint(x.shape[dim], ()))


def _stretches(x: torch.Tensor) -> torch.Tensor:
    """Return a stretch of each row and one of the rows themselves, from random places on."""
    chosen = []
    for dim in range(max(0, x.dim() - 2), x.dim()):
        size = x.shape[dim]
        chosen.append((dim, _some_places(x, dim) % size < size // _PERIOD))
    return _slices(x, chosen)


def _slices(x: torch.Tensor, chosen: Sequence[tuple[int, torch.Tensor]]) -> torch.Tensor:
    """Return which elements lie in one of the slices of a dimension, as a bool tensor of the shape of `x`."""
    places = torch.zeros(x.shape, dtype=torch.bool, device=x.device)
    for dim, which in chosen:
        places |= which.view(-1, *[1] * (x.dim() - 1 - dim))
    return places


def _blocks(x: torch.Tensor) -> torch.Tensor:
    """Return those two quarters of all elements that hold the smaller values by now."""
    places = torch.zeros(x.numel(), dtype=torch.bool, device=x.device)
    own, blocks = x.reshape(-1).tensor_split(4), places.tensor_split(4)
    means = torch.stack([values.double().mean() for values in own])
    for number in means.argsort()[:2].tolist():
        blocks[number].fill_(True)
    return places.view(x.shape)


# Which elements hold the larger values in a family, as a bool tensor of the shape of one.
PLACES: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "mixed": _blocks, "spikes": _every_few, "stretched": _stretches,
}  # fmt: skip
FAMILIES = frozenset(PLACES)
