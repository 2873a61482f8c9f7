"""Tests of ConCuR's recipe and its ablations on a constructed population: every kind of task, with decoys."""

from collections import Counter

import pytest

from datasets_app.curate.builtin import BUILTIN
from datasets_app.curate.definition import parse
from datasets_app.curate.selection import Selection, apply
from tests.curate.rows import row

CONCISE, FAST, BALANCE, BOTH, PLAIN = 30, 10, 8, 4, 20


def pair(task: str, best: float, *, best_tokens: int, operators: int = 3, **fields) -> list:
    """Return a task of two correct CUDA kernels: a fast one, and a slower one with a trace of 500 tokens."""
    facts = {"language": "cuda", "operators": operators, **fields}
    return [
        row(f"{task} fast", task, passed=best, trace_tokens=best_tokens, **facts),
        row(f"{task} slow", task, passed=best / 2, trace_tokens=500, **facts),
    ]


def population() -> list:
    tasks = [
        *(pair(f"concise {n}", 1.5, best_tokens=400) for n in range(CONCISE)),
        *(pair(f"fast {n}", 6.0, best_tokens=900) for n in range(FAST)),
        *(
            pair(f"single {n}", 1.2, best_tokens=900, operators=1, kind=f"kind {n % 2}")
            for n in range(BALANCE)
        ),
        *(pair(f"both {n}", 7.0, best_tokens=900, operators=1) for n in range(BOTH)),
        *(pair(f"plain {n}", 1.2, best_tokens=900) for n in range(PLAIN)),
    ]
    return [*(made for task in tasks for made in task), *decoys()]


def decoys() -> list:
    """Return samples faster and shorter than all others, but no correct CUDA kernels with a trace."""
    return [
        row("decoy cpp", "fast 0", passed=90, trace_tokens=10, language="cpp"),
        row("decoy python", "plain 0", passed=90, trace_tokens=10, language="python"),
        row("decoy mute", "plain 1", passed=90, language="cuda"),
        row("decoy wrong", "concise 0", outcome="wrong_value", trace_tokens=10, language="cuda"),
        row("decoy claim", "plain 2", claims=90, trace_tokens=10, language="cuda"),
    ]


def selected(name: str, **changes) -> Selection:
    return apply(parse(BUILTIN[name]["definition"] | changes), population())


def by_reason(name: str) -> dict[str, int]:
    return dict(Counter(chosen.reason for chosen in selected(name).chosen))


def test_the_recipe_finds_each_planted_kind_of_task_once():
    assert by_reason("concur") == {
        "fastest_is_shortest": CONCISE,
        "fastest_above": FAST + BOTH,
        "single_operator": BALANCE,
    }


def test_no_decoy_is_chosen_and_none_changes_what_is():
    names = {chosen.row.task_name for chosen in selected("concur").chosen}
    assert not {f"plain {n}" for n in range(PLAIN)} & names
    assert {chosen.row.language for chosen in selected("concur").chosen} == {"cuda"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("concur-without-concise", {"fastest_above": FAST + BOTH, "single_operator": BALANCE}),
        ("concur-without-fast", {"fastest_is_shortest": CONCISE, "single_operator": BALANCE + BOTH}),
        ("concur-without-balance", {"fastest_is_shortest": CONCISE, "fastest_above": FAST + BOTH}),
    ],
)
def test_an_ablation_lacks_one_criterion_and_the_others_see_what_it_left(name, expected):
    assert by_reason(name) == expected


def test_the_random_baseline_draws_one_correct_kernel_of_each_task():
    chosen = selected("concur-random").chosen
    assert len(chosen) == CONCISE + FAST + BALANCE + BOTH + PLAIN
    assert len({one.row.task for one in chosen}) == len(chosen)
    assert {one.row.outcome for one in chosen} == {"passed"}
    other = selected("concur-random", seed=1).chosen
    assert {one.row.id for one in chosen} != {one.row.id for one in other}


def test_among_all_a_wrong_sample_with_a_shorter_trace_stands_in_the_way():
    definition = BUILTIN["concur"]["definition"]
    *guards, union = definition["rules"]
    first, *others = union["rules"]
    among_all = {**union, "rules": [{**first, "among": "all"}, *others]}
    selection = apply(parse({**definition, "rules": [*guards, among_all]}), population())
    assert Counter(chosen.reason for chosen in selection.chosen)["fastest_is_shortest"] == CONCISE - 1
