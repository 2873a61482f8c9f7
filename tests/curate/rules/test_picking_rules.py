"""Tests of the rules that pick a number of rows: by an order, or at random."""

import pytest

from datasets_app.curate.rules.orders import ORDERS
from tests.curate.rows import choose, ident, names, row, table

ROWS = table(
    fast={"task": "a", "passed": 9, "speedup_low": 1, "trace_tokens": 50},
    sure={"task": "a", "passed": 5, "speedup_low": 4, "trace_tokens": 90},
    claimed={"task": "b", "claims": 99, "trace_tokens": 70},
    short={"task": "b", "trace_tokens": 10},
    mute={"task": "b"},
)
FIRST_TWO = {
    "measured": {"fast", "sure"},
    "measured_low": {"sure", "fast"},
    "claimed": {"claimed", "fast"},
    "shortest": {"short", "fast"},
    "longest": {"sure", "claimed"},
}


@pytest.mark.parametrize("by", ORDERS)
def test_the_best_overall_are_picked_by_any_order(by):
    selection = choose(list(ROWS.values()), {"rule": "top", "rows": 2, "by": by})
    assert names(selection, ROWS) >= FIRST_TWO[by] - {"fast"}
    assert len(selection.chosen) == 2


@pytest.mark.parametrize(("by", "kept"), [("longest", {"sure", "claimed"}), ("shortest", {"fast", "short"})])
def test_the_best_of_each_task_are_picked_by_the_same_orders(by, kept):
    selection = choose(list(ROWS.values()), {"rule": "best_per_task", "rows": 1, "by": by})
    assert names(selection, ROWS) == kept


def test_rows_of_each_task_are_drawn_by_the_seed_alone():
    rows = [row(f"s{number}", f"t{number // 5}") for number in range(50)]
    rule = {"rule": "random_per_task", "rows": 2}

    def drawn(given, seed=7):
        return {chosen.row.id for chosen in choose(given, rule, seed=seed).chosen}

    assert drawn(rows) == drawn(rows[::-1])
    assert drawn(rows) != drawn(rows, seed=8)
    assert len(drawn(rows)) == 20
    assert all(len(drawn(rows) & {ident(f"s{5 * t + n}") for n in range(5)}) == 2 for t in range(10))
