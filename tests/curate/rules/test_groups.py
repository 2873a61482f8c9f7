"""Tests of the rules that cap and balance groups, and of the rule on difficulty."""

from collections import Counter

import pytest

from datasets_app.curate.definition import parse
from datasets_app.curate.store import rows as stored_rows
from datasets_app.models import Sample
from tests.curate.rows import choose, reasons, recipe, row
from tests.factories import make_sample, make_task

# Twelve matmuls over three tasks, four reductions over two, one scan.
ROWS = [
    *(row(f"m{n}", f"matmul {n % 3}", kind="matmul", source="a", generator="x", arl=3000) for n in range(12)),
    *(
        row(f"r{n}", f"reduce {n % 2}", kind="reduction", source="b", generator="x", arl=6000)
        for n in range(4)
    ),
    row("s", "scan", kind="scan", source="b", generator="y", arl=9000),
]


def kept(rule: str, by: str = "kind", **values) -> Counter:
    field = {"kind": "kind", "source": "source", "generator": "generator", "difficulty": "arl"}[by]
    selection = choose(ROWS, {"rule": rule, "of": by, **values})
    return Counter(getattr(chosen.row, field) for chosen in selection.chosen)


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("kind", {"matmul": 3, "reduction": 3, "scan": 1}),
        ("source", {"a": 3, "b": 3}),
        ("generator", {"x": 3, "y": 1}),
        ("difficulty", {3000: 3, 6000: 3, 9000: 1}),
    ],
)
def test_a_cap_leaves_small_groups_whole(by, expected):
    assert kept("cap_each", by, most=3) == expected


def test_a_cap_of_tasks_keeps_all_rows_of_a_task():
    assert kept("cap_each", what="tasks", most=1) == {"matmul": 4, "reduction": 2, "scan": 1}


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (3, {"matmul": 1, "reduction": 1, "scan": 1}),
        (9, {"matmul": 4, "reduction": 4, "scan": 1}),
        (12, {"matmul": 7, "reduction": 4, "scan": 1}),
        (50, {"matmul": 12, "reduction": 4, "scan": 1}),
    ],
)
def test_a_balance_takes_groups_in_turn_and_passes_over_those_that_are_empty(rows, expected):
    assert kept("balance", rows=rows) == expected


def test_the_funnel_says_which_groups_had_enough():
    assert reasons(choose(ROWS, {"rule": "cap_each", "of": "kind", "most": 3})) == {
        "enough rows of matmul": 9,
        "enough rows of reduction": 1,
    }


@pytest.mark.parametrize("rule", [{"rule": "cap_each", "most": 3}, {"rule": "balance", "rows": 6}])
def test_the_same_seed_draws_the_same_rows_in_any_order_and_another_seed_others(rule):
    one = {chosen.row.id for chosen in choose(ROWS, rule).chosen}
    assert one == {chosen.row.id for chosen in choose(list(reversed(ROWS)), rule).chosen}
    assert one != {chosen.row.id for chosen in choose(ROWS, rule, seed=8).chosen}


def test_difficulty_goes_by_the_average_reasoning_length_of_the_task():
    rows = [
        row("easy", arl=3999.9),
        row("middling", arl=4000),
        row("edge", arl=8500),
        row("hard", arl=8500.1),
    ]
    selection = choose([*rows, row("mute")], {"rule": "difficulty", "classes": ["middling"]})
    assert len(selection.chosen) == 2
    assert reasons(selection) == {"its task is easy": 1, "its task is hard": 1, "its task has no trace": 1}


def test_difficulty_is_of_the_generator_the_tokenizer_and_the_number_of_traces_that_are_chosen():
    traces = {("kevin", "qwen"): (30_000, 3), ("other", "qwen"): (3_000, 3), ("kevin", "words"): (100, 1)}
    one = [row("a", arl=4728.6, traces=traces)]
    rule = {"rule": "difficulty", "classes": ["hard"], "generators": ["kevin"], "tokenizers": ["qwen"]}
    assert len(choose(one, rule).chosen) == 1  # 10,000 on average
    assert reasons(choose(one, rule | {"generators": ["other"]})) == {"its task is easy": 1}
    assert reasons(choose(one, rule | {"at_least": 4})) == {"its task has too few such traces": 1}
    assert reasons(choose(one, rule | {"hard_above": 20_000})) == {"its task is middling": 1}


@pytest.mark.django_db
def test_lengths_by_generator_and_tokenizer_are_read_only_where_a_rule_asks():
    task = make_task()
    for generator, tokens in (("kevin", 1000), ("kevin", 3000), ("other", 500)):
        sample = make_sample(task, generator=generator)
        Sample.objects.filter(pk=sample.pk).update(trace_tokens=tokens, has_trace=True, tokenizer="qwen")
    needs = parse(recipe({"rule": "difficulty", "generators": ["kevin"]})).rule_needs()
    found = next(iter(stored_rows("", needs)))
    assert dict(found.traces) == {("kevin", "qwen"): (4000, 2), ("other", "qwen"): (500, 1)}
    assert dict(next(iter(stored_rows("", parse(recipe({"rule": "difficulty"})).rule_needs()))).traces) == {}


@pytest.mark.django_db
def test_the_average_is_over_all_of_a_tasks_traces_and_read_only_where_a_rule_asks():
    task = make_task()
    for tokens in (1000, 3000):
        sample = make_sample(task)
        Sample.objects.filter(pk=sample.pk).update(trace_tokens=tokens, has_trace=True)
    needs = parse(recipe({"rule": "balance", "of": "difficulty"})).rule_needs()
    assert [made.arl for made in stored_rows("", needs)] == [2000.0, 2000.0]
    assert [made.arl for made in stored_rows("", parse(recipe({"rule": "balance"})).rule_needs())] == [
        None,
        None,
    ]
