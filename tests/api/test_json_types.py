"""Tests that a request's values have the JSON types that the schema declares: nothing is converted."""

import json

import pytest
from rest_framework import serializers

from datasets_app.api.bulk_actions import BulkRequestSerializer
from datasets_app.api.json_requests import NUMBER, TEXT, TRUTH, WHOLE_NUMBER, type_fault
from datasets_app.bulk import VERBS
from datasets_app.models import Tag
from tests.api.clients import api, token_for
from tests.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def program():
    return api(token_for(make_user("curator"), "read", "annotate", "curate"))


@pytest.mark.parametrize(
    ("path", "body", "field", "fault"),
    [
        ("tags/", {"name": 1}, "name", TEXT),
        ("tags/", {"name": True}, "name", TEXT),
        ("inbox/", {"entries": [False]}, "entries", TEXT),
        ("views/", {"name": "mine", "shared": "yes"}, "shared", TRUTH),
        ("recipes/", {"name": "mine", "definition": {}, "based_on": "1"}, "based_on", WHOLE_NUMBER),
        ("recipes/", {"name": "mine", "definition": {}, "based_on": True}, "based_on", WHOLE_NUMBER),
        ("bulk-actions/", {"action": "tag", "samples": [7]}, "samples", TEXT),
        ("queues/", {"name": "mine", "deadline": 20260101}, "deadline", TEXT),
    ],
)
def test_a_value_of_another_type_is_refused_at_its_field(program, path, body, field, fault):
    answer = program.post(f"/api/v1/{path}", json.dumps(body), content_type="application/json")
    assert (answer.status_code, answer.json()["errors"]) == (400, {field: [fault]})
    assert not Tag.objects.exists()


def test_a_number_in_quotes_is_none():
    assert type_fault(serializers.FloatField(), "1.5") == NUMBER
    assert not type_fault(serializers.FloatField(), 1)


def test_a_whole_number_may_be_written_with_a_point(program):
    body = {"name": "mine", "definition": {"version": 1, "rules": [{"rule": "has_trace"}]}, "based_on": 0.0}
    answer = program.post("/api/v1/recipes/", json.dumps(body), content_type="application/json")
    assert answer.status_code == 201, answer.json()


def test_the_schema_names_every_bulk_action_that_may_be_requested():
    assert set(BulkRequestSerializer().fields["action"].choices) == set(VERBS) - {"undo"}
