"""Tests that the API's schema is complete."""

import io
import json

import pytest
from django.core.management import call_command
from drf_spectacular.generators import SchemaGenerator


def schema():
    out = io.StringIO()
    call_command("spectacular", validate=True, fail_on_warn=True, format="openapi-json", stdout=out)
    return json.loads(out.getvalue())


def test_the_schema_is_valid_and_without_a_warning():
    assert schema()["info"]["title"] == "ConCuR Workbench"


def test_every_route_of_the_api_is_described():
    from datasets_app.api.urls import urlpatterns as triples
    from eval_app.urls import api_urlpatterns as verifications

    described = set(schema()["paths"])
    for route in [*triples, *verifications]:
        path = "/api/v1/" + str(route.pattern)
        start = path.split("<")[0]
        assert any(one.startswith(start) for one in described), path


def test_reviews_name_their_filters_and_their_conflict():
    reviews = schema()["paths"]["/api/v1/reviews/"]
    assert {"sample", "reviewer", "verdict", "limit", "cursor"} <= {
        one["name"] for one in reviews["get"]["parameters"]
    }
    assert {"200", "201", "409"} <= set(reviews["post"]["responses"])


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/api/schema/", "/api/docs/"])
def test_the_description_can_be_read_by_everybody(path, reader, client):
    assert reader.get(path).status_code == 200
    assert client.get(path).status_code == 200


@pytest.mark.django_db
def test_the_document_is_made_once_whoever_asks(client, monkeypatch):
    """It takes a second, and strangers may ask for it."""
    for asked in ("/api/schema/", "/api/schema/?format=json"):
        first = client.get(asked)
        with monkeypatch.context() as patch:
            patch.setattr(SchemaGenerator, "get_schema", lambda *args, **more: pytest.fail("made again"))
            again = client.get(asked)
        assert (again.status_code, again.content) == (200, first.content)
        assert "ConCuR" in again["Content-Disposition"]


@pytest.mark.django_db
def test_no_parameter_gets_into_the_documents_headers(client):
    asked = client.get("/api/schema/", {"version": 'x"\r\nSet-Cookie: a=b'})
    assert asked.status_code == 200
    assert "Set-Cookie" not in str(asked.headers)
