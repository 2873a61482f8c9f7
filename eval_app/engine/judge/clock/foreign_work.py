"""Work of another process on the judge's GPU, seen by the gaps that it leaves between the judge's own kernels.

A GPU shares its time between contexts in slices of about two milliseconds. Kernels that a candidate leaves running
would slow the reference down, though all of its processes are frozen; so would many short ones, each queued behind a
copy, which takes a copy engine and no processor of the host.
"""

from __future__ import annotations

import time
from itertools import pairwise

import torch

from eval_app.engine.judge.clock.device_queue import HEAD_STARTS, HeadStart
from eval_app.engine.judge.clock.statistics import median

# Kernels of about 60 us (120,000 cycles at 2 GHz) with an event after each group: four milliseconds in all, longer than
# any slice. The device waits 1 ms before them, while they are queued, so that a slow host leaves no gaps.
#
# Measured on an H200 beside another process: its short kernels behind copies take 0.124 to 0.160 of the time of such
# groups, where no other work takes 0.003. Of groups of 12 kernels they take as much, which take 1.1 to 1.5 ms to queue
# in place of 0.5 to 0.8; of groups of one kernel they take 0.032 to 0.055, which is too near to what is let pass.
_GROUPS, _KERNELS = 16, 4
_KERNEL_CYCLES, _QUEUE_CYCLES = 120_000, 2_000_000
_TRIES = 3
# Times that other work may delay the judge before it goes on and confirms no time.
_DISTURBED_MAX = 3
# A longer gap than this is another context's slice.
FOREIGN_MS = 0.5
# Of the device's time: short kernels that take no more change no time by more either.
FOREIGN_SHARE = 0.03
# How long a device is looked at on which nobody but the judge may work any more.
_ALONE_S = 2.0
_device_sleep = torch.cuda._sleep
# What one look learns about a slow host, the next begins with.
_head_start = HeadStart()


def longest_gap_ms(device: torch.device) -> float:
    """Return by how much the longest group took longer than the median one, in the best of three tries; 0 on a CPU."""
    if device.type == "cpu":
        return 0.0
    gaps = [_longest_gap_ms()]
    while min(gaps) > FOREIGN_MS and len(gaps) < _TRIES:
        gaps.append(_longest_gap_ms())
    return min(gaps)


def stays_quiet(device: torch.device) -> bool:
    """Return whether no gap comes for as long as another program that shares the device would hardly rest."""
    deadline = time.monotonic() + _ALONE_S
    while time.monotonic() < deadline:
        if longest_gap_ms(device) > FOREIGN_MS:
            return False
    return True


def _longest_gap_ms() -> float:
    spans = _spans_ms()
    return max(spans) - median(spans)


def foreign_share(device: torch.device) -> float:
    """Return the share of the device's time that others had, in the median of three tries, since work that comes again
    and again leaves one of them alone; 0 on a CPU."""
    if device.type == "cpu":
        return 0.0
    first = _share()
    return first if first <= FOREIGN_SHARE else median([first, *(_share() for _ in range(_TRIES - 1))])


def _share() -> float:
    spans = _spans_ms()
    return 1 - len(spans) * min(spans) / sum(spans)


class Watch:
    """Looks for other work while the candidate is frozen, on a device that is `alone` the lane's."""

    def __init__(self, device: torch.device, *, alone: bool, beside_others: bool = False) -> None:
        """Store the device; nobody looks at one that others use anyway. `beside_others` is set for a lane on a CPU that
        has several."""
        self._device, self.alone, self._times = device, alone, 0
        self.beside_others = beside_others

    @property
    def disturbed(self) -> bool:
        """Return whether there was other work too often, so that no time is confirmed."""
        return self._times > _DISTURBED_MAX

    def is_quiet(self) -> bool:
        """Return whether there is no other work, or it is given up that there be none."""
        if not self.alone or self.disturbed or foreign_share(self._device) <= FOREIGN_SHARE:
            return True
        self._times += 1
        return self.disturbed


def _spans_ms() -> list[float]:
    for _ in range(HEAD_STARTS):
        marks = [torch.cuda.Event(enable_timing=True) for _ in range(_GROUPS + 1)]
        _head_start.give(_QUEUE_CYCLES)
        marks[0].record()
        for mark in marks[1:]:
            for _ in range(_KERNELS):
                _device_sleep(_KERNEL_CYCLES)  # type: ignore[no-untyped-call]
            mark.record()
        if _head_start.was_enough():
            break
    marks[-1].synchronize()
    return [a.elapsed_time(b) for a, b in pairwise(marks)]
