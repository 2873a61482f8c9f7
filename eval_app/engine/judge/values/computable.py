"""Dtypes with which torch does not compute: it only moves and converts their elements."""

from __future__ import annotations

import torch

from eval_app.engine.judge.values.eight_bits import single

# The largest integers of 64 bits without a sign become negative.
_WIDER = {torch.uint16: torch.int32, torch.uint32: torch.int64, torch.uint64: torch.int64}


def computable(x: torch.Tensor) -> torch.Tensor:
    """Return numbers of eight bits, and integers of more without a sign, in a wider dtype; any other tensor as it
    is."""
    return single(x.to(_WIDER.get(x.dtype, x.dtype)))
