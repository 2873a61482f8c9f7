"""Tests that answers of the API are sent once and compressed, and that files, streams and pages are left alone."""

import gzip
import json

import pytest

from datasets_app.models import Tag
from tests.api.clients import api
from tests.factories import make_sample

pytestmark = pytest.mark.django_db
LIST = "/api/v1/samples/"


@pytest.fixture
def program():
    make_sample(kernel="k = 1  # " + "many alike words " * 50)
    return api()


def test_what_has_not_changed_is_not_sent_again(program):
    first = program.get(LIST)
    assert first.status_code == 200
    again = program.get(LIST, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again["Cache-Control"] == "private, no-cache"


def test_what_has_changed_is_sent_again(program):
    first = program.get(LIST)
    make_sample()
    again = program.get(LIST, headers={"If-None-Match": first["ETag"]})
    assert again.status_code == 200
    assert again["ETag"] != first["ETag"]


def test_a_client_that_takes_gzip_gets_it_and_is_told_what_depends_on_it(program):
    plain = program.get(LIST)
    packed = program.get(LIST, headers={"Accept-Encoding": "gzip"})
    assert packed["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in packed["Vary"]
    assert len(packed.content) < len(plain.content)
    assert json.loads(gzip.decompress(packed.content)) == plain.json()
    again = program.get(LIST, headers={"Accept-Encoding": "gzip", "If-None-Match": packed["ETag"]})
    assert again.status_code == 304


def test_a_browser_keeps_nothing(reader):
    assert reader.get(LIST)["Cache-Control"] == "private, no-store"


def test_what_is_written_is_always_done(program, curator):
    for _ in range(2):
        answer = curator.post("/api/v1/tags/", {"name": "one"}, content_type="application/json")
        assert answer.status_code in (201, 400, 409)
        assert "ETag" not in answer
    assert Tag.objects.filter(name="one").count() == 1


def test_streams_and_pages_are_left_alone(program, reader):
    stream = program.get(LIST, headers={"Accept": "application/x-ndjson", "Accept-Encoding": "gzip"})
    assert stream.streaming
    assert "Content-Encoding" not in stream
    assert "Content-Encoding" not in reader.get("/browse/", headers={"Accept-Encoding": "gzip"})
