"""The measurement of one candidate: pairs of calls by the runner's clock, and the judge's orders that confirm them.

Where they do not, the report says `time_unconfirmed`. Its figures are those of the orders then, and where the runner's
clock says more than these may vary by.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import torch

from eval_app.engine.contract.profiles import Profile
from eval_app.engine.judge.calls.session import Session
from eval_app.engine.judge.checks.trials import Trials
from eval_app.engine.judge.clock import roofline, timing
from eval_app.engine.judge.clock.foreign_work import FOREIGN_MS, Watch, longest_gap_ms
from eval_app.engine.judge.clock.order_timer import OrderTimer
from eval_app.engine.judge.clock.order_timing import Claim, OrderCost, OrderTiming
from eval_app.engine.judge.task.cases import Case, CaseMaker
from eval_app.engine.judge.values.output_digest import digest_of
from eval_app.engine.judge.values.unvaried import come_again
from eval_app.engine.judge.verdicts import RejectedError, UnreadableError, UnreviewedError
from eval_app.engine.shared.trees import unflatten

# Orders take no longer, however thorough the profile: they confirm a time that the pairs have measured.
_ORDERS_S = 3.0
_PROCESSOR_TRIES = 3
# Results of a task that varies nothing but random numbers, of which none may come twice.
_RANDOM_DRAWS = 16


class Measurement:
    """Times one candidate, whose trials are over."""

    def __init__(
        self, order: dict[str, Any], profile: Profile, session: Session, maker: CaseMaker, trials: Trials,
        busy_s: Callable[[], float], *, seeded: bool,
    ) -> None:  # fmt: skip
        """Store the job's order with the facts about the lane; `busy_s` returns the candidate's processor seconds.

        `seeded` is set for a task that draws random numbers.
        """
        self._order, self.profile, self._busy_s, self._seeded = order, profile, busy_s, seeded
        self._session, self._maker, self._trials = session, maker, trials
        self._device: torch.device = maker.reference.device
        gap_ms = (order.get("order_cost") or {}).get("gap_ms", FOREIGN_MS)
        alone = self._device.type == "cuda" and gap_ms < FOREIGN_MS
        beside_others = order.get("beside_others") is True
        self._watch = Watch(self._device, alone=alone, beside_others=beside_others)
        # The raw material of evidence.Timing, once the pairs are timed; and seconds by stage.
        self.timing: dict[str, Any] | None = None
        self.seconds: dict[str, float] = {}

    def elsewhere(self, maker: CaseMaker, trials: Trials, profile: Profile) -> Measurement:
        """Return a measurement of the same candidate by the same clock on other cases."""
        return Measurement(
            self._order, profile, self._session, maker, trials, self._busy_s, seeded=self._seeded
        )

    def run(self, first: Case) -> None:
        """Measure calls like `first`. Raises RejectedError for impossible times."""
        started = time.perf_counter()
        pairs = timing.measure(self._session, self._maker, self._trials, self.profile, self._watch)
        facts = roofline.count(self._maker.reference, first)
        cache = roofline.cache_bytes(self._device)
        floor_ms = roofline.least_ms(facts["written_bytes"], cache, float(self._order["bytes_per_ms"]))
        method = (
            f"{timing.method_text(self._device.type, self.profile)}; buffers by {self._session.transport}"
        )
        self.timing = timing.evidence(pairs, floor_ms, method, facts)
        self.seconds["timing"] = time.perf_counter() - started
        timing.check_claims(pairs, floor_ms)
        started = time.perf_counter()
        self._trials.allow_reviews(timing.REVIEW_SHARE)
        timer = OrderTimer(self._session, self._maker, self._trials, self._watch, seeded=self._seeded)
        try:
            reason = self._hold_against_orders(timer, self.timing)
        except UnreadableError as error:
            reason = f"the judge cannot read the results in place: {error}"
        except UnreviewedError as error:
            reason = str(error)
        self._trials.allow_reviews(math.inf)
        if self._watch.disturbed:
            reason = "other work ran on the device while the candidate's processes were frozen"
        if not self._session.always_froze:
            reason = "the candidate's processes worked on while they were to stop"
        self._conclude(reason, self.timing)
        self.seconds["orders"] = time.perf_counter() - started

    def _conclude(self, reason: str, form: dict[str, Any]) -> None:
        form |= {"unconfirmed": reason} if reason else {"confirmed_by": "orders"}
        if reason:
            self._trials.note("audit", "time_unconfirmed", reason)
        ratio = form["speedup"]["median"]
        if ratio >= timing.LARGE_SPEEDUP:
            self._trials.note("audit", "large_speedup", f"{ratio:.1f} times eager: a person should see how")

    def _hold_against_orders(self, timer: OrderTimer, form: dict[str, Any]) -> str:
        """Return why orders do not confirm the pairs; empty if they do."""
        claim = Claim(
            form["candidate"]["median_ms"], form["baselines"]["eager"]["median_ms"], form["speedup"]["median"]
        )
        if self._order.get("measures_cost"):
            cost = timer.cost(claim.candidate_ms)
            form["order_cost"] = {
                "ms": cost.ms,
                "noise_ms": cost.noise_ms,
                "turn_ms": cost.turn_ms,
                "turn_noise_ms": cost.turn_noise_ms,
                "gate_ms": cost.gate_ms,
                "gap_ms": longest_gap_ms(self._device),
            }
            return ""
        if self._is_known():
            return "no tensor differs between two draws: what a call is to give is known before the judge's time begins"
        if come_again(lambda: self._maker.draw("natural")):
            return "the task draws few different inputs: a candidate may have kept the answers to all of them"
        if kept := self._maker.reference.unvaried.describe_kept(self._first_inputs()):
            return f"the same in each draw: {kept}: a candidate may have kept what it gives for them"
        known = self._order.get("order_cost")
        if not known:
            return "what an order costs on this lane could not be measured"
        figures = {name: known[name] for name in ("ms", "noise_ms", "turn_ms", "turn_noise_ms", "gate_ms")}
        cost = OrderCost(**figures, alone=self._watch.alone)
        orders = timer.measure(claim, cost, min(_ORDERS_S, self.profile.timing_budget_s))
        if not orders.is_resolved:
            return "an order takes no longer than what the lane varies by"
        form["orders"] = orders.evidence()
        # On a CPU the spread of the orders clears nobody: processor time does, which a busy host hardly lengthens.
        spent_ms = orders.candidate_ms if self._device.type == "cpu" else None
        if orders.contradicts(claim.candidate_ms, spent_ms):
            self._reject_unless_explained(timer, orders, claim.candidate_ms)
        objection = orders.objection(claim, self._device.type)
        if objection or not orders.bear_out(claim, self._device.type):
            timing.use_orders(form, orders)
        if not objection and self._announces_numbers():
            return "the task draws numbers or texts, which a candidate is told before the judge's time begins"
        return objection

    def _is_known(self) -> bool:
        """Return whether what calls give is known before any order: a task's numbers and texts come with the order's
        announcement, and its tensors, if none of them varies, with the first trial. Then random numbers alone make
        results unlike, if they matter each time."""
        if self._trials.first is None or not self._maker.reference.unvaried.are_all(self._first_inputs()):
            return False
        return not self._seeded or len({self._result() for _ in range(_RANDOM_DRAWS)}) < _RANDOM_DRAWS

    def _result(self) -> bytes:
        """Return a digest of what the reference gives for another draw."""
        digests = map(digest_of, self._maker.make().results)
        return b"".join(bytes(digest.view(torch.uint8).tolist()) for digest in digests)

    def _announces_numbers(self) -> bool:
        """Return whether numbers or texts differ between two draws: work that they alone decide can be done, however
        long it takes, when an order is announced."""
        return self._maker.reference.unvaried.leave_plain(self._first_inputs())

    def _first_inputs(self) -> Any:
        first = self._trials.first
        return unflatten(first.tree, first.tensors) if first else []

    def _reject_unless_explained(self, timer: OrderTimer, orders: OrderTiming, claim_ms: float) -> None:
        """Raise RejectedError, unless something else explains the long orders: on a CPU other work on the host, which
        processor time does not count, and on a GPU the calls queued behind each other, which an order of one call has
        not. A busy host lengthens even processor time now and then, so that one short order is enough."""
        if self._device.type == "cpu":
            tries = (timer.processor_ms(self._busy_s) for _ in range(_PROCESSOR_TRIES))
            if not all(orders.contradicts(claim_ms, spent_ms) for spent_ms in tries):
                return
        else:
            timer.time_alone(orders)
            if orders.is_possible_alone(claim_ms):
                return
        text = (
            f"the runner claims {claim_ms:.4f} ms per call; as one of {orders.calls} calls that the judge times from "
            f"their first value to their last result it takes {orders.candidate_ms:.4f} ms"
        )
        raise RejectedError("cheated", text, [("clock_mismatch", text)])
