"""Calls of an order that are handed over one by one: no two of them can be made together, as one batch.

The values of a call come once the results of the call before are in the judge's memory. Copy engines carry both, so
that the multiprocessors stay with the candidate, and a turn takes some 10 us that hardly depend on the program.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from eval_app.engine.judge.clock.order_draw import Draw
from eval_app.engine.judge.clock.order_line import Window
from eval_app.engine.judge.clock.statistics import deviation_of_most, mean_of_most

# Calls that are enough, those of one order, and how many calls and orders are made at most.
CALLS, CALLS_AT_ONCE, _CALLS_MAX, _ORDERS_MAX = 24, 32, 256, 32
# Of calls this long, of which a lane's noise is no part, fewer are enough.
_LONG_MS, _LONG_CALLS = 0.2, 6
# Orders of which not all calls were queued, before it is given up.
_UNQUEUED_MAX = 8
# Copy engines reach host memory at a tenth of the device's own speed: calls of larger tensors are not handed over.
CALL_BYTES_MAX, ORDER_BYTES_MAX = 16 * 2**20, 64 * 2**20
# How much shorter than here a call may be as single calls are timed, on a device that is idle before.
_ROOM_MS, _ROOM_SHARE = 0.002, 0.05
# A time that is off by more than this, and by more than the share of a call, shows nothing.
_NOISE_MS, _NOISE_SHARE = 0.004, 0.1
# Share of the time of its copies by which a call may seem longer than it is.
_COPIES_SHARE = 0.02
# A call that took less than no time by this was handed over otherwise than the engine's own.
_BELOW_ZERO_MS = -0.01


@dataclass
class Handover:
    """Milliseconds of calls that were handed over one by one, by the judge's clock; `turn_ms` is what handing over a
    call takes on this lane beyond its copies, `turn_noise_ms` how much it varies, and `gate_ms` what of it lies between
    the copies, for a program of the engine's own."""

    turn_ms: float = 0.0
    turn_noise_ms: float = 0.0
    gate_ms: float = 0.0
    # What the reference takes as a single call, on a device that nobody else uses.
    single_ms: float = math.inf
    reference: list[float] = field(default_factory=list)
    candidate: list[float] = field(default_factory=list)
    # The candidate's between the copies alone: what lengthens these when they are weighed again changes nothing here.
    between: list[float] = field(default_factory=list)
    # What the reference took in each try before.
    tried: list[float] = field(default_factory=list)

    def measure(self, order: Callable[[int], tuple[Draw, Window]], calls: int, speedup: float) -> None:
        """Have orders made, of `calls` calls at most, until they show what a call takes.

        They are made anew while they do not confirm the claimed `speedup`: now and then turns take longer for a while.
        """
        orders = made = unqueued = 0
        while orders < _ORDERS_MAX and made < _CALLS_MAX and unqueued < _UNQUEUED_MAX:
            if self.is_enough:
                self.tried.append(mean_of_most(self.reference))
                self.candidate, self.between, self.reference = [], [], []
            before = len(self.candidate)
            self.add(*order(calls))
            orders, made = orders + 1, made + calls
            if len(self.candidate) == before:  # not all were queued
                unqueued, calls = unqueued + 1, max(2, calls // 2)
            elif self.is_enough and not self.objection(speedup):
                return

    @property
    def is_enough(self) -> bool:
        """Return whether there are enough calls for the lane's noise to be a small part of their mean."""
        count = len(self.candidate)
        return count >= CALLS or (count >= _LONG_CALLS and self.own_ms >= _LONG_MS)

    def add(self, drawn: Draw, window: Window) -> None:
        """Add the calls of an order, unless either side, or the judge, had not queued them all before the first began.

        The first call counts for nothing: the candidate's context takes the multiprocessors over in it.
        """
        if drawn.queued and window.queued and not window.late:
            own_ms = zip(window.each_ms[1:], window.copies_each_ms[1:], strict=True)
            self.candidate += [
                total - (1 + _COPIES_SHARE) * copies - self.turn_ms for total, copies in own_ms
            ]
            self.between += [between - self.gate_ms for between in window.between_each_ms[1:]]
            self.reference += drawn.reference_each_ms[1:]

    @property
    def spread_ms(self) -> float:
        """Return the standard deviation of the candidate's calls."""
        return deviation_of_most(self.candidate)

    def _error_ms(self, spread_ms: float) -> float:
        """Return twice the standard error of the mean of as many calls."""
        return 2 * spread_ms / math.sqrt(len(self.candidate))

    @property
    def own_ms(self) -> float:
        """Return what a call takes: without its copies as they are weighed again, while the candidate is frozen, or
        between them if that is more. Copies that the candidate has queued lengthen the judge's when these are weighed;
        between them a call is short that goes on while they are made."""
        return max(mean_of_most(self.candidate), mean_of_most(self.between))

    @property
    def reference_ms(self) -> float:
        """Return what a call of the reference takes: no more than in half of all tries, nor as a single call. Work that
        a candidate leaves to chance may slow the reference down in one of many tries."""
        tried = sorted([*self.tried, mean_of_most(self.reference)])
        return min(tried[(len(tried) - 1) // 2], self.single_ms)

    def largest_speedup(self) -> float:
        """Return the speedup that these calls allow at most; no finite one for calls shorter than the room.

        The lane's noise gives room and the candidate's none: it could make some calls slow to be allowed fast ones.
        """
        own_ms = self.own_ms
        least_ms = own_ms - self._error_ms(self.turn_noise_ms) - max(_ROOM_MS, _ROOM_SHARE * own_ms)
        return self.reference_ms / least_ms if least_ms > 0 else math.inf

    def objection(self, speedup: float) -> str:
        """Return why these calls do not confirm the speedup by the runner's clock; empty if they do."""
        if not self.is_enough:
            return "calls that are handed over one by one were not queued before the first began"
        own_ms, reference_ms = self.own_ms, self.reference_ms
        spread_ms = min(self.spread_ms, deviation_of_most(self.between))
        is_clear = self._error_ms(spread_ms) <= max(_NOISE_MS, _NOISE_SHARE * own_ms)
        least_ms = min(mean_of_most(self.candidate), mean_of_most(self.between))
        if not is_clear or least_ms < _BELOW_ZERO_MS:
            return (
                f"handed over one by one, calls take {least_ms:.4f} ms beyond {self.turn_ms:.4f} ms for the turn, and "
                f"vary by {spread_ms:.4f} ms: that is no measurement"
            )
        if speedup > self.largest_speedup():
            return (
                f"the runner's clock says {speedup:.2f} times eager; handed over one by one a call takes "
                f"{own_ms:.4f} ms beyond {self.turn_ms:.4f} ms for the turn, the reference {reference_ms:.4f} ms"
            )
        return ""

    def evidence(self) -> dict[str, float]:
        """Return what evidence.Orders has of these calls; a time below zero is less than the turns vary by."""
        if not self.candidate:
            return {}
        return {
            "one_by_one_ms": max(self.own_ms, 0.0),
            "one_by_one_reference_ms": self.reference_ms,
        }
