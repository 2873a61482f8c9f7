"""Times orders of many calls on both sides, with no more of them than it takes to confirm a claim."""

from __future__ import annotations

import math
import secrets
import time
from collections import Counter
from collections.abc import Callable

from eval_app.engine.judge.calls.session import Session
from eval_app.engine.judge.checks.trials import Trials
from eval_app.engine.judge.clock.device_queue import HEAD_STARTS
from eval_app.engine.judge.clock.foreign_work import Watch
from eval_app.engine.judge.clock.handover import (
    CALL_BYTES_MAX,
    CALLS_AT_ONCE,
    ORDER_BYTES_MAX,
    Handover,
)
from eval_app.engine.judge.clock.order_draw import FAMILY_EVERY, QUEUED_WITHIN_MS, Draw, call_bytes
from eval_app.engine.judge.clock.order_line import OrderLine, Window, nothing
from eval_app.engine.judge.clock.order_timing import Claim, OrderCost, OrderTiming
from eval_app.engine.judge.clock.reference_turn import ReferenceTurn
from eval_app.engine.judge.clock.result_layouts import has_gaps
from eval_app.engine.judge.clock.statistics import mean_of_most, median, quantile
from eval_app.engine.judge.clock.timed_checks import check_order
from eval_app.engine.judge.task.cases import CaseMaker
from eval_app.engine.judge.task.reference import form_bytes
from eval_app.engine.judge.verdicts import UnreadableError
from eval_app.engine.sandbox.channel import MAX_MESSAGE_BYTES

# Calls of an order by the time that they take together; a launch queue holds about a thousand.
_ORDER_MS = 10.0
_CALLS_MAX = 128
# Tensors of all calls of an order: on either side each takes a tenth of a millisecond and more beside the call.
_TENSORS_MAX = 4096
# On a CPU, drawing and comparing a call's values takes many times what a call that is bound by memory takes.
_CPU_BYTES = 128 * 2**20
_ROUNDS, _ROUNDS_MAX, _LONE_ROUNDS = 4, 12, 3
# An order this long needs no repetition.
_LONG_MS = 200.0
_COST_ROUNDS, _COST_CALLS = 16, 4
_TURN_CALLS, _TURN_ORDERS = 96, 8
# With fewer in an order than this, the first of which counts for nothing, calls are not handed over one by one.
_HANDED_OVER_LEAST = 2
# Calls of the order that shows how long it takes to queue one, and how much of the time for that is used.
_FIRST_CALLS, _QUEUE_SHARE = 16, 0.7
# Times that an order of so many calls may not be queued before there are fewer for good.
_FAILED_MAX = 2
# An order may take this many times what it should.
_PATIENCE = 5
# Calls up to this long are timed with their launches as well.
_LAUNCH_MS = 0.05


