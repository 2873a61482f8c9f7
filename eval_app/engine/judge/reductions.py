"""Reductions made of sums and maxima alone.

Each job has a process of its own, and on a GPU the first use of each kind of kernel there loads it, which takes 5 to
25 ms: as long as a dozen calls of a small task. Sums and maxima are loaded in any case.
"""

from __future__ import annotations

import torch


def smallest(x: torch.Tensor) -> float:
    """Return the smallest value of a non-empty tensor of floating-point numbers; NaN if there is one."""
    return -float((0 - x).max())


def none(flags: torch.Tensor) -> bool:
    """Return whether no element of a tensor of bools is set."""
    return not int(flags.sum())


def same(left: torch.Tensor, right: torch.Tensor) -> bool:
    """Return whether all elements of two tensors of one shape are equal; NaN equals nothing."""
    return none(left != right)
