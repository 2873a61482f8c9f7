"""The clock that decides: what a call takes as one of many in an order, by the judge alone.

Both sides make the same orders. Of the candidate's window only what the candidate cannot shape is taken off: the
copies, as they take while it is frozen, and the lane's cost of an order, measured with a kernel of the engine's own.
What the runner claims may sharpen the figure; it never carries it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from eval_app.engine.judge.cases import CaseMaker
from eval_app.engine.judge.foreign_work import FOREIGN_MS, longest_gap_ms
from eval_app.engine.judge.order_draw import Draw, answer, call_bytes, draw
from eval_app.engine.judge.order_line import OrderLine, UnreadableError, Window
from eval_app.engine.judge.session import Session
from eval_app.engine.judge.statistics import median, quantile
from eval_app.engine.judge.timed_checks import check_order
from eval_app.engine.judge.trials import Trials

# Calls of an order by the time that they take together; a launch queue holds about a thousand.
_ORDER_MS = 10.0
_CALLS_MAX = 128
# On a CPU, drawing and comparing a call's values takes many times what a call that is bound by memory takes.
_CPU_BYTES = 128 * 2**20
_ROUNDS, _ROUNDS_MAX = 4, 12
# An order this long needs no repetition.
_LONG_MS = 200.0
_COST_ROUNDS, _COST_CALLS = 16, 4
# Times that other work on the device may delay the orders before they are given up.
_DISTURBED_MAX = 3
# An order may take this many times what it should.
_PATIENCE = 5
# Calls up to this long are timed with their launches as well.
_LAUNCH_MS = 0.05
_SMALL_MS = 0.02
# On a CPU shorter calls spend much of their time on fetching values that another core has written.
_CPU_SMALL_MS = 0.1
# A claim below this share of the judge's time is no matter of method.
_IMPOSSIBLE = 0.5


@dataclass(frozen=True)
class Room:
    """What a confirmed claim may differ by: its speedup above that of the orders, and these among themselves."""

    speedup: float
    noise: float

    @classmethod
    def of(cls, claim_ms: float, device_kind: str) -> Room:
        """Return the room of calls of this length."""
        if device_kind == "cpu":
            return cls(1.15, 0.10) if claim_ms >= _CPU_SMALL_MS else cls(1.25, 0.15)
        return cls(1.05, 0.05) if claim_ms >= _SMALL_MS else cls(1.15, 0.08)


@dataclass(frozen=True)
class Claim:
    """Medians of the pairs of single calls: the candidate's by the runner's clock, the reference's by the judge's."""

    candidate_ms: float
    reference_ms: float
    speedup: float


@dataclass(frozen=True)
class OrderCost:
    """What an order costs on this lane beyond its calls, in milliseconds, and how much that varies."""

    ms: float
    noise_ms: float
    # Whether the device had no other work than the lane's, so that any is the candidate's.
    alone: bool = False


class DisturbedError(Exception):
    """Other work ran on the device while the candidate's processes were frozen; the message says so."""


