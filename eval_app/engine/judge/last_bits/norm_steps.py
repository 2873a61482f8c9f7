"""Norms with other last bits in their statistics: a kernel that takes a variance from a mean of squares, or folds the
mean into the bias, rounds at the size of the mean, however small the deviation is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils.weak import WeakTensorKeyDictionary

# Last bits of a mean and of a mean of squares: of sums of 16 to 262,144 random values these are off by up to 3, and of
# as many equal ones by up to 10.
_UNITS = 8.0
# The share of itself by which they move a variance at most: beside a much larger mean it would become anything.
_MOST_OF_ITSELF = 2.0**-6


@dataclass(frozen=True)
class _Norm:
    """The arguments of a norm, and how a tensor of its values, statistics or weights is viewed so that all three fit
    together."""

    values: Callable[[torch.Tensor], torch.Tensor]
    statistics: Callable[[torch.Tensor], torch.Tensor]
    weights: Callable[[torch.Tensor], torch.Tensor]
    weight: torch.Tensor | None
    bias: torch.Tensor | None


def _layer(x: torch.Tensor, shape: Any, weight: Any, bias: Any, *others: Any) -> _Norm:
    return _Norm(_as_it_is, _as_it_is, _as_it_is, weight, bias)


def _group(
    x: torch.Tensor, weight: Any, bias: Any, rows: int, channels: int, size: int, groups: int, *others: Any
) -> _Norm:
    form = (groups, channels // groups)
    return _Norm(
        lambda t: t.reshape(rows, *form, size), lambda t: t.reshape(rows, groups, 1, 1),
        lambda t: t.reshape(1, *form, 1), weight, bias,
    )  # fmt: skip


def _batch(x: torch.Tensor, weight: Any, bias: Any, *others: Any) -> _Norm:
    def by_channel(t: torch.Tensor) -> torch.Tensor:
        return t.reshape(-1, *[1] * (x.dim() - 2))

    return _Norm(_as_it_is, by_channel, by_channel, weight, bias)


def _as_it_is(x: torch.Tensor) -> torch.Tensor:
    return x


_NORMS: dict[str, Callable[..., _Norm]] = {
    "native_layer_norm": _layer, "native_group_norm": _group, "native_batch_norm": _batch, "cudnn_batch_norm": _batch,
}  # fmt: skip
_DEVIATIONS = ("var", "std", "var_mean", "std_mean")


def has_statistics(name: str, args: Sequence[Any]) -> bool:
    """Return whether an ATen operator takes means and deviations of its values."""
    return name in _NORMS or (name in _DEVIATIONS and not args[0].is_complex())


def with_other_statistics(name: str, args: Sequence[Any], kwargs: dict[str, Any], found: Any) -> Any:
    """Return what the operator gives, `found`, with last bits of its statistics moved at random."""
    if name in _DEVIATIONS:
        moved = _deviation(name.startswith("std"), args, kwargs)
        return (moved.to(found[0].dtype), found[1]) if isinstance(found, tuple) else moved.to(found.dtype)
    output, mean, inverse, *rest = found
    if not mean.numel():  # those of a model that is not in training are stored
        return found
    return (_normalised(_NORMS[name](*args), output, mean, inverse), mean, inverse, *rest)


def _deviation(is_root: bool, args: Sequence[Any], kwargs: dict[str, Any]) -> torch.Tensor:
    x = _wide(args[0])
    variance, mean = torch.var_mean(x, *args[1:], **kwargs)
    most = _MOST_OF_ITSELF * variance
    moved = variance + (_drawn(mean) * (variance + mean * mean)).clamp_(-most, most)
    return moved.sqrt_() if is_root else moved


def _normalised(norm: _Norm, output: torch.Tensor, mean: torch.Tensor, inverse: torch.Tensor) -> torch.Tensor:
    """Return a norm's output; `inverse` is that of the root of the variance and epsilon."""
    mean, inverse = (norm.statistics(_wide(t)) for t in (mean, inverse))
    centred = norm.values(_wide(output))
    bias = None if norm.bias is None else norm.weights(_wide(norm.bias))
    centred = centred if bias is None else centred - bias
    change = _drawn(mean) * (1 + (mean * inverse).square_())  # as a share of the variance and epsilon
    change = change.clamp_(-_MOST_OF_ITSELF, _MOST_OF_ITSELF).add_(1)
    step = _drawn(mean) * mean * inverse
    moved = centred * change.rsqrt_() + (
        step if norm.weight is None else step * norm.weights(_wide(norm.weight))
    )
    return (moved if bias is None else moved + bias).to(output.dtype).view_as(output)


class Deviations:
    """Follows deviations that a reference takes by hand: values less their mean, the squares of these, and their
    mean."""

    def __init__(self) -> None:
        """Start with none."""
        # The values, by their deviations and by the squares of these.
        self._deviations, self._squares = WeakTensorKeyDictionary(), WeakTensorKeyDictionary()

    def follow(self, name: str, args: Sequence[Any], found: Any) -> None:
        """Note whether an operator gave deviations, or their squares."""
        if name not in ("sub", "mul", "pow") or not isinstance(args[0], torch.Tensor):
            return
        x, other = args[0], args[1]
        if name == "sub":
            if isinstance(other, torch.Tensor) and other.numel() < x.numel() == found.numel():
                self._deviations[found] = x
            return
        is_square = other is x if name == "mul" else not isinstance(other, torch.Tensor) and other == 2
        if is_square and x in self._deviations:
            self._squares[found] = self._deviations[x]

    def moved(
        self, func: Callable[..., Any], name: str, args: Sequence[Any], kwargs: dict[str, Any], found: Any
    ) -> Any:
        """Return what the operator gives, `found`: a mean or sum of squared deviations with last bits of one of squared
        values moved at random."""
        if name not in ("mean", "sum") or args[0] not in self._squares:
            return found
        whole = func(_wide(self._squares[args[0]]).square(), *args[1:], **kwargs)
        most = _MOST_OF_ITSELF * _wide(found)
        return (_wide(found) + (_drawn(whole) * whole).clamp_(-most, most)).to(found.dtype)


def _drawn(x: torch.Tensor) -> torch.Tensor:
    """Return a random share for each statistic, of half to all of so many last bits, in either direction."""
    drawn = torch.Generator(x.device)  # the reference's own random numbers stay as they are
    drawn.seed()
    share = torch.rand(x.shape, dtype=x.dtype, device=x.device, generator=drawn).sub_(0.5)
    return share.add_(share.sign().mul_(0.5)).mul_(_UNITS * torch.finfo(x.dtype).eps)


def _wide(x: torch.Tensor) -> torch.Tensor:
    """Return at least single precision, in which kernels take statistics."""
    return x.to(torch.promote_types(x.dtype, torch.float32))
