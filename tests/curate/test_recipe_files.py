"""Tests of recipes as files: what is written is read back, byte for byte, and faults name rule and line."""

import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasets_app.curate.builtin import BUILTIN
from datasets_app.curate.definition import RecipeError, parse
from datasets_app.curate.recipe_files import FORMATS, read_recipe, write_recipe
from datasets_app.curate.rules import RULES
from tests.curate.rows import recipe

BOUNDS = recipe(
    {"rule": "speedup", "minimum": None, "maximum": 3.5},
    {"rule": "any_of", "rules": [{"rule": "fastest_above", "above": 5}, {"rule": "single_operator"}]},
    {"rule": "source", "sources": ['a "quoted" name', "KernelBook\\"]},
    {"rule": "verified_since", "day": "2026-01-31"},
    splits={"train": 90, "test": 10},
)


def written(form: str, data=BOUNDS, description: str = "One.\nTwo.") -> str:
    return write_recipe(form, "mine", "A title", description, parse(data))


def again(form: str, text: str) -> str:
    read = read_recipe(text)
    return write_recipe(form, read.name, read.title, read.description, read.definition)


def faults(text: str) -> dict[str, str]:
    with pytest.raises(RecipeError) as refused:
        read_recipe(text)
    return refused.value.faults


@pytest.mark.parametrize("name", BUILTIN)
@pytest.mark.parametrize("form", FORMATS)
def test_every_built_in_recipe_comes_back_byte_for_byte(form, name):
    text = written(form, BUILTIN[name]["definition"], BUILTIN[name]["description"])
    assert again(form, text) == text


@pytest.mark.parametrize("form", FORMATS)
def test_open_bounds_nested_rules_and_quotes_come_back_byte_for_byte(form):
    text = written(form)
    assert again(form, text) == text


def test_a_recipe_goes_from_json_to_toml_and_back():
    assert again("json", again("toml", written("json"))) == written("json")


def test_every_rule_has_a_form_in_both():
    for name, rule in RULES.items():
        values = {p.name: p.default for p in rule.parameters}
        values |= {key: ["some"] for key, value in values.items() if value == []}
        inner = {"rules": [{"rule": "has_trace"}]} if rule.takes_rules else {}
        data = recipe({"rule": name, **values, **inner})
        for form in FORMATS:
            assert again(form, written(form, data)) == written(form, data), name


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_any_text_survives_toml(text):
    assert tomllib.loads(written("toml", description=text))["description"] == text


def test_a_hand_written_file_may_leave_out_what_has_a_default():
    read = read_recipe('name = "short"\n\n[[rules]]\nrule = "trace_tokens"\nmaximum = 4000\n')
    assert read.name == "short"
    assert read.definition.rules[0].values == {"minimum": None, "maximum": 4000}


def test_a_date_needs_no_quotes_in_toml():
    read = read_recipe('[[rules]]\nrule = "verified_since"\nday = 2026-01-31\n')
    assert read.definition.rules[0]["day"] == "2026-01-31"


TOML = """name = "mine"
description = \"\"\"
[[rules]]
seed = 3
\"\"\"
seed = -1

[[rules]]
rule = "has_trace"

[[rules]]
rule = "any_of"

[[rules.rules]]
rule = "fastest_above"
above = -2
"""


def test_faults_in_toml_name_rule_and_line():
    found = faults(TOML)
    assert found["seed"].startswith("Line 6: The seed is a whole number")
    assert found["1.0.above"].startswith("Line 16, rule 2.1: Speedup over: -2 is below")


def test_faults_in_json_name_rule_and_line():
    data = recipe(
        {"rule": "has_trace"}, {"rule": "any_of", "rules": [{"rule": "fastest_above", "above": -2}]}
    )
    text = json.dumps({"name": "mine", **data}, indent=1)
    line = next(n for n, words in enumerate(text.split("\n"), 1) if '"above"' in words)
    assert faults(text)["1.0.above"].startswith(f"Line {line}, rule 2.1: Speedup over")


def test_an_unknown_rule_names_its_line():
    assert faults('{"rules": [\n {"rule": "has_trace"},\n {"rule": "nonsense"}]}')["1"].startswith(
        "Line 3, rule 2: "
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"seed": 1,}', "Line 1: not JSON"),
        ("seed = ", "Not TOML: Invalid value (at"),
        ("[1, 2]", "Not TOML"),
        ('{"seed": 1, "seed": 2}', "'seed' is given twice"),
        ('{"rules": ' + "[" * 100_000, "nested too deeply"),
        ("rules = " + "[" * 100_000, "nested too deeply"),
        ('{"seed": ' + "9" * 5000 + "}", "Not JSON"),
        ('{"rules": [{"rule": "source", "sources": ["\\u0000"]}]}', "cannot be stored"),
        ('{"rules": [{"rule": "source", "sources": ["\\ud800"]}]}', "cannot be stored"),
    ],
    ids=lambda value: value[:20],
)
def test_a_text_that_is_no_recipe_is_refused_in_a_sentence(text, said):
    assert said in faults(text)["recipe"]


def test_a_name_that_is_no_text_is_refused():
    assert faults('{"name": 3}')["name"] == "Line 1: The name is a text, not 3."
