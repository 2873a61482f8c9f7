"""The orders by which rules pick the best rows. Rows that lack the value come last, ties go to the smaller id."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from datasets_app.curate.parameters import Choice
from datasets_app.curate.row import Basis, Row


def ascending(value: float | None, row: Row) -> tuple[bool, float, str]:
    return (value is None, value or 0.0, row.id)


def descending(value: float | None, row: Row) -> tuple[bool, float, str]:
    return ascending(None if value is None else -value, row)


ORDERS: dict[str, tuple[str, Callable[[Row], Any]]] = {
    "measured": ("measured speedup", lambda row: row.fastest_first(Basis.MEASURED)),
    "measured_low": ("lower end of the measured speedup", lambda row: descending(row.speedup_low, row)),
    "claimed": ("claimed speedup", lambda row: row.fastest_first(Basis.CLAIMED)),
    "shortest": ("shortest trace", lambda row: ascending(row.trace_tokens, row)),
    "longest": ("longest trace", lambda row: descending(row.trace_tokens, row)),
}
BY = Choice(
    name="by",
    title="Best by",
    default="measured",
    choices=tuple((name, words) for name, (words, _) in ORDERS.items()),
)


def best_first(rows: list[Row], by: str) -> list[Row]:
    return sorted(rows, key=ORDERS[by][1])
