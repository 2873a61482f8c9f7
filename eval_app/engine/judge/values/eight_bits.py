"""Floating-point numbers of eight bits: torch computes nothing in them, and a step to the next one is a good part of
one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

Form = Callable[[torch.Tensor], torch.Tensor]
# Exponents alone (e8m0) scale other numbers.
_DTYPES = {torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz}

# Of the elements that a kernel may round the other way. Half precision between two steps, with seven bits, rounds one
# in 32 to the middle between two numbers of four bits.
_FEW = 1 / 8


def is_eight_bit(x: torch.Tensor) -> bool:
    """Return whether a tensor holds such numbers."""
    return x.dtype in _DTYPES


def single(x: torch.Tensor) -> torch.Tensor:
    """Return eight-bit numbers in single precision, and any other tensor as it is."""
    return x.float() if is_eight_bit(x) else x


def like(values: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """Return `values` in the dtype of `x`; of an eight-bit one the largest number for what is larger."""
    if is_eight_bit(x):
        most = torch.finfo(x.dtype).max
        values = values.clamp(-most, most)
    return values.to(x.dtype)


def _half(x: torch.Tensor) -> torch.Tensor:
    return x.bfloat16() if is_eight_bit(x) else x


def _same(x: torch.Tensor) -> torch.Tensor:
    return x


def forms(tensors: Sequence[torch.Tensor]) -> tuple[Form, ...]:
    """Return the forms in which the inputs of a task have last bits, from the finest: a reference that computes in half
    precision rounds those of single precision away."""
    numbers = [x for x in tensors if x.is_floating_point() or x.is_complex()]
    return (single, _half) if numbers and all(map(is_eight_bit, numbers)) else (_same,)


def rounded_otherwise(got: torch.Tensor, truth: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    """Return for each of `places`, shape [n], in two flat tensors of one eight-bit dtype whether both are neighbours in
    it; False for all where more than a few elements differ at all, which no other rounding explains.
    """
    left, right = got.view(torch.uint8), truth.view(torch.uint8)
    if int((left != right).sum()) > max(1.0, _FEW * truth.numel()):
        return torch.zeros_like(places, dtype=torch.bool)
    numbers = torch.stack([got[places].float(), truth[places].float()])
    steps = (left[places].short() - right[places].short()).abs()  # of one sign: it is the highest bit
    return (steps == 1) & numbers.isfinite().all(0) & (numbers.sign().diff(dim=0)[0] == 0)
