"""The judge's own times of a report as a table: how a call was timed, and what both sides took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any


@dataclass(frozen=True)
class JudgedRow:
    """One way to time a call. A side that was not timed in this way is None."""

    name: str
    kernel_ms: float | None
    reference_ms: float | None
    ratio: float | None = None
    is_reported: bool = False  # its speedup is the report's

    @property
    def speedup(self) -> float | None:
        if self.ratio is None and self.kernel_ms and self.reference_ms:
            return self.reference_ms / self.kernel_ms
        return self.ratio


@dataclass(frozen=True)
class JudgedTimes:
    """The `orders` of a report's timing beside its single calls; false if the judge timed none."""

    timing: Mapping[str, Any]

    def __bool__(self) -> bool:
        return bool(self.orders)

    @property
    def orders(self) -> Mapping[str, Any]:
        return self.timing.get("orders") or {}

    @property
    def reports_orders(self) -> bool:
        """Return whether the report's figures are those of orders: they are where single calls are not confirmed."""
        return bool(self.orders.get("single_reference_ms") or self.timing.get("unconfirmed"))

    @cached_property
    def rows(self) -> list[JudgedRow]:
        """Return the ways in which calls were timed, the most calls at once first."""
        orders = self.orders
        together = JudgedRow(
            f"as one of {orders['calls']} calls",
            orders["candidate_ms"],
            orders["reference_ms"],
            self.timing["speedup"]["median"] if self.reports_orders else None,
            self.reports_orders,
        )
        launched = JudgedRow("the same, with launches", orders.get("launched_ms"), None)
        one_by_one = JudgedRow(
            "handed over one by one", orders.get("one_by_one_ms"), orders.get("one_by_one_reference_ms")
        )
        rows = [together, launched, one_by_one, self.alone]
        return [row for row in rows if row.kernel_ms or row.reference_ms]

    @property
    def alone(self) -> JudgedRow:
        """Return the single calls; where the report's figures are those of orders, what is still known of them."""
        if self.reports_orders:
            return JudgedRow("alone, with its launches", None, self.orders.get("single_reference_ms"))
        kernel, eager = self.timing["candidate"], self.timing["baselines"]["eager"]
        ratio = self.timing["speedup"]["median"]
        return JudgedRow("alone", kernel["median_ms"], eager["median_ms"], ratio, is_reported=True)

    @property
    def sentence(self) -> str:
        """Return which row is the report's speedup, and what confirms it."""
        if self.timing.get("unconfirmed"):
            return (
                f"The times above are those of one of {self.orders['calls']} calls. They are not confirmed."
            )
        if self.reports_orders:
            return (
                f"The report's speedup is that of one of {self.orders['calls']} calls, which has no launches on either "
                "side: of calls alone the runner's clock says more, as it does where a reference has many launches."
            )
        if self.timing.get("confirmed_by"):
            return (
                "The report's speedup is that of calls alone. The other rows are the judge's own clock, which confirms "
                "it: in a row calls may find their data in the cache and hold no launches, so those may differ."
            )
        return "The report's speedup is that of calls alone, by the runner's clock."