@dataclass
class OrderTiming:
    """Milliseconds per call, order by order."""

    cost: OrderCost
    calls: int = 0
    reference: list[float] = field(default_factory=list)
    candidate: list[float] = field(default_factory=list)
    # Orders whose calls were not all queued before they started (GPU): launches are in their times.
    unqueued: int = 0
    # With the launches, if calls are short.
    launched_ms: float | None = None

    @property
    def queued(self) -> bool:
        """Return whether most orders were queued, so that the median has no launches in it."""
        return 2 * self.unqueued <= len(self.candidate)

    @property
    def is_resolved(self) -> bool:
        """Return whether the orders took longer than what was taken off, so that they are a measurement at all."""
        return min(median(self.candidate), median(self.reference)) > self.noise_ms / 2

    @property
    def candidate_ms(self) -> float:
        """Return the candidate's time per call."""
        return max(median(self.candidate), 1e-6)

    @property
    def noise_ms(self) -> float:
        """Return twice the standard error of the time per call, by its own spread or, if that is larger, the lane's."""
        return max(self._lane_error_ms, _error_ms(self.candidate))

    @property
    def noise(self) -> float:
        """Return the larger one of both sides' noise, as a share of their time per call."""
        reference_ms = max(median(self.reference), 1e-6)
        return max(self.noise_ms / self.candidate_ms, _error_ms(self.reference) / reference_ms)

    @property
    def _lane_error_ms(self) -> float:
        return 2 * self.cost.noise_ms / self.calls / math.sqrt(len(self.candidate))

    def largest_speedup(self, single_ms: float) -> float:
        """Return the speedup that the orders allow at most; `single_ms` is what the reference takes as a single call.

        They may be off by what the lane varies by. The spread of either side gives no room: with one slow order a
        candidate would be allowed less time than any order took, and a busy host would allow any.

        A single call starts on an idle device and ends on one. What that adds to the reference's time it may add to
        the candidate's, which brings the ratio of a slower candidate nearer to 1, and never above it.
        """
        reference_ms = median(self.reference)
        least_ms = max(self.candidate_ms - self._lane_error_ms, 1e-6)
        added_ms = max(0.0, single_ms - reference_ms)
        return max(
            reference_ms / least_ms, (reference_ms + added_ms) / (max(reference_ms, least_ms) + added_ms)
        )

    def objection(self, claim: Claim, device_kind: str) -> str:
        """Return why the orders do not confirm what the runner's clock says; empty if they do."""
        room = Room.of(claim.candidate_ms, device_kind)
        if self.noise > room.noise:
            return (
                f"the judge's own times of {len(self.candidate)} orders vary too much to confirm any: "
                f"{self.candidate_ms:.4f} ms per call, {self.noise:.0%} more or less on one of both sides"
            )
        largest = self.largest_speedup(claim.reference_ms)
        if claim.speedup > room.speedup * largest:
            return (
                f"the runner's clock says {claim.speedup:.2f} times eager; as one of {self.calls} calls that the "
                f"judge times, it is at most {largest:.2f}"
            )
        return ""

    def contradicts(self, claim_ms: float, spent_ms: float | None = None) -> bool:
        """Return whether the claim is impossible. Where calls wait for the device, launches may explain the difference.

        `spent_ms` is another measurement of a call, in place of the orders'.
        """
        per_call_ms = self.candidate_ms if spent_ms is None else spent_ms
        least_ms = per_call_ms - self.noise_ms
        return self.queued and claim_ms < _IMPOSSIBLE * least_ms

    def evidence(self) -> dict[str, Any]:
        """Return the JSON form of evidence.Orders."""
        return {
            "candidate_ms": self.candidate_ms, "reference_ms": median(self.reference), "calls": self.calls,
            "orders": len(self.candidate), "cost_ms": self.cost.ms, "noise_ms": self.cost.noise_ms,
            "launched_ms": self.launched_ms,
        }  # fmt: skip


def _error_ms(times: list[float]) -> float:
    """Return twice the standard error of the median, from the spread of the middle half."""
    return 2 * (quantile(times, 0.75) - quantile(times, 0.25)) / math.sqrt(len(times))


