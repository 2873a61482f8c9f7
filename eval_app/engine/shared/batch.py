"""Consecutive calls with only the transfer of values between them, timed by a clock outside the process.

The judge announces the buffers, writes values into them, starts the batch and reads its own clock: the extra
time per call cannot be shortened by anything in the runner's process, because every output is compared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

# About 6 ms at 2 GHz: calls are queued while the device waits, so that launches do not add to their time. A
# runner that queued all of them in less did not wait in between.
SHADOW_MS = 6.0
_SHADOW_CYCLES = 12_000_000
_device_sleep = torch.cuda._sleep


@dataclass(frozen=True)
class BatchItem:
    """Buffers of one call, and its arguments made of them."""

    arguments: list[Any]
    inputs: list[torch.Tensor]
    # Source of the values; the inputs themselves if values are not copied in stream order.
    sources: list[torch.Tensor]
    outputs: list[torch.Tensor]


# Copies a call's result to its buffers.
Take = Callable[[Any, BatchItem], Any]


def run_batch(function: Callable[..., Any], items: list[BatchItem], take: Take, *, on_gpu: bool) -> list[Any]:
    """Call `function` for each item and pass its result to `take`. On a GPU this only queues the work."""
    if on_gpu:
        _device_sleep(_SHADOW_CYCLES)  # type: ignore[no-untyped-call]
    results = []
    for item in items:
        if on_gpu:
            for target, source in zip(item.inputs, item.sources, strict=True):
                target.copy_(source)
        results.append(take(function(*item.arguments), item))
    return results
