"""Tests of ConCuR's three criteria, against results worked out by hand."""

from tests.curate.rows import choose, names, reasons, table

A = {"rule": "fastest_is_shortest"}
B = {"rule": "fastest_above"}
C = {"rule": "single_operator"}


def test_a_task_whose_fastest_kernel_has_the_shortest_trace_gives_that_kernel():
    rows = table(
        fast_short={"passed": 3, "trace_tokens": 100},
        slow_long={"passed": 2, "trace_tokens": 900},
    )
    assert names(choose(list(rows.values()), A), rows) == {"fast_short"}


def test_a_task_whose_fastest_kernel_has_a_longer_trace_gives_nothing():
    rows = table(fast_long={"passed": 3, "trace_tokens": 900}, slow_short={"passed": 2, "trace_tokens": 100})
    selection = choose(list(rows.values()), A)
    assert not selection.chosen
    assert reasons(selection) == {"its task has a shorter trace than the fastest's": 2}


def test_a_tie_in_length_counts_for_the_task():
    rows = table(fast={"passed": 3, "trace_tokens": 100}, slow={"passed": 2, "trace_tokens": 100})
    assert names(choose(list(rows.values()), A), rows) == {"fast"}


def test_a_tie_in_speed_goes_to_the_shorter_trace():
    rows = table(long={"passed": 3, "trace_tokens": 900}, short={"passed": 3, "trace_tokens": 100})
    assert names(choose(list(rows.values()), A), rows) == {"short"}


def test_a_wrong_sample_with_a_shorter_trace_matters_only_among_all():
    rows = table(
        right={"passed": 3, "trace_tokens": 500}, wrong={"outcome": "wrong_value", "trace_tokens": 100}
    )
    assert names(choose(list(rows.values()), A), rows) == {"right"}
    assert not choose(list(rows.values()), {**A, "among": "all"}).chosen


def test_the_only_correct_sample_of_a_task_is_its_fastest_and_its_shortest():
    rows = table(only={"passed": 0.4, "trace_tokens": 12_000})
    assert names(choose(list(rows.values()), A), rows) == {"only"}


def test_a_claimed_speedup_counts_only_where_the_recipe_asks_for_claims():
    rows = table(claimed={"claims": 9, "trace_tokens": 100})
    assert not choose(list(rows.values()), B).chosen
    assert names(choose(list(rows.values()), {**B, "basis": "claimed"}), rows) == {"claimed"}


def test_claims_are_not_beaten_by_measurements_in_a_recipe_of_claims():
    rows = table(claimed={"claims": 6}, measured={"passed": 50})
    assert names(choose(list(rows.values()), {**B, "basis": "claimed"}), rows) == {"claimed"}


def test_a_speedup_over_five_is_over_five():
    rows = table(at={"task": "t", "passed": 5}, over={"task": "u", "passed": 5.01})
    assert names(choose(list(rows.values()), B), rows) == {"over"}


def test_only_the_fastest_kernel_of_a_task_is_chosen_for_being_very_fast():
    rows = table(faster={"passed": 8}, fast={"passed": 6})
    assert names(choose(list(rows.values()), B), rows) == {"faster"}


def test_single_operator_tasks_are_taken_in_turn_from_each_kind():
    rows = table(
        relu={"task": "relu", "operators": 1, "kind": "elementwise", "passed": 4},
        gelu={"task": "gelu", "operators": 1, "kind": "elementwise", "passed": 3},
        tanh={"task": "tanh", "operators": 1, "kind": "elementwise", "passed": 2},
        sum={"task": "sum", "operators": 1, "kind": "reduction", "passed": 1.1},
        both={"task": "both", "operators": 2, "kind": "reduction", "passed": 9},
    )
    assert names(choose(list(rows.values()), {**C, "up_to": 3}), rows) == {"relu", "gelu", "sum"}


def test_operators_are_counted_as_executed_where_the_program_was_traced():
    rows = table(
        named_once={"task": "loop", "operators": 1, "operator_calls": 3, "passed": 4},
        named_twice={"task": "branch", "operators": 2, "operator_calls": 1, "passed": 3},
        untraced={"task": "text", "operators": 1, "passed": 2},
        two={"task": "two", "operators": 2, "passed": 2},
        none={"task": "none", "operators": 1, "operator_calls": 0, "passed": 2},
    )
    selection = choose(list(rows.values()), C)
    assert names(selection, rows) == {"named_twice", "untraced"}
    assert reasons(selection) == {
        "its task uses more than one operator, as executed": 1,
        "its task uses more than one operator, by its text": 1,
        "its task uses no operator, as executed": 1,
    }


def test_a_union_keeps_the_first_reason_and_later_criteria_see_other_tasks_only():
    rows = table(
        fast_short={"task": "one", "operators": 1, "passed": 7, "trace_tokens": 10},
        fast_long={"task": "two", "operators": 1, "passed": 7, "trace_tokens": 90},
        slow_short={"task": "two", "passed": 1, "operators": 1, "trace_tokens": 10},
        single_long={"task": "three", "operators": 1, "passed": 2, "trace_tokens": 90},
        single_short={"task": "three", "operators": 1, "passed": 1, "trace_tokens": 10},
        nothing={"task": "four", "operators": 3, "passed": 2, "trace_tokens": 90},
        nothing_short={"task": "four", "operators": 3, "passed": 1, "trace_tokens": 10},
    )
    selection = choose(list(rows.values()), {"rule": "any_of", "rules": [A, B, C]})
    why = {chosen.row.task_name: chosen.reason for chosen in selection.chosen}
    assert why == {"one": "fastest_is_shortest", "two": "fastest_above", "three": "single_operator"}
    assert names(selection, rows) == {"fast_short", "fast_long", "single_long"}
    assert dict(selection.steps[0].chosen_by) == {
        "fastest_is_shortest": 1,
        "fastest_above": 1,
        "single_operator": 1,
    }


def test_min_correct_drops_tasks_whole():
    rows = table(
        a={"task": "one", "passed": 2},
        b={"task": "one", "outcome": "wrong_value"},
        c={"task": "two", "passed": 2},
        d={"task": "two", "passed": 1},
        e={"task": "two", "outcome": "cheated"},
    )
    rule = {"rule": "min_correct", "minimum": 2}
    assert names(choose(list(rows.values()), rule), rows) == {"c", "d", "e"}
