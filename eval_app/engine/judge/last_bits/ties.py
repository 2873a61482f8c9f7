"""Equal scores among which a reference chooses: large values have one sigmoid, whatever their last bits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from eval_app.engine.judge.comparison.pointing import PLACES
from eval_app.engine.judge.values.structure import is_whole

# Operators that choose places by score, which is their first argument.
_CHOOSING = {
    f"aten::{name}" for name in ("topk", "sort", "argsort", "argmax", "argmin", "max", "min", "kthvalue")
}
# Others of which it leaves open which of equal values they give the place of, and those of which it does not.
_POOLS = {
    f"aten::{kind}max_pool{n}d{end}"
    for kind in ("", "adaptive_", "fractional_")
    for n in (1, 2, 3)
    for end in ("", "_with_indices")
}
_OPEN = _CHOOSING | _POOLS | {f"aten::{name}" for name in ("cummax", "cummin", "mode", "median", "nanmedian")}
_SETTLED = {"aten::searchsorted", "aten::bucketize"}
# What finds bins, counts or places by values, where equal ones may lie on an edge.
_BY_VALUE = ("histc", "histogram", "bincount", "nonzero", "unique")
_CONVERTING = ("aten::_to_copy", "aten::copy_")
_SINGLE, _HALF = {torch.float32}, {torch.float16, torch.bfloat16}
# Far below half a last bit of single precision: scores that differ at all stay in their order.
_SHARE = 2.0**-32
# Share of the places that ties must move; of fewer, a review finds which are as right.
_MANY = 0.05


class TiesBroken(TorchDispatchMode):
    """Has equal scores in single precision be chosen among at random, and in half precision too if asked.

    With `rounded` only those that rounding may have made equal: no zeros and no whole numbers, of which a task that
    looks for a place means the first, and none in a stable sort.
    """

    def __init__(self, *, half: bool = False, rounded: bool = False) -> None:
        """Store of which scores no two are equal."""
        super().__init__()  # type: ignore[no-untyped-call]
        self._dtypes = _SINGLE | _HALF if half else _SINGLE
        self._rounded = rounded

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Carry out an operator; one that chooses gets scores of which no two are equal, but for infinities."""
        scores: Any = args[0] if args else None
        is_meant = isinstance(scores, torch.Tensor) and scores.dtype in self._dtypes
        if not is_meant or func._schema.name not in _CHOOSING or self._leaves(scores, kwargs or {}):
            return func(*args, **(kwargs or {}))
        found = func(_told_apart(scores, zeros=not self._rounded), *args[1:], **(kwargs or {}))
        if isinstance(found, tuple):
            return tuple(_narrowed(part, scores.dtype) for part in found)
        return _narrowed(found, scores.dtype)

    def _leaves(self, scores: torch.Tensor, options: dict[str, Any]) -> bool:
        return self._rounded and (bool(options.get("stable")) or is_whole(scores))


class ChoicesWatched(TorchDispatchMode):
    """Notes whether torch says which of equal values the places of a task's results are those of: the first in a table,
    or all in their order, as a stable sort keeps it."""

    def __init__(self) -> None:
        """Start with nothing seen."""
        super().__init__()  # type: ignore[no-untyped-call]
        self._is_settled = self._is_open = self._has_edges = False

    @property
    def are_settled(self) -> bool:
        """Return whether an operator that leaves no choice was called, and none that does."""
        return self._is_settled and not self._is_open

    @property
    def are_compared(self) -> bool:
        """Return whether integers can come of comparisons and of other integers alone: equal values have no edge and no
        choice there."""
        return not (self._is_settled or self._is_open or self._has_edges)

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Carry out an operator."""
        name, is_stable = func._schema.name, bool((kwargs or {}).get("stable"))
        of_values = name.removeprefix("aten::").lstrip("_").startswith(_BY_VALUE)
        self._has_edges |= (
            of_values or not name.startswith(("aten::", "prim")) or _converts(name, args, kwargs or {})
        )
        self._is_settled |= is_stable or name in _SETTLED
        self._is_open |= name in _OPEN and not is_stable
        return func(*args, **(kwargs or {}))


def _converts(name: str, args: Sequence[Any], options: dict[str, Any]) -> bool:
    """Return whether an operator converts numbers to integers."""
    if name not in _CONVERTING:
        return False
    numbers, dtype = (args[0], options.get("dtype")) if name == _CONVERTING[0] else (args[1], args[0].dtype)
    is_integer = dtype is not None and not (
        dtype.is_floating_point or dtype.is_complex or dtype == torch.bool
    )
    return is_integer and bool(numbers.is_floating_point())


def _told_apart(scores: torch.Tensor, *, zeros: bool) -> torch.Tensor:
    """Return the scores in double precision, each moved by less than rounds away, `zeros` too if asked; of the same
    shape."""
    drawn = torch.Generator(scores.device)  # the reference's own random numbers stay as they are
    drawn.seed()
    step = torch.rand(scores.shape, device=scores.device, dtype=torch.float64, generator=drawn).mul_(_SHARE)
    wide = scores.double()
    least = torch.finfo(torch.float32).tiny if zeros else 0.0
    return wide + step * wide.abs().clamp(least, torch.finfo(torch.float32).max)


def _narrowed(found: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    return found.to(dtype) if found.dtype is torch.float64 else found


def are_moved(places: Sequence[torch.Tensor], others: Sequence[torch.Tensor]) -> bool:
    """Return whether many places differ between results of the same structure, the second ones with ties broken."""
    pairs = [(a, b) for a, b in zip(places, others, strict=False) if a.dtype in PLACES and a.shape == b.shape]
    return any(float((a != b).double().mean()) > _MANY for a, b in pairs if a.numel())
