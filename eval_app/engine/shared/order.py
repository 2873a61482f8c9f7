"""An order: many calls that are made as one piece of work, which the judge times from outside.

Reference and candidate make an order with the same functions, each in its own process.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from eval_app.engine.shared.seeding import set_seed
from eval_app.engine.shared.trees import TensorSpec, flatten


class OtherResultError(TypeError):
    """A call of an order returns a tensor of another type or shape than it should."""


@dataclass(frozen=True)
class OrderedCall:
    """The arguments of one call, and the seed of its random numbers; None for a task that draws none."""

    arguments: list[Any]
    seed: int | None


def call_all(function: Callable[..., Any], calls: Sequence[OrderedCall]) -> list[Any]:
    """Return the results of all calls. On a GPU they are only queued, unless the function waits for the device."""
    results = []
    for call in calls:
        if call.seed is not None:
            set_seed(call.seed)
        results.append(function(*call.arguments))
    return results


def tensors_of(result: Any) -> list[torch.Tensor]:
    """Return the tensors of a result, in the order of its tree."""
    tensors: list[torch.Tensor] = []
    flatten(result, tensors)
    return tensors


def in_layout_of(tensor: torch.Tensor, place: torch.Tensor) -> torch.Tensor:
    """Return `place`, dense and of as many elements, with the strides of `tensor`, or dense ones in its order.

    What a program leaves transposed is copied as fast as anything else: rearranging it is not the program's work.
    """
    if tensor.stride() == place.stride():
        return place
    return place.as_strided(tensor.shape, TensorSpec.of(tensor).stride)


def require_alike(tensor: torch.Tensor, place: torch.Tensor) -> None:
    """Raise OtherResultError unless a result has the dtype and the shape of its place."""
    if tensor.dtype is not place.dtype or tensor.shape != place.shape:
        got, wanted = ((t.dtype, list(t.shape)) for t in (tensor, place))
        raise OtherResultError(f"a call of an order returns {got}; the reference gives {wanted}")


def copy_results(
    results: Sequence[Any], targets: Sequence[Sequence[torch.Tensor]]
) -> list[tuple[int, int, tuple[int, ...]]]:
    """Copy each result's tensors to its `targets`, which are dense and of the same shapes, in the tensors' own layouts.

    Return the call, the place in its result, and the strides of each tensor that lies otherwise than its target. Raises
    OtherResultError for what is no such tensor: a copy would make it one.
    """
    layouts = []
    for call, (result, places) in enumerate(zip(results, targets, strict=True)):
        for index, (tensor, place) in enumerate(zip(tensors_of(result), places, strict=True)):
            require_alike(tensor, place)
            in_layout_of(tensor, place).copy_(tensor)
            if tensor.stride() != place.stride():
                layouts.append((call, index, tensor.stride()))
    return layouts
