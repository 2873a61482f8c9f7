"""Tests properties of the funnel and of splits over generated stores."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from datasets_app.curate.builtin import BUILTIN
from datasets_app.curate.definition import parse
from datasets_app.curate.selection import apply
from datasets_app.curate.splits import split_of
from tests.curate.rows import choose, ident, recipe, row, table

MIXED = recipe(
    {"rule": "has_trace"},
    {"rule": "min_correct", "minimum": 1},
    {
        "rule": "any_of",
        "rules": [
            {"rule": "fastest_is_shortest"},
            {"rule": "fastest_above", "above": 2},
            {"rule": "single_operator", "up_to": 3},
        ],
    },
    {"rule": "balance_kinds", "tasks": 4},
    {"rule": "duplicates", "within": "all"},
    {"rule": "random_sample", "rows": 5},
    splits={"train": 60, "validation": 20, "test": 20},
)


@st.composite
def stores(draw):
    """Strategy for up to 40 samples over up to 8 tasks, with ties in every value."""
    tasks = draw(st.integers(1, 8))
    facts = st.tuples(
        st.integers(0, tasks - 1),
        st.sampled_from([None, 1.0, 2.0, 6.0]),
        st.sampled_from([None, 100, 200]),
        st.sampled_from(["k1", "k2", "k3"]),
    )
    return [
        row(
            f"s{number}",
            f"t{task}",
            kind=f"kind{task % 3}",
            operators=task % 2 + 1,
            outcome="passed" if speed else "wrong_value",
            measured_speedup=speed,
            trace_tokens=tokens,
            kernel=kernel,
        )
        for number, (task, speed, tokens, kernel) in enumerate(draw(st.lists(facts, max_size=40)))
    ]


@given(rows=stores(), order=st.randoms())
@settings(max_examples=150)
def test_the_selection_does_not_depend_on_the_order_of_rows(rows, order):
    shuffled = list(rows)
    order.shuffle(shuffled)
    one, other = apply(parse(MIXED), rows), apply(parse(MIXED), iter(shuffled))
    assert one.chosen == other.chosen
    assert json.dumps(one.funnel(), sort_keys=True) == json.dumps(other.funnel(), sort_keys=True)


@given(rows=stores())
@settings(max_examples=80)
def test_the_counts_of_the_funnel_add_up(rows):
    selection = apply(parse(MIXED), rows)
    left, tasks = len(rows), {row.task for row in rows}
    for step in selection.steps:
        assert (step.rows_in, step.tasks) == (left, tasks)
        left, tasks = step.rows_out, step.tasks_kept
    assert left == len(selection.chosen)


@given(rows=stores(), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=80)
def test_no_task_is_in_two_splits(rows, seed):
    parts = {"train": 40, "validation": 30, "test": 30}
    selection = apply(parse(recipe(splits=parts) | {"seed": seed}), rows)
    splits = {}
    for chosen in selection.chosen:
        splits.setdefault(chosen.row.task, set()).add(chosen.split)
    assert all(len(of_task) == 1 for of_task in splits.values())
    assert sum(selection.split_counts().values()) == len(rows)


def test_splits_come_near_their_shares():
    parts = {"train": 80.0, "validation": 15.0, "test": 5.0}
    drawn = [split_of(ident(f"task {number}"), 7, parts) for number in range(4000)]
    for split, share in parts.items():
        assert abs(drawn.count(split) / 40 - share) < 2


def test_a_task_keeps_its_split_whatever_else_is_in_the_store():
    parts = {"train": 50, "validation": 25, "test": 25}
    alone = choose([row("a", "t1")], splits=parts).chosen[0].split
    crowd = choose([row("a", "t1"), *(row(f"x{n}", f"u{n}") for n in range(50))], splits=parts)
    assert next(c.split for c in crowd.chosen if c.row.task_name == "t1") == alone


def test_another_seed_draws_other_splits():
    parts = {"train": 50, "validation": 50, "test": 0}
    tasks = [ident(f"task {number}") for number in range(200)]
    assert [split_of(t, 1, parts) for t in tasks] != [split_of(t, 2, parts) for t in tasks]


def test_chosen_rows_stand_by_split_then_task_then_id():
    rows = table(**{f"r{n}": {"task": f"t{n % 7}"} for n in range(40)})
    chosen = choose(list(rows.values()), splits={"train": 50, "validation": 25, "test": 25}).chosen
    order = [(("train", "validation", "test").index(c.split), c.row.task, c.row.id) for c in chosen]
    assert order == sorted(order)


def test_the_sample_of_dropped_ids_is_small_and_the_same_each_time():
    rows = [row(f"r{n}") for n in range(100)]
    one, other = choose(rows, {"rule": "has_trace"}), choose(rows[::-1], {"rule": "has_trace"})
    shown = one.funnel()[0]["dropped"][0]
    assert shown == other.funnel()[0]["dropped"][0]
    assert shown["count"] == 100
    assert shown["samples"] == sorted(r.id for r in rows)[:8]


def test_the_fate_of_a_watched_sample_is_told():
    rows = table(mute={}, told={"trace_tokens": 5})
    selection = apply(parse(recipe({"rule": "has_trace"})), rows.values(), watched={rows["mute"].id})
    assert selection.fates == {rows["mute"].id: "Has a reasoning trace: no trace"}


def test_the_recipes_that_come_with_the_project_are_valid_and_spelt_out():
    for fields in BUILTIN.values():
        assert parse(parse(fields["definition"]).to_json()).to_json() == parse(fields["definition"]).to_json()


def test_a_split_that_gets_no_row_is_said_with_its_share():
    few = [row(f"s{number}", f"t{number}") for number in range(3)]
    chosen = apply(parse(recipe(splits={"train": 98, "validation": 1, "test": 1})), few)
    assert chosen.empty_splits() == [("validation", 1), ("test", 1)]
    assert apply(parse(recipe(splits={"train": 98, "validation": 1, "test": 1})), []).empty_splits() == []
