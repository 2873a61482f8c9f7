"""Upstream gradients as training gives them: dense, transposed, or expanded from fewer values.

They are held as the values that are in memory: expanding these to the output's shape gives the upstream gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

# Returns random values for an output tensor; they have its dtype.
Layout = Callable[[torch.Tensor], torch.Tensor]


def dense(output: torch.Tensor) -> torch.Tensor:
    """Return values of the output's shape and strides."""
    return torch.randn_like(output)


def transposed(output: torch.Tensor) -> torch.Tensor:
    """Return values of the output's shape whose dimensions are in reverse order in memory, as those of `y.t()`."""
    order = tuple(reversed(range(output.dim())))
    return _random(output, [output.shape[number] for number in order]).permute(order)


def one_value(output: torch.Tensor) -> torch.Tensor:
    """Return one value for all elements, shape [], as `y.sum()` gives."""
    return _random(output, [])


def one_row(output: torch.Tensor) -> torch.Tensor:
    """Return one value per element of `output[0]`, as `y.sum(0)` gives."""
    return _random(output, output.shape[1:])


def _random(output: torch.Tensor, shape: Sequence[int]) -> torch.Tensor:
    return torch.randn(shape, dtype=output.dtype, device=output.device)
