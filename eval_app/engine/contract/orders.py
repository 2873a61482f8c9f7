"""What the judge measured by itself: orders of many calls, and calls that were handed over one by one."""

from __future__ import annotations

from dataclasses import dataclass

from eval_app.engine.contract.schema import ContractError


@dataclass(frozen=True)
class Orders:
    """Times per call of orders of many calls, by the judge alone: from the first value to the last result.

    Calls of an order are queued before it starts, so that launches are not in these times (GPU).
    """

    candidate_ms: float
    reference_ms: float
    # Calls of an order, and orders.
    calls: int
    orders: int
    # What was taken off for the order itself, and how much that varies on this lane; per order.
    cost_ms: float
    noise_ms: float
    # With launches, for short calls on a GPU.
    launched_ms: float | None = None
    # Of both sides where the values of a call came only once the results of the call before were out of reach, so that
    # no two calls could be made together; without what the turns of two processes take (GPU).
    one_by_one_ms: float | None = None
    one_by_one_reference_ms: float | None = None
    # The reference's single call, where the report has the times of orders in place of single calls'.
    single_reference_ms: float | None = None

    def __post_init__(self) -> None:
        """Check that times are positive and something was measured."""
        if not (self.candidate_ms > 0 and self.reference_ms > 0 and self.calls > 0 and self.orders > 0):
            raise ContractError("timing.orders needs positive times and counts")
