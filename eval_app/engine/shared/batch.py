"""Several calls in a row with nothing between them but handing values over, for a clock that stands outside.

The judge tells the runner beforehand which buffers will be used, lays values into them, says go, and reads its own
clock: what one call more adds to that is a time that nothing in the runner's process can shorten, because every output
is compared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

# About 6 ms at 2 GHz: the calls are queued while the device waits, so that launches do not add to their time. Who has
# queued them all in less has waited for nothing in between.
SHADOW_MS = 6.0
_SHADOW_CYCLES = 12_000_000
_device_sleep = torch.cuda._sleep


@dataclass(frozen=True)
class BatchItem:
    """One call's buffers, and its arguments made of them."""

    arguments: list[Any]
    inputs: list[torch.Tensor]
    # Where the values lie; the inputs themselves where they do not come in stream order.
    sources: list[torch.Tensor]
    outputs: list[torch.Tensor]


# Takes a call's result to its buffers; what it gives back besides.
Take = Callable[[Any, BatchItem], Any]


def run_batch(function: Callable[..., Any], items: list[BatchItem], take: Take, *, on_gpu: bool) -> list[Any]:
    """Call `function` for each item in turn and hand its result to `take`. On a GPU that only queues the work."""
    if on_gpu:
        _device_sleep(_SHADOW_CYCLES)  # type: ignore[no-untyped-call]
    results = []
    for item in items:
        if on_gpu:
            for target, source in zip(item.inputs, item.sources, strict=True):
                target.copy_(source)
        results.append(take(function(*item.arguments), item))
    return results
