"""Tests that answers keep what the API's schema promises: their status and media type are declared."""

import json
import re
from functools import cache, partial
from urllib.parse import urlencode
from uuid import UUID

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from datasets_app.models import Sample
from tests.api.clients import token_for
from tests.api.test_any_json import LINES, tried, unbroken
from tests.api.test_schema import schema
from tests.factories import make_sample, make_user

pytestmark = pytest.mark.django_db
ABSENT = {"id": "00000000-0000-0000-0000-000000000000", "name": "absent", "path": "README.md", "number": "9"}


@cache
def promises():
    return {
        (method.upper(), path): operation
        for path, methods in schema()["paths"].items()
        for method, operation in methods.items()
    }


@pytest.fixture
def program():
    make_sample()
    token = token_for(make_user("administrator"), "read", "annotate", "curate", "admin")
    return Client(raise_request_exception=False, headers={"Authorization": f"Bearer {token}"})


def filled(path, operation):
    """Return the path with ids of nothing, of the type that the parameter declares."""
    types = {one["name"]: one["schema"] for one in operation["parameters"] if one["in"] == "path"}
    for name, kind in types.items():
        text = "999999" if kind["type"] == "integer" else ABSENT.get(name, "absent")
        path = path.replace(f"{{{name}}}", ABSENT["id"] if kind.get("format") == "uuid" else text)
    return path


def keeps(operation, answer):
    """Say that the answer's status is declared, with its media type."""
    promised = operation["responses"].get(str(answer.status_code))
    assert promised is not None, (answer.status_code, answer.content[:300])
    if types := promised.get("content"):
        assert answer["Content-Type"].partition(";")[0] in {one.partition(";")[0] for one in types}


def test_every_operation_declares_its_errors_as_problems():
    for operation in promises().values():
        answers = operation["responses"]
        assert {"401", "403", "429"} <= set(answers)
        assert {"400", "413", "415"} <= set(answers) or "requestBody" not in operation
        for status, answer in answers.items():
            assert int(status) < 400 or list(answer["content"]) == ["application/problem+json"]


def test_files_are_declared_as_bytes_but_for_those_that_are_json():
    for (_, path), operation in promises().items():
        if re.search(r"/(file|files/\{path\}|refused|pairs)/?$", path):
            for media_type, content in operation["responses"]["200"]["content"].items():
                expected = {} if media_type == "application/json" else {"type": "string", "format": "binary"}
                assert content["schema"] == expected, (path, media_type)


def test_a_body_is_json_but_for_a_file_to_ingest():
    for (_, path), operation in promises().items():
        if body := operation.get("requestBody"):
            kinds = {"multipart/form-data"} if path == "/api/v1/ingests/" else {"application/json"}
            assert set(body["content"]) == kinds


def test_without_a_token_every_operation_answers_401_but_for_those_that_say_so():
    for (method, path), operation in promises().items():
        if {} in operation["security"]:
            continue
        filled_path = filled(path, operation) if operation.get("parameters") else path
        answer = Client(raise_request_exception=False).generic(method, filled_path)
        assert answer.status_code == 401, path
        keeps(operation, answer)


def test_what_is_not_there_is_a_declared_404(program):
    for (method, path), operation in promises().items():
        if "{" in path:
            ask = partial(program.generic, method, filled(path, operation), "{}")
            answer = unbroken(partial(ask, content_type="application/json"))
            assert answer.status_code in (400, 404), path
            keeps(operation, answer)


def lists():
    return [path for (method, path), one in promises().items() if method == "GET" and "{" not in path]


@pytest.mark.parametrize("sent", ["limit=0", "limit=1001", "limit=x", "cursor=%C3%ABO"])
def test_a_page_that_cannot_be_is_a_declared_400_of_every_list(program, sent):
    name = sent.partition("=")[0]
    for path in lists():
        operation = promises()["GET", path]
        if name in {one["name"] for one in operation.get("parameters", [])}:
            answer = program.get(f"{path}?{sent}")
            assert (answer.status_code, name in answer.json()["errors"]) == (400, True), path
            keeps(operation, answer)


def test_an_empty_filter_is_refused_where_a_word_is_wanted(program):
    for address in (
        "reviews/?verdict=",
        "notes/?state=",
        "preferences/?task=",
        "suggestions/?version=",
        "verifications/?task=",
    ):
        assert program.get(f"/api/v1/{address}").status_code == 400, address


def test_any_parameters_lead_to_declared_answers(program):
    asked = st.sampled_from(lists()).flatmap(
        lambda path: st.tuples(
            st.just(path),
            st.dictionaries(
                st.sampled_from(
                    [one["name"] for one in promises()["GET", path].get("parameters", [])] or ["x"]
                ),
                LINES,
                max_size=3,
            ),
        )
    )

    @tried(40)
    @given(asked)
    def keeps_its_promise(case):
        path, parameters = case
        text = urlencode({name: value.encode("utf-8", "surrogatepass") for name, value in parameters.items()})
        keeps(promises()["GET", path], unbroken(lambda: program.get(f"{path}?{text}")))

    keeps_its_promise()


@pytest.mark.parametrize("path", ["/api/v1/tags/", "/api/v1/recipes/", "/api/v1/views/"])
def test_what_is_stored_is_a_declared_201(program, path):
    definition = {"version": 1, "rules": [{"rule": "has_trace"}]}
    body = {"name": "fresh", "definition": definition}
    answer = program.post(path, json.dumps(body), content_type="application/json")
    assert answer.status_code == 201
    keeps(promises()["POST", path], answer)


def test_the_sample_of_these_tests_is_found_by_its_declared_id(program):
    sample = Sample.objects.get()
    answer = program.get(f"/api/v1/samples/{sample.pk}/")
    keeps(promises()["GET", "/api/v1/samples/{id}/"], answer)
    assert UUID(answer.json()["id"]) == sample.pk
