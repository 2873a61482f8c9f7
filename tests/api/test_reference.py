"""Tests that the API's reference page matches the schema: every operation, its parameters and its answers."""

import re

import pytest
from drf_spectacular.generators import SchemaGenerator

from datasets_app.api import reference
from datasets_app.templatetags.words import in_code_and_words, unbroken


@pytest.fixture(scope="module")
def schema():
    return SchemaGenerator().get_schema(public=True)


@pytest.fixture(scope="module")
def told(schema):
    return reference.read(schema)


def operation(told, anchor):
    return next(one for resource in told.resources for one in resource.operations if one.anchor == anchor)


def test_every_operation_of_the_schema_is_told_once(schema, told):
    wanted = {one["operationId"] for methods in schema["paths"].values() for one in methods.values()}
    anchors = [one.anchor for resource in told.resources for one in resource.operations]
    assert sorted(anchors) == sorted(wanted)


def test_a_list_answers_with_a_page_of_its_rows(told):
    [answer] = operation(
        told, "verifications_list"
    ).answers  # errors that many have are told once, above them
    assert answer.kind == reference.Kind("page of Verification", "Verification")


def test_a_parameter_tells_its_kind_its_choices_and_what_it_is(told):
    parameters = {one.name: one for one in operation(told, "verifications_list").parameters}
    assert parameters["batch"].kind.words == "uuid"
    assert parameters["profile"].choices == ["quick", "standard", "thorough"]
    assert parameters["profile"].says == "profile of the run"


def test_a_body_is_told_as_json_where_it_may_be(told):
    asked = operation(told, "verifications_create")
    assert (asked.body, asked.encoding) == (reference.Kind("AskRequest", "AskRequest"), "application/json")
    assert operation(told, "ingests_create").encoding == "multipart/form-data"


def test_only_what_a_request_must_give_is_required(told):
    shapes = {one.name: {field.name: field for field in one.fields} for one in told.shapes}
    assert shapes["AskRequest"]["sample"].required
    assert not shapes["AskRequest"]["profile"].required
    assert not shapes["Verification"]["id"].required


def test_choices_behind_a_reference_are_told_without_the_list_in_the_words(told):
    device = next(
        field
        for shape in told.shapes
        if shape.name == "AskRequest"
        for field in shape.fields
        if field.name == "device"
    )
    assert (device.choices, device.says) == (
        ["auto", "cpu", "cuda"],
        "auto: the kind that the language needs",
    )


def test_a_field_that_may_be_null_says_so(told):
    sample = next(one for one in told.shapes if one.name == "SampleRow")
    tokens = next(one for one in sample.fields if one.name == "trace_tokens")
    assert tokens.kind.words == "int64 or null"


@pytest.mark.django_db
def test_every_link_within_the_page_leads_somewhere(reader):
    html = reader.get("/api/docs/").content.decode()
    anchors = set(re.findall(r'id="([^"]+)"', html))
    assert set(re.findall(r'href="#([^"]+)"', html)) <= anchors


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("plain", [(False, "plain")]),
        ("read `state`, `size`.", [(False, "read "), (True, "state"), (False, ", "), (True, "size"), (False, ".")]),
        ("a lone ` stays", [(False, "a lone ` stays")]),
        ("`a` and a lone `", [(True, "a"), (False, " and a lone `")]),
        ("", []),
    ],
)  # fmt: skip
def test_a_sentence_is_split_at_its_backticks(text, parts):
    assert in_code_and_words(text) == parts


def test_a_list_of_given_words_tells_them(told):
    parameters = {one.name: one for one in operation(told, "samples_list").parameters}
    assert parameters["language"].kind.words == "any of"
    assert "triton" in parameters["language"].choices


def test_a_command_is_broken_between_its_words_alone():
    assert unbroken("manage.py verify --all") == 'manage.py verify <span class="nowrap">--all</span>'
    assert unbroken("a -b <c>") == 'a <span class="nowrap">-b</span> &lt;c&gt;'
    assert unbroken("next-page") == "next-page"
