import pytest

from datasets_app.curate.definition import RecipeError, parse
from datasets_app.curate.rules import RULES
from tests.curate.rows import recipe


def faults(data) -> dict[str, str]:
    with pytest.raises(RecipeError) as caught:
        parse(data)
    return caught.value.faults


def test_every_fault_is_told_at_its_place():
    found = faults(
        {
            "version": 2,
            "seed": -1,
            "colour": "red",
            "rules": [
                {"rule": "speedup", "minimum": "fast", "extra": 1},
                {"rule": "no_such_rule"},
                {"rule": "any_of", "rules": [{"rule": "fastest_above", "above": -3}]},
            ],
            "splits": {"train": 80, "test": 10},
        }
    )
    assert set(found) == {
        "version",
        "seed",
        "colour",
        "0.minimum",
        "0.extra",
        "1",
        "2.0.above",
        "splits",
    }
    assert found["splits"] == "The splits sum to 90 %; they must sum to 100 %."


def test_defaults_are_spelt_out_so_that_a_later_default_changes_no_recipe():
    spelt = parse(recipe({"rule": "speedup"})).to_json()["rules"][0]
    assert spelt == {"rule": "speedup", "basis": "measured", "minimum": 1.0, "maximum": None}


def test_a_range_that_nothing_can_pass_is_refused():
    assert set(faults(recipe({"rule": "trace_tokens", "minimum": 9, "maximum": 5}))) == {"0.maximum"}


def test_an_allow_list_without_entries_is_refused():
    assert "choose at least one" in faults(recipe({"rule": "source", "sources": []}))["0.sources"]


def test_a_union_needs_rules_and_does_not_nest():
    assert set(faults(recipe({"rule": "any_of", "rules": []}))) == {"0"}
    inner = {"rule": "any_of", "rules": [{"rule": "has_trace"}]}
    assert set(faults(recipe({"rule": "any_of", "rules": [inner]}))) == {"0.0"}


@pytest.mark.parametrize("value", [True, float("nan"), float("inf"), "5", [5], {}])
def test_a_number_is_a_number(value):
    assert set(faults(recipe({"rule": "fastest_above", "above": value}))) == {"0.above"}


@pytest.mark.parametrize("data", [None, [], "x", 5])
def test_a_recipe_is_an_object(data):
    assert set(faults(data)) == {"recipe"}


def test_every_rule_has_words_and_parameters_whose_defaults_it_takes():
    for name, rule in RULES.items():
        assert rule.name == name
        assert rule.title
        assert rule.explains.endswith((".", "them."))
        for parameter in rule.parameters:
            if parameter.default != []:
                assert parameter.check(parameter.default) == parameter.default or parameter.optional


HUGE = 10**400  # as a file or a form may hold it


@pytest.mark.parametrize(
    ("rule", "place"),
    [
        ({"rule": ["speedup"]}, "0"),
        ({"rule": {}}, "0"),
        ({"rule": "speedup", "basis": ["measured"]}, "0.basis"),
        ({"rule": "speedup", "minimum": HUGE}, "0.minimum"),
        ({"rule": "best_per_task", "rows": -HUGE}, "0.rows"),
    ],
)
def test_a_value_of_another_kind_is_a_fault_and_no_error(rule, place):
    assert list(faults({"rules": [rule]})) == [place]
