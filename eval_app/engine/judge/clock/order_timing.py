"""The clock that decides: what a call takes as one of many in an order, by the judge alone.

Both sides make the same orders. Of the candidate's window only what the candidate cannot shape is taken off: the
copies, as they take while it is frozen, and the lane's cost of an order, measured with a kernel of the engine's own.
What the runner claims may sharpen the figure; it never carries it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from eval_app.engine.judge.clock.handover import Handover
from eval_app.engine.judge.clock.statistics import median, middle, quantile

# Calls shorter than this have more room.
_SMALL_MS = 0.02
# On a CPU shorter calls spend much of their time on fetching values that another core has written.
_CPU_SMALL_MS = 0.1
# A claim below this share of the judge's time is no matter of method.
_IMPOSSIBLE = 0.5
# How much faster than alone a call may be as one of many, before these are taken to have been made together; on a GPU
# of long calls less: what one begins and ends with is the same for all.
_LONE_ROOM, _LONG_ROOM, _LONE_MS = 1.5, 1.1, 0.05
# By how much a GPU's shortest order of one call may be off.
_LONE_NOISE_MS = 0.005
# A reference that takes so many times as long alone as as one of many has more launches than can be hidden there.
_LAUNCH_BOUND = 1.5


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

    @property
    def boldest(self) -> float:
        """Return the larger one of the middle of the pairs' ratios and the ratio of both medians: the report has the
        time of a call as well, which may be short beside a speedup of 1 if other calls are made long."""
        return max(self.speedup, self.reference_ms / self.candidate_ms)


@dataclass(frozen=True)
class OrderCost:
    """What an order costs on this lane beyond its calls, in milliseconds, and how much that varies."""

    ms: float
    noise_ms: float
    # What handing over a call takes where calls come one by one, how much that varies, and what of it lies between its
    # copies (GPU).
    turn_ms: float = 0.0
    turn_noise_ms: float = 0.0
    gate_ms: float = 0.0
    # Whether the device had no other work than the lane's, so that any is the candidate's.
    alone: bool = False


@dataclass
class OrderTiming:
    """Milliseconds per call, order by order."""

    cost: OrderCost
    calls: int = 0
    reference: list[float] = field(default_factory=list)
    candidate: list[float] = field(default_factory=list)
    # Orders whose calls were not all queued before they started (GPU): launches are in their times.
    unqueued: int = 0
    # The same of the reference's alone.
    reference_unqueued: int = 0
    # What the copies may have taken longer than what was taken off for them, which is no work of the candidate's.
    copying: list[float] = field(default_factory=list)
    # With the launches, if calls are short.
    launched_ms: float | None = None
    # Of orders of one call each, where calls are not handed over one by one: on a CPU, of large tensors, and where a
    # candidate waits for the device within its calls.
    lone_reference: list[float] = field(default_factory=list)
    lone_candidate: list[float] = field(default_factory=list)
    # Of calls that were handed over one by one, if nothing else objects.
    handover: Handover | None = None

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
        the candidate's, which brings the ratio of a slower candidate nearer to 1, and never above it. One of many takes
        no longer, unless its launch is in its time: it would if the candidate's work slowed the device down meanwhile.
        """
        reference_ms = median(self.reference)
        if self.cost.alone and 2 * self.reference_unqueued <= len(self.reference):
            reference_ms = min(reference_ms, single_ms)
        least_ms = max(self.candidate_ms - self._lane_error_ms, 1e-6)
        added_ms = max(0.0, single_ms - reference_ms)
        return max(
            reference_ms / least_ms, (reference_ms + added_ms) / (max(reference_ms, least_ms) + added_ms)
        )

    @property
    def sides(self) -> tuple[list[float], list[float]]:
        """Return the reference's and the candidate's times, order by order; a single order of the candidate's may be
        within the lane's noise, and even below zero."""
        return self.reference, [max(ms, self.candidate_ms / 2) for ms in self.candidate]

    @property
    def own_claim(self) -> Claim:
        """Return what the orders themselves say."""
        ratios = [reference / candidate for reference, candidate in zip(*self.sides, strict=True)]
        return Claim(self.candidate_ms, median(self.reference), middle(ratios))

    def in_question(self, claim: Claim, device_kind: str) -> Claim:
        """Return the claim that is to be confirmed: the orders' own, if they refuse the runner's beside a reference of
        many launches. Alone these are in its time, and a candidate of one launch is many times as fast; in orders the
        device never waits for a launch. Then the figures without them are held against the judge's other clocks."""
        is_queued = device_kind == "cuda" and 2 * self.reference_unqueued <= len(self.reference)
        if is_queued and claim.reference_ms > _LAUNCH_BOUND * median(self.reference):
            return self.own_claim if self._objection(claim, device_kind) else claim
        return claim

    def objection(self, claim: Claim, device_kind: str) -> str:
        """Return why the orders do not confirm what the runner's clock says; empty if they do."""
        objection = self._objection(claim, device_kind)
        own = self.in_question(claim, device_kind)
        return "" if own is not claim and not self._objection(own, device_kind) else objection

    def bear_out(self, claim: Claim, device_kind: str) -> bool:
        """Return whether the report may have the runner's figures in place of the orders': it says no more than these,
        but for what they may vary by. The room beyond that excuses a difference, and rewards nobody."""
        room = Room.of(max(claim.candidate_ms, self.candidate_ms), device_kind)
        is_within = claim.boldest <= (1 + room.noise) * self.largest_speedup(claim.reference_ms)
        return is_within and self.in_question(claim, device_kind) is claim

    def _objection(self, claim: Claim, device_kind: str) -> str:
        room = Room.of(max(claim.candidate_ms, self.candidate_ms), device_kind)
        if self.noise > room.noise:
            return (
                f"the judge's own times of {len(self.candidate)} orders vary too much to confirm any: "
                f"{self.candidate_ms:.4f} ms per call, ±{self.noise:.0%} on one of the two sides"
            )
        largest = self.largest_speedup(claim.reference_ms)
        if claim.boldest > room.speedup * largest:
            return (
                f"the runner's clock says {claim.boldest:.2f} times eager; as one of {self.calls} calls that the "
                f"judge times, it is at most {largest:.2f}"
            )
        if claim.boldest > self._largest_alone(device_kind):
            return (
                f"the runner's clock says {claim.boldest:.2f} times eager; in an order of its own a call takes "
                f"{min(self.lone_candidate):.4f} ms, the reference {median(self.lone_reference):.4f} ms"
            )
        return self.handover.objection(claim.boldest) if self.handover else ""

    def _largest_alone(self, device_kind: str) -> float:
        """Return the speedup that orders of one call allow at most: many calls can be made together as one batch, which
        a caller with one call has nothing of. The shortest order counts, less than what a short call is."""
        small_ms = _CPU_SMALL_MS if device_kind == "cpu" else _LONE_NOISE_MS
        least_ms = min(self.lone_candidate, default=0.0) - small_ms - 2 * self.cost.noise_ms
        if least_ms <= 0:
            return math.inf
        room = _LONE_ROOM if device_kind == "cpu" else min(_LONE_ROOM, _LONG_ROOM + _LONE_MS / least_ms)
        return room * median(self.lone_reference) / least_ms

    def contradicts(self, claim_ms: float, spent_ms: float | None = None) -> bool:
        """Return whether the claim is impossible. Where calls wait for the device, launches may explain the difference.

        So may the copies of the results: a difference that is no longer than these may vary is left unconfirmed.
        `spent_ms` is another measurement of a call, in place of the orders' with their spread.
        """
        least_ms = self.candidate_ms - self.noise_ms if spent_ms is None else spent_ms - self._lane_error_ms
        least_ms -= median(self.copying) if self.copying else 0.0
        return self.queued and claim_ms < _IMPOSSIBLE * least_ms

    def is_possible_alone(self, claim_ms: float) -> bool:
        """Return whether orders of one call bear out a claim that the others contradict: with many calls queued on
        several streams, a GPU may take several times as long for each."""
        if not self.lone_candidate:
            return False
        return claim_ms >= _IMPOSSIBLE * (median(self.lone_candidate) + 2 * self.cost.noise_ms)

    def evidence(self) -> dict[str, Any]:
        """Return the JSON form of evidence.Orders."""
        return {
            "candidate_ms": self.candidate_ms, "reference_ms": median(self.reference), "calls": self.calls,
            "orders": len(self.candidate), "cost_ms": self.cost.ms, "noise_ms": self.cost.noise_ms,
            "launched_ms": self.launched_ms,
        } | (self.handover.evidence() if self.handover else {})  # fmt: skip


def _error_ms(times: list[float]) -> float:
    """Return twice the standard error of the median, from the spread of the middle half."""
    return 2 * (quantile(times, 0.75) - quantile(times, 0.25)) / math.sqrt(len(times))
