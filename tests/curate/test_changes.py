"""Tests of the words for what differs between two definitions."""

from datasets_app.curate.changes import changes
from datasets_app.curate.definition import parse
from tests.curate.rows import recipe

TRACE = {"rule": "has_trace"}
FAST = {"rule": "fastest_above", "above": 5}


def words(before: dict, after: dict) -> list[str]:
    return [change.words for change in changes(parse(before), parse(after))]


def test_added_removed_and_changed_rules_are_said_with_their_places():
    slow = {"rule": "speedup", "minimum": 1}
    fast = {"rule": "speedup", "minimum": 2}
    assert words(recipe(TRACE, slow), recipe(slow)) == ["Former rule 1 removed: Has a reasoning trace"]
    assert words(recipe(slow), recipe(TRACE, slow)) == ["Rule 1 added: Has a reasoning trace"]
    assert words(recipe(TRACE, slow), recipe(TRACE, fast)) == [
        "Rule 2 changed: Speedup over eager: At least 1× became 2×"
    ]


def test_a_rule_that_only_moved_is_said_to_have_moved():
    assert words(recipe(TRACE, FAST), recipe(FAST, TRACE)) in (
        ["Rule 1 moved: The fastest kernel, by measurement here, is over 5×, from place 2"],
        ["Rule 2 moved: Has a reasoning trace, from place 1"],
    )


def test_a_rule_inside_another_is_said_with_both_numbers():
    one, other = ({"rule": "any_of", "rules": [TRACE, {**FAST, "above": above}]} for above in (5, 6))
    assert words(recipe(one), recipe(other)) == [
        "Rule 1.2 changed: The fastest kernel is very fast: Speedup over 5× became 6×"
    ]


def test_settings_are_said_after_the_rules():
    after = recipe(TRACE, splits={"train": 80, "test": 20}, together="tasks", allow_leaks=True) | {"seed": 9}
    assert words(recipe(), after) == [
        "Rule 1 added: Has a reasoning trace",
        "Seed: 7 became 9",
        "Splits: train 100 % became train 80 %, test 20 %",
        "Kept in one split: a problem and similar kernels became samples of a task",
        "Leaks between splits: refused became allowed",
    ]


def test_the_same_definition_differs_in_nothing():
    assert words(recipe(TRACE), recipe(TRACE)) == []