class OrderTimer:
    """Times orders through one session."""

    def __init__(
        self, session: Session, maker: CaseMaker, trials: Trials, watch: Watch, *, seeded: bool
    ) -> None:
        """Store the session; `seeded` is set for a task that draws random numbers."""
        self._session, self._maker, self._trials = session, maker, trials
        self._line = OrderLine(session, trials.shares_input)
        self._reference_turn = ReferenceTurn(maker, trials, watch, seeded=seeded)
        self._kind = maker.reference.device.type
        self._values_bytes = 0
        # Of the inputs and outputs of a call.
        self._call_bytes = 0
        # Calls of an order at most, by how many tensors they have.
        self._most = 1
        # Calls that the reference can queue, whether the candidate waits for the device within its calls, how many of
        # its calls were queued at most, and how often orders of so many were not (GPU).
        self._reference_queues = 1
        self._waits = False
        self._queued, self._failed = 0, Counter[int]()

    def measure(self, claim: Claim, cost: OrderCost, budget_s: float) -> OrderTiming:
        """Return the times; more orders are made for up to `budget_s` while they do not confirm the claim.

        Raises UnreadableError where the judge cannot read the results, RejectedError for wrong results.
        """
        timing = OrderTiming(cost)
        wanted = self._count(claim.candidate_ms)
        count = self._queueable(wanted)
        deadline = time.perf_counter() + budget_s
        while self._wants_more(timing, claim, count * claim.candidate_ms, deadline):
            self._make_unlike(count)
            drawn, window = self._round(count)
            queued = drawn.queued and window.queued
            other = self._count_instead(count, wanted, drawn, window)
            if self._kind == "cuda" and not timing.candidate and other != count:
                count = other
                continue
            timing.calls = len(drawn.calls)
            timing.unqueued += not queued
            timing.reference_unqueued += not drawn.queued
            timing.reference.append(drawn.reference_ms / timing.calls)
            timing.candidate.append(self._own_ms(drawn, window, cost.ms) / timing.calls)
            timing.copying.append(self._copying_ms(drawn, window) / timing.calls)
            del drawn, window  # values and results of large calls are a good part of the device
        if count > 1 and not timing.objection(claim, self._kind):
            calls = self._handed_over_at_once(count)
            waits = self._waits and timing.unqueued == len(timing.candidate)
            if waits or calls < _HANDED_OVER_LEAST:
                self.time_alone(timing)
            else:
                timing.handover = self._hand_over(calls, cost, timing.in_question(claim, self._kind))
        if self._kind == "cuda" and claim.candidate_ms <= _LAUNCH_MS:
            timing.launched_ms = self._launched_ms(count, cost, timing.candidate_ms)
        return timing

    def _count_instead(self, count: int, wanted: int, drawn: Draw, window: Window) -> int:
        """Return how many calls the next order should have, given how one of `count` went.

        Fewer if launches filled the device's queue, and more if none did, up to those `wanted`: a candidate may have
        answered late to be asked for few. If one call alone is not queued, the candidate waits for the device within
        its calls: then many share what an order costs that nothing is queued for, as many as the reference can queue.
        """
        if self._waits:
            return count if drawn.queued else max(1, count // 2)
        if window.queued and drawn.queued:
            self._queued = max(self._queued, count)
            more = min(2 * count, wanted, self._reference_queues)
            return more if more > count and self._failed[more] < _FAILED_MAX else count
        if count == 1 and not window.queued:
            self._waits = True
            return self._reference_queues
        self._failed[count] += 1
        return max(1, count // 4, min(self._queued, count // 2))

    def _make_unlike(self, count: int) -> None:
        """Now and then, where orders have few calls, make one more on values of families, which is not counted: none of
        the others may have such values, on which a candidate can be wrong in orders alone."""
        if count < FAMILY_EVERY and self._trials.families and secrets.randbelow(2):
            self._round(count, every=1)

    def _handed_over_at_once(self, count: int) -> int:
        """Return how many calls one order can hand over: none on a CPU, and few of large tensors."""
        if self._kind == "cpu" or self._call_bytes > CALL_BYTES_MAX:
            return 0
        return min(count, CALLS_AT_ONCE, ORDER_BYTES_MAX // self._call_bytes)

    def _hand_over(self, calls: int, cost: OrderCost, claim: Claim) -> Handover:
        """Return the times of calls that come one by one: a candidate may have made those of the orders together."""
        single_ms = claim.reference_ms if cost.alone else math.inf
        handover = Handover(cost.turn_ms, cost.turn_noise_ms, cost.gate_ms, single_ms)
        most = min(calls, 2 + self._reference_queues * 2 // 3)
        handover.measure(lambda count: self._round(count, one_by_one=True), most, claim.boldest)
        return handover

    def time_alone(self, timing: OrderTiming) -> None:
        """Add orders of one call: a candidate may have made the calls of the others together. One that waits for the
        device here is not spared: it takes longer."""
        for _ in range(_LONE_ROUNDS):
            drawn, window = self._round(1)
            if drawn.queued:
                timing.lone_reference.append(drawn.reference_ms)
                timing.lone_candidate.append(self._own_ms(drawn, window, timing.cost.ms))

    def _wants_more(self, timing: OrderTiming, claim: Claim, order_ms: float, deadline: float) -> bool:
        made = len(timing.candidate)
        if made < (_ROUNDS if order_ms < _LONG_MS else 1):
            return True
        return (
            made < _ROUNDS_MAX
            and bool(timing.objection(claim, self._kind))
            and time.perf_counter() < deadline
        )

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
        return OrderCost(
            max(0.0, median(costs)), quantile(costs, 0.75) - quantile(costs, 0.25), *self._turn()
        )

    def _turn(self) -> tuple[float, float, float]:
        """Return what handing over a call takes beyond the call, in milliseconds, how much that varies, and what of it
        lies between the copies (GPU)."""
        calls = self._handed_over_at_once(CALLS_AT_ONCE)
        if not calls:
            return 0.0, 0.0, 0.0
        handover = Handover()
        for _ in range(_TURN_ORDERS):
            before = len(handover.candidate)
            handover.add(*self._round(calls, one_by_one=True))
            if len(handover.candidate) >= _TURN_CALLS:
                break
            if len(handover.candidate) == before:  # not all were queued
                calls = max(_HANDED_OVER_LEAST, calls // 2)
        if not handover.candidate:
            raise UnreadableError("calls that come one by one were not queued before the first began")
        turn_ms, gate_ms = mean_of_most(handover.candidate), mean_of_most(handover.between)
        reference_ms = mean_of_most(handover.reference)
        return turn_ms - reference_ms, handover.spread_ms, gate_ms - reference_ms

    @staticmethod
    def _own_ms(drawn: Draw, window: Window, cost_ms: float = 0.0) -> float:
        """Return the milliseconds of an order's calls; below zero if the lane varies by more than they take.

        What gaps add to copying is taken off for those alone that the reference's results have as well.
        """
        has_the_same = Counter(filter(has_gaps, window.specs)) == Counter(drawn.gaps)
        copying_ms = drawn.copying_ms + (drawn.gaps_ms if has_the_same else 0.0)
        return window.total_ms - window.copies_ms - copying_ms - cost_ms

    def _copying_ms(self, drawn: Draw, window: Window) -> float:
        """Return how much longer the copies may have taken than what is taken off for them.

        Gaps in the results are not taken off, since the candidate chooses them. On a CPU, other work on the host may
        double the time of a copy.
        """
        if self._kind == "cuda":
            return 2 * window.gaps_ms
        return window.copies_ms + drawn.copying_ms + 2 * window.gaps_ms

    def _queueable(self, count: int) -> int:
        """Return how many calls can be queued before the first begins, on both sides: at most `count`.

        A device's queue holds about a thousand launches. A candidate that waits for the device is never queued. In the
        first order the candidate's memory grows, and the judge opens it; on a CPU all of its pages are mapped.
        """
        if count == 1:
            return 1
        if self._kind == "cpu":
            self._round(count)
            return count
        made = min(count, _FIRST_CALLS)
        drawn, window = self._round(made)
        queueable = int(made * _QUEUE_SHARE * QUEUED_WITHIN_MS / drawn.queueing_ms)
        self._reference_queues = max(1, min(count, queueable))
        return self._reference_queues if window.queued else max(1, made // 4)

    def processor_ms(self, busy_s: Callable[[], float]) -> float:
        """Return the processor time that the candidate's processes spend on a call of an order, copying excepted."""
        before_s: list[float] = []  # once the candidate has read what to call: arguments may be long lists
        drawn, _ = self._round(self._most, staged=lambda: before_s.append(busy_s()))
        return ((busy_s() - before_s[0]) * 1e3 - drawn.copying_ms) / len(drawn.calls)

    def _launched_ms(self, count: int, cost: OrderCost, queued_ms: float) -> float | None:
        """Return the time of a call with its launch; None if that is less than without, as if calls were made as one
        batch where the gate is open already."""
        drawn, window = self._round(count, ahead=False)
        launched_ms = self._own_ms(drawn, window, cost.ms) / len(drawn.calls)
        return launched_ms if launched_ms >= queued_ms else None

    def _count(self, claim_ms: float) -> int:
        """Return the number of calls in an order: as many as take a few milliseconds and fit the buffers."""
        first = self._maker.make()
        slowest_ms = max(claim_ms, first.reference_ms)
        inputs, outputs = call_bytes(first.tensors), call_bytes(first.truth)
        self._call_bytes = inputs + outputs
        wanted = int(_ORDER_MS / max(claim_ms, 1e-3)) + 1
        room_bytes = self._session.room_bytes()
        if self._kind == "cpu":
            room_bytes = min(room_bytes, _CPU_BYTES)
        tensors = max(1, len(first.tensors) + len(first.truth))
        fitting = MAX_MESSAGE_BYTES // 2 // form_bytes(first.tree)
        self._most = max(1, min(_CALLS_MAX, _TENSORS_MAX // tensors, fitting))
        count = max(1, min(self._most, wanted, room_bytes // self._call_bytes))
        self._line.patience_s = 1.0 + _PATIENCE * count * slowest_ms / 1e3
        self._values_bytes = count * inputs * 9 // 8 + 2**20
        self._session.make_room(self._values_bytes + count * outputs * 9 // 8 + 2**20)
        return count

    def _round(
        self,
        count: int,
        *,
        ahead: bool = True,
        staged: Callable[[], None] = nothing,
        every: int = FAMILY_EVERY,
        one_by_one: bool = False,
    ) -> tuple[Draw, Window]:
        """Make one order on both sides, the reference's while the candidate is frozen; compare all results.

        One that the host was too slow to queue is made anew, with a longer head start.
        """
        tries = 0
        while True:
            with self._session.frozen():
                drawn = self._reference_turn.take(count, self._values_bytes, every, one_by_one=one_by_one)
            if not drawn.calls:
                raise UnreadableError("its input sizes differ too much between draws")
            window = self._line.run(drawn, ahead=ahead, staged=staged)
            check_order(self._trials, drawn, window)
            tries += 1
            if not window.late or tries == HEAD_STARTS:
                return drawn, window
            del drawn, window  # values and results of large calls are a good part of the device
