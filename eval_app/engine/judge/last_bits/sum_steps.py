"""Sums as one thread takes them, value after value: each addition rounds at the size of the sum so far, which is many
times that of the whole where large values of both signs come one after the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

# Parts of the values after each of which the sum so far is looked at.
_PARTS = 16
# Of `eps`, per addition: rounding is off by 0.29 of a last place (root mean square), which is `eps` or half of it.
_SHARE = 0.5
# Of `eps`: as far apart are equal values after a few steps.
_EQUAL = 16


def taken_in_turn(name: str, args: Sequence[Any], kwargs: dict[str, Any], found: Any) -> Any:
    """Return what an operator gives, `found`: a sum or mean of real numbers moved at random, as far as the roundings of
    the same sum in turn would move it."""
    if name not in ("sum", "mean") or not args[0].numel():
        return found
    if not (args[0].is_floating_point() and found.is_floating_point()):
        return found
    # A kernel adds at least in single precision, and as wide as the result.
    x = args[0].to(torch.promote_types(found.dtype, torch.float32))
    rows = _rows(x, args[1] if len(args) > 1 else kwargs.get("dim"))
    count = rows.shape[-1]
    parts = torch.stack([part.sum(-1) for part in rows.tensor_split(min(_PARTS, count), -1)], -1)
    size = parts.cumsum(-1).square().mean(-1).sqrt().reshape(found.shape)
    eps = torch.finfo(x.dtype).eps
    # Of equal values, whose last bits earlier steps may have moved, all additions round alike: their roundings add up.
    spread, largest = rows.amax(-1) - rows.amin(-1), rows.abs().amax(-1)
    are_equal = (spread <= _EQUAL * eps * largest).reshape(found.shape)
    steps = torch.where(are_equal, float(count), math.sqrt(count)).to(x.dtype)
    error = size * steps * (_SHARE * eps / (count if name == "mean" else 1))
    drawn = torch.Generator(x.device)  # the reference's own random numbers stay as they are
    drawn.seed()
    share = torch.rand(found.shape, dtype=x.dtype, device=x.device, generator=drawn).sub_(0.5)
    return (found + share.add_(share.sign().mul_(0.5)) * error).to(found.dtype)


def _rows(x: torch.Tensor, dims: Any) -> torch.Tensor:
    """Return the values of each sum as a row, in the order of memory."""
    summed = sorted(
        {d % max(x.dim(), 1) for d in ([dims] if isinstance(dims, int) else dims or range(x.dim()))}
    )
    kept = [d for d in range(x.dim()) if d not in summed]
    return x.permute([*kept, *summed]).reshape([*(x.shape[d] for d in kept), -1])
