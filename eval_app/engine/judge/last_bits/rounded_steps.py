"""The reference's steps with other last bits: what rounding within a computation leads to, where other last bits of its
inputs are lost in half precision, or never reach a large angle."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

from eval_app.engine.judge.last_bits import norm_steps, sum_steps
from eval_app.engine.judge.values.families import last_bits
from eval_app.engine.judge.values.structure import is_whole

# ATen operators that round. What only chooses, compares or moves values does not: a maximum is one of them.
_ROUNDS = re.compile(
    r"(?:add|sub|rsub|mul|div|addcmul|addcdiv|reciprocal|pow|square|sqrt|rsqrt|lerp|exp|exp2|expm1|log|log2|log10|log1p"
    r"|sin|cos|tan|tanh|sinh|cosh|asin|acos|atan|atan2|sigmoid|erf|erfc|gelu|silu|mish|elu|softplus|_?log_?softmax"
    r"|_?softmax|logsumexp|logcumsumexp|sum|mean|var|std|var_mean|std_mean|prod|cumsum|cumprod|dist|norm"
    r"|linalg_vector_norm|_cdist_forward|mm|bmm|mv|dot|vdot|addmm|addmv|addbmm|baddbmm|addr|_?convolution"
    r"|(?:native_(?:layer|group|batch)|cudnn_batch|_fused_rms)_norm|_native_batch_norm_\w+|avg_pool\dd"
    r"|_adaptive_avg_pool\dd|upsample_\w+|grid_sampler_\w+|_scaled_dot_product_\w+|_to_copy)_?"
)

# Of the last place of one: rounds to the number beside it, whatever the leading digits.
_UNITS = 0.75


class StepsNudged(TorchDispatchMode):
    """Changes last bits of what operators give that round, at random and by no more than rounding may have.

    Sums and products of whole numbers are exact, and stay; so does zero.
    """

    def __init__(self, *, halves: bool) -> None:
        """Change what is in half precision too, if asked."""
        super().__init__()  # type: ignore[no-untyped-call]
        self._halves = halves
        self._deviations = norm_steps.Deviations()

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Carry out an operator, and change what it gives."""
        found = func(*args, **(kwargs or {}))
        name = func._schema.name.rpartition("::")[2]
        if norm_steps.has_statistics(name, args):
            found = norm_steps.with_other_statistics(name, args, kwargs or {}, found)
        if func.is_view or not _ROUNDS.fullmatch(name) or not self._is_rounded(args, kwargs, found):
            return found
        if name.endswith("_"):
            found.copy_(self._moved(found))
            return found
        found = self._deviations.moved(func, name, args, kwargs or {}, found)
        found = tree_map(self._moved, sum_steps.taken_in_turn(name, args, kwargs or {}, found))
        self._deviations.follow(name, args, found)
        return found

    def _is_rounded(self, args: Any, kwargs: Any, found: Any) -> bool:
        given = [
            x for x in tree_leaves((args, kwargs)) if isinstance(x, torch.Tensor) and x.is_floating_point()
        ]
        return bool(given) and not all(map(is_whole, given)) and isinstance(found, torch.Tensor | tuple)

    def _moved(self, x: Any) -> Any:
        if not isinstance(x, torch.Tensor) or not x.is_floating_point():
            return x
        is_half = x.dtype.itemsize == 2
        moves = self._halves if is_half else x.dtype.itemsize > 2
        return with_other_last_bits(x, _UNITS, stays=is_half) if moves else x


class ConversionsNudged(TorchDispatchMode):
    """Changes last bits of the numbers that an operator makes of integers alone, as another order of sums would: a task
    whose inputs are integers has no others."""

    def __init__(self, size: int) -> None:
        """Store the size of the change."""
        super().__init__()  # type: ignore[no-untyped-call]
        self._size = size

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Carry out an operator, and change what it gives."""
        found = func(*args, **(kwargs or {}))
        given = [x for x in tree_leaves((args, kwargs)) if isinstance(x, torch.Tensor)]
        is_made = isinstance(found, torch.Tensor) and found.is_floating_point() and found.dtype.itemsize > 1
        if not (is_made and given) or any(x.is_floating_point() or x.is_complex() for x in given):
            return found
        return with_other_last_bits(found, self._size * last_bits(found) / torch.finfo(found.dtype).eps)


def with_other_last_bits(x: torch.Tensor, units: float, *, stays: bool = False) -> torch.Tensor:
    """Return `x` with each element moved up or down at random by so many units of its dtype's last place; a third of
    them not at all if it `stays`: of two steps of one value either may be the one that rounds otherwise."""
    drawn = torch.Generator(x.device)  # the reference's own random numbers stay as they are
    drawn.seed()
    signs = torch.randint(-1 if stays else 0, 2, x.shape, device=x.device, dtype=torch.int8, generator=drawn)
    if not stays:
        signs.mul_(2).sub_(1)
    wide = torch.promote_types(x.dtype, torch.float32)
    step = signs.to(wide).mul_(units * torch.finfo(x.dtype).eps).add_(1)
    return step.mul_(x).to(x.dtype)
