"""Tests of all rows of a filter as a stream, and of lists with the fields that are wanted."""

import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.db import DatabaseError, connection
from django.test.utils import CaptureQueriesContext

from datasets_app.api import sample_stream
from datasets_app.export.formats import table
from datasets_app.export.tables import SAMPLES
from datasets_app.export.types import schema
from datasets_app.review import submit_review
from tests.api.clients import api
from tests.factories import acting, make_sample, make_user

pytestmark = pytest.mark.django_db
URL = "/api/v1/samples/"
NDJSON = {"HTTP_ACCEPT": "application/x-ndjson"}


def streamed(client, **parameters):
    answer = client.get(URL, parameters, **NDJSON)
    assert answer.status_code == 200, answer.content
    assert answer["Content-Type"] == "application/x-ndjson"
    rows = [json.loads(line) for line in b"".join(answer.streaming_content).splitlines()]
    assert len(rows) == int(answer["X-Total-Count"])
    return rows


def test_all_rows_of_a_filter_come_once_with_their_texts_over_many_chunks(monkeypatch):
    monkeypatch.setattr(sample_stream, "CHUNK_ROWS", 3)
    wanted = {str(make_sample(generator="a").pk) for _ in range(12)}
    make_sample(generator="b")
    rows = streamed(api(), generator="a")
    assert [row["id"] for row in rows] == list(dict.fromkeys(row["id"] for row in rows))
    assert {row["id"] for row in rows} == wanted
    assert all(row["generated_code"] and row["pytorch_code"] for row in rows)


def test_the_first_rows_come_before_the_others_are_read(monkeypatch):
    for _ in range(9):
        make_sample()
    answer = api().get(URL, **NDJSON)
    with CaptureQueriesContext(
        connection,
    ) as first:
        assert next(iter(answer.streaming_content)).count(b"\n") == sample_stream.FIRST_ROWS
    assert len(first) <= 15  # of one chunk, however many there are
    texts = [query["sql"] for query in first if "reasoning" in query["sql"]]
    assert texts, "a query reads the texts"
    assert not any("concur_sample_number" in sql for sql in texts), (
        "PostgreSQL would read the store per chunk"
    )


def test_only_the_named_fields_are_streamed():
    sample = make_sample()
    assert streamed(api(), fields="id,language") == [{"id": str(sample.pk), "language": sample.language}]


def test_a_verdict_that_is_hidden_in_blind_review_is_not_streamed(settings):
    settings.REVIEW_BLIND = True
    sample = make_sample()
    submit_review(sample, acting(make_user("annotator")), "accept")
    assert [row["verdict"] for row in streamed(api(), fields="verdict")] == [None]


def test_more_rows_than_a_request_may_stream_are_refused_with_the_way_to_have_them(monkeypatch):
    monkeypatch.setattr(sample_stream, "MOST_ROWS", 1)
    make_sample(), make_sample()
    answer = api().get(URL, **NDJSON)
    assert (answer.status_code, "bulk-actions/" in answer.json()["detail"]) == (400, True)


def parquet(client, **parameters) -> bytes:
    answer = client.get(URL, {**parameters, "format": "parquet"})
    assert answer.status_code == 200, answer.content
    assert answer["Content-Type"] == "application/vnd.apache.parquet"
    return b"".join(answer.streaming_content)


def test_parquet_has_the_rows_and_the_types_of_exported_files(monkeypatch, tmp_path):
    monkeypatch.setattr(sample_stream, "CHUNK_ROWS", 2)
    for number in range(9):
        make_sample(reasoning=f"{number} “α” \U0001f600", generator="" if number % 2 else "a")
    found = pq.read_table(io.BytesIO(parquet(api())))
    assert found.to_pylist() == streamed(api())
    assert found.schema.equals(schema(SAMPLES.columns))


def test_parquet_of_nothing_and_of_named_fields_can_be_read():
    assert pq.read_table(io.BytesIO(parquet(api()))).num_rows == 0
    sample = make_sample()
    found = pq.read_table(io.BytesIO(parquet(api(), fields="language,id")))
    assert found.to_pylist() == [{"id": str(sample.pk), "language": sample.language}]


def test_parquet_begins_before_rows_are_read_and_holds_no_more_than_a_group(monkeypatch):
    monkeypatch.setattr(sample_stream, "CHUNK_ROWS", 1)
    monkeypatch.setattr(table, "GROUP_ROWS", 3)
    for _ in range(20):
        make_sample()
    parts = iter(api().get(URL, {"format": "parquet"}).streaming_content)
    with CaptureQueriesContext(connection) as first:
        assert next(parts) == b"PAR1"
    assert not first
    assert len(list(parts)) >= 5


def test_a_fault_in_the_middle_leaves_a_file_that_no_reader_takes_for_complete(monkeypatch):
    make_sample()

    def broken(*_):
        raise DatabaseError("the connection is gone")

    answer = api().get(URL, {"format": "parquet"})
    monkeypatch.setattr(sample_stream, "few_numbered", broken)
    sent: list[bytes] = []
    with pytest.raises(DatabaseError):
        sent.extend(answer.streaming_content)
    assert sent
    with pytest.raises(pa.ArrowInvalid):
        pq.read_table(io.BytesIO(b"".join(sent)))


def test_a_wrong_filter_is_refused_as_it_is_for_a_page():
    answer = api().get(URL, {"outcome": "great"}, **NDJSON)
    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["outcome"])


@pytest.mark.parametrize(("path", "fields"), [(URL, "id,language"), ("/api/v1/tasks/", "id,name")])
def test_a_list_has_only_the_fields_that_are_named(path, fields):
    make_sample()
    page = api().get(path, {"fields": fields}).json()
    assert [list(row) for row in page["results"]] == [fields.split(",")]
    assert set(page) == {"next", "previous", "results"}


@pytest.mark.parametrize("path", [URL, "/api/v1/tasks/"])
@pytest.mark.parametrize(("fields", "says"), [("id,colour,shape", "colour, shape"), ("", "at least one")])
def test_fields_that_are_not_there_are_refused_by_name(path, fields, says):
    answer = api().get(path, {"fields": fields})
    assert (answer.status_code, says in answer.json()["errors"]["fields"][0]) == (400, True)


def test_a_page_that_follows_keeps_the_fields():
    for _ in range(3):
        make_sample()
    client = api()
    first = client.get(URL, {"fields": "id", "limit": 2}).json()
    assert [list(row) for row in client.get(first["next"]).json()["results"]] == [["id"]]