class OrderTimer:
    """Times orders through one session."""

    def __init__(self, session: Session, maker: CaseMaker, trials: Trials, *, seeded: bool) -> None:
        """Store the session; `seeded` is set for a task that draws random numbers."""
        self._session, self._maker, self._trials, self._seeded = session, maker, trials, seeded
        self._line = OrderLine(session)
        self._kind = maker.reference.device.type
        self._values_bytes = 0
        self._watches = False
        self._disturbed = 0

    def measure(self, claim: Claim, cost: OrderCost, budget_s: float) -> OrderTiming:
        """Return the times; more orders are made for up to `budget_s` while they do not confirm the claim.

        Raises UnreadableError where the judge cannot read the results, DisturbedError if other work keeps the device
        busy, RejectedError for wrong results.
        """
        timing = OrderTiming(cost)
        self._watches = cost.alone
        count = self._count(claim.candidate_ms)
        if count > 1:
            count = self._queueable(count)
        least = _ROUNDS if count * claim.candidate_ms < _LONG_MS else 1
        deadline = time.perf_counter() + budget_s
        while len(timing.candidate) < least or (
            len(timing.candidate) < _ROUNDS_MAX
            and timing.objection(claim, self._kind)
            and time.perf_counter() < deadline
        ):
            drawn, window = self._round(count)
            timing.calls = len(drawn.calls)
            timing.unqueued += not (window.queued and drawn.queued)
            timing.reference.append(drawn.reference_ms / timing.calls)
            timing.candidate.append(self._own_ms(drawn, window, cost.ms) / timing.calls)
        if self._kind == "cuda" and claim.candidate_ms <= _LAUNCH_MS:
            timing.launched_ms = self._launched_ms(count, cost)
        return timing

    def cost(self, claim_ms: float) -> OrderCost:
        """Return what an order costs beyond its calls, for a candidate of the engine's own that is its reference.

        Few calls: what a call costs more in another process is no cost of the order.
        """
        count = min(_COST_CALLS, self._count(claim_ms))
        self._round(count)
        costs = []
        for _ in range(_COST_ROUNDS):
            drawn, window = self._round(count)
            costs.append(self._own_ms(drawn, window) - drawn.reference_ms)
        return OrderCost(max(0.0, median(costs)), quantile(costs, 0.75) - quantile(costs, 0.25))

    @staticmethod
    def _own_ms(drawn: Draw, window: Window, cost_ms: float = 0.0) -> float:
        """Return the milliseconds of an order's calls; below zero if the lane varies by more than they take."""
        return window.total_ms - window.copies_ms - drawn.copying_ms - cost_ms

    def _queueable(self, count: int) -> int:
        """Return how many calls can be queued before the first begins, on both sides: at most `count`.

        A device's queue holds about a thousand launches. A candidate that waits for the device is never queued.
        """
        self._round(count)  # the candidate's memory grows, and the judge opens it
        while self._kind == "cuda" and count > 1:
            drawn, window = self._round(count)
            if drawn.queued and window.queued:
                break
            count = max(1, count // 4)
        return count

    def processor_ms(self, busy_s: Callable[[], float]) -> float:
        """Return the processor time that the candidate's processes spend on a call of an order."""
        before_s = busy_s()
        drawn, _ = self._round(_CALLS_MAX)
        return (busy_s() - before_s) * 1e3 / len(drawn.calls)

    def _launched_ms(self, count: int, cost: OrderCost) -> float:
        drawn, window = self._round(count, ahead=False)
        return max(self._own_ms(drawn, window, cost.ms) / len(drawn.calls), 1e-6)

    def _count(self, claim_ms: float) -> int:
        """Return the number of calls in an order: as many as take a few milliseconds and fit the buffers."""
        first = self._maker.make()
        slowest_ms = max(claim_ms, first.reference_ms)
        inputs, outputs = call_bytes(first.tensors), call_bytes(first.truth)
        wanted = int(_ORDER_MS / max(claim_ms, 1e-3)) + 1
        room_bytes = self._session.room_bytes()
        if self._kind == "cpu":
            room_bytes = min(room_bytes, _CPU_BYTES)
        count = max(1, min(_CALLS_MAX, wanted, room_bytes // (inputs + outputs)))
        self._line.patience_s = 1.0 + _PATIENCE * count * slowest_ms / 1e3
        self._values_bytes = count * inputs * 9 // 8 + 2**20
        self._session.make_room(self._values_bytes + count * outputs * 9 // 8 + 2**20)
        return count

    def _round(self, count: int, *, ahead: bool = True) -> tuple[Draw, Window]:
        """Make one order on both sides, the reference's while the candidate is frozen; compare all results."""
        with self._session.frozen():
            self._await_quiet()
            drawn = draw(self._maker, count, self._values_bytes, self._trials.families, seeded=self._seeded)
            answer(drawn, self._maker)
        if not drawn.calls:
            raise UnreadableError("its input sizes differ too much between draws")
        window = self._line.run(drawn, ahead=ahead)
        check_order(self._trials, drawn, window.results)
        return drawn, window

    def _await_quiet(self) -> None:
        """Wait until no kernel of another process is on the device. Raises DisturbedError if that takes too often."""
        while self._watches and longest_gap_ms(self._maker.reference.device) > FOREIGN_MS:
            self._disturbed += 1
            if self._disturbed > _DISTURBED_MAX:
                raise DisturbedError(
                    "other work ran on the device while the candidate's processes were frozen"
                )
