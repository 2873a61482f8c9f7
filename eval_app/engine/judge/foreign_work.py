"""Work of another process on the judge's GPU, seen by the gaps that it leaves between the judge's own kernels.

A GPU shares its time between contexts in slices of about two milliseconds. Kernels that a candidate leaves running
would slow the reference down, though all of its processes are frozen.
"""

from __future__ import annotations

from itertools import pairwise

import torch

# Kernels of about 20 us (40,000 cycles at 2 GHz) with an event after each group: four milliseconds in all, longer than
# any slice. The device waits 1.25 ms before them, while they are queued, so that a slow host leaves no gaps.
_GROUPS, _KERNELS = 16, 12
_KERNEL_CYCLES, _QUEUE_CYCLES = 40_000, 2_500_000
_TRIES = 3
# A longer gap than this is another context's slice.
FOREIGN_MS = 0.5
_device_sleep = torch.cuda._sleep


def longest_gap_ms(device: torch.device) -> float:
    """Return by how much the longest group took longer than the median one, in the best of three tries; 0 on a CPU."""
    if device.type == "cpu":
        return 0.0
    gaps = [_longest_gap_ms()]
    while min(gaps) > FOREIGN_MS and len(gaps) < _TRIES:
        gaps.append(_longest_gap_ms())
    return min(gaps)


def _longest_gap_ms() -> float:
    marks = [torch.cuda.Event(enable_timing=True) for _ in range(_GROUPS + 1)]
    _device_sleep(_QUEUE_CYCLES)  # type: ignore[no-untyped-call]
    marks[0].record()
    for mark in marks[1:]:
        for _ in range(_KERNELS):
            _device_sleep(_KERNEL_CYCLES)  # type: ignore[no-untyped-call]
        mark.record()
    marks[-1].synchronize()
    spans: list[float] = sorted(a.elapsed_time(b) for a, b in pairwise(marks))
    return spans[-1] - spans[len(spans) // 2]
