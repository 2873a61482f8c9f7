"""Work of another process on the judge's GPU, seen by the gaps that it leaves between the judge's own kernels.

A GPU shares its time between contexts in slices of about two milliseconds. Kernels that a candidate leaves running
would slow the reference down, though all of its processes are frozen; so would many short ones, each queued behind a
copy, which takes a copy engine and no processor of the host.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import torch

from eval_app.engine.judge.statistics import median

# Kernels of about 20 us (40,000 cycles at 2 GHz) with an event after each group: four milliseconds in all, longer than
# any slice. The device waits 1.25 ms before them, while they are queued, so that a slow host leaves no gaps.
_GROUPS, _KERNELS = 16, 12
_KERNEL_CYCLES, _QUEUE_CYCLES = 40_000, 2_500_000
_TRIES = 3
# A longer gap than this is another context's slice.
FOREIGN_MS = 0.5
# Of the device's time: short kernels that take no more change no time by more either.
FOREIGN_SHARE = 0.03
_device_sleep = torch.cuda._sleep


def longest_gap_ms(device: torch.device) -> float:
    """Return by how much the longest group took longer than the median one, in the best of three tries; 0 on a CPU."""
    return _best(device, lambda spans: max(spans) - median(spans), FOREIGN_MS)


def foreign_share(device: torch.device) -> float:
    """Return the share of the device's time that others had, in the best of three tries; 0 on a CPU."""
    return _best(device, lambda spans: 1 - len(spans) * min(spans) / sum(spans), FOREIGN_SHARE)


def _best(device: torch.device, measure: Callable[[list[float]], float], limit: float) -> float:
    if device.type == "cpu":
        return 0.0
    found = [measure(_spans_ms())]
    while min(found) > limit and len(found) < _TRIES:
        found.append(measure(_spans_ms()))
    return min(found)


def _spans_ms() -> list[float]:
    marks = [torch.cuda.Event(enable_timing=True) for _ in range(_GROUPS + 1)]
    _device_sleep(_QUEUE_CYCLES)  # type: ignore[no-untyped-call]
    marks[0].record()
    for mark in marks[1:]:
        for _ in range(_KERNELS):
            _device_sleep(_KERNEL_CYCLES)  # type: ignore[no-untyped-call]
        mark.record()
    marks[-1].synchronize()
    return [a.elapsed_time(b) for a, b in pairwise(marks)]
