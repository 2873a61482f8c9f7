"""Tests of ConCuR's recipe and its ablations on a made population: each chooses exactly what was planted."""

from collections import Counter

import pytest

from benchmarks._concur_population import GENERATIONS, Population, Size, expected
from datasets_app.curate.builtin import BUILTIN
from datasets_app.curate.definition import parse
from datasets_app.curate.selection import Selection, apply

SMALL = Size(
    tasks=605,
    solved=326,
    correct=804,
    concise=131,
    fast=14,
    single=18,
    concise_and_fast=14,
    concise_and_single=20,
    fast_and_single=4,
)
ABLATIONS = {
    "concur": "",
    "concur-without-concise": "fastest_is_shortest",
    "concur-without-fast": "fastest_above",
    "concur-without-balance": "single_operator",
}
SIZES = [pytest.param(SMALL, id="small"), pytest.param(Size(), id="full", marks=pytest.mark.long)]


@pytest.fixture(scope="module", params=SIZES)
def population(request) -> Population:
    return Population(request.param)


def chosen_by(name: str, population: Population) -> Selection:
    """Return the recipe's choice, with its two numbers of rows scaled to the population."""
    size = population.size
    definition = parse(BUILTIN[name]["definition"])
    for rule in (inner for outer in definition.rules for inner in (outer, *outer.rules)):
        if rule.name == "single_operator":
            rule.values["up_to"] = size.single
        if rule.name == "random_sample":
            rule.values["rows"] = size.concise + size.fast + size.single
    return apply(definition, population.rows)


def test_the_population_has_the_numbers_of_its_plan(population):
    size, rows = population.size, population.rows
    assert len(rows) == size.tasks * GENERATIONS
    correct = [row for row in rows if row.outcome == "passed"]
    assert (len(correct), len({row.task for row in correct})) == (size.correct, size.solved)


@pytest.mark.parametrize("name", ABLATIONS)
def test_a_recipe_chooses_exactly_what_was_planted(name, population):
    selection = chosen_by(name, population)
    found = {chosen.row.id: chosen.reason for chosen in selection.chosen}
    assert found == expected(population.plan, population.size.single, ABLATIONS[name])


def test_the_whole_recipe_finds_the_papers_counts(population):
    size = population.size
    assert Counter(chosen.reason for chosen in chosen_by("concur", population).chosen) == {
        "fastest_is_shortest": size.concise,
        "fastest_above": size.fast,
        "single_operator": size.single,
    }


def test_without_a_criterion_the_others_find_some_of_its_tasks(population):
    whole = {chosen.row.id: chosen.reason for chosen in chosen_by("concur", population).chosen}
    for name in ("concur-without-concise", "concur-without-fast"):
        fewer = {chosen.row.id: chosen.reason for chosen in chosen_by(name, population).chosen}
        assert any(reason != whole.get(pk, reason) for pk, reason in fewer.items()), name


def test_the_random_baseline_has_as_many_rows_one_of_a_task_and_all_correct(population):
    size = population.size
    chosen = chosen_by("concur-random", population).chosen
    tasks = {entry.row.task for entry in chosen}
    assert len(chosen) == len(tasks) == size.concise + size.fast + size.single
    assert tasks <= {planted.task for planted in population.plan}
    assert {entry.row.outcome for entry in chosen} == {"passed"}
