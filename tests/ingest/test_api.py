import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from datasets_app.ingest import run_ingest
from datasets_app.models import ApiToken, Ingest
from tests.factories import make_user
from tests.ingest.conftest import concur_row, ingest_file, write_lines

pytestmark = pytest.mark.django_db


def client_with(role: str, *scopes: str) -> Client:
    _, text = ApiToken.issue(make_user(role), list(scopes))
    return Client(headers={"Authorization": f"Bearer {text}"})


def upload(*rows) -> SimpleUploadedFile:
    return SimpleUploadedFile("rows.jsonl", b"".join(json.dumps(row).encode() + b"\n" for row in rows))


def test_a_file_is_taken_and_read_in_the_background():
    client = client_with("curator", "read", "curate")
    answer = client.post(
        "/api/v1/ingests/", {"file": upload(concur_row(1)), "source": "ours", "licence": "MIT"}
    )
    assert answer.status_code == 202
    body = answer.json()
    assert (body["state"], body["source"], body["licence"], body["format"]) == (
        "queued",
        "ours",
        "MIT",
        "",
    ), "the request does not look at the file"
    run_ingest(body["id"])
    done = client.get(answer.headers["Location"]).json()
    assert (done["state"], done["progress"], done["rows"], done["tasks"], done["samples"]) == (
        "done",
        1.0,
        1,
        1,
        1,
    )
    assert (done["format"], done["refused_file"]) == ("concur", None)


def test_giving_a_file_needs_the_scope_curate():
    assert (
        client_with("curator", "read").post("/api/v1/ingests/", {"file": upload(concur_row(1))}).status_code
        == 403
    )
    assert (
        client_with("reader", "read", "curate").post("/api/v1/ingests/", {"file": upload(1)}).status_code
        == 403
    )
    assert Client().get("/api/v1/ingests/").status_code == 401


def test_bad_requests_say_which_field():
    client = client_with("curator", "curate")
    assert "file" in client.post("/api/v1/ingests/", {}).json()["errors"]
    answer = client.post(
        "/api/v1/ingests/", {"file": upload(concur_row(1)), "format": "nope", "mapping": "["}
    )
    assert set(answer.json()["errors"]) == {"format", "mapping"}
    assert not Ingest.objects.exists()


@pytest.mark.parametrize("column", ["a\x00b", "\ud800"])
def test_a_mapping_that_cannot_be_stored_is_refused(column):
    fields = {"file": upload(concur_row(1)), "mapping": json.dumps({"pytorch_code": column})}
    answer = client_with("curator", "read", "curate").post("/api/v1/ingests/", fields)
    assert (answer.status_code, set(answer.json()["errors"])) == (400, {"mapping"})


def test_a_mapping_is_given_as_json():
    client = client_with("curator", "curate")
    fields = {"format": "generic", "mapping": json.dumps({"pytorch_code": "ref"})}
    answer = client.post(
        "/api/v1/ingests/", {"file": upload({"ref": concur_row(1)["pytorch_code"]}), **fields}
    )
    assert run_ingest(answer.json()["id"]).new_tasks == 1


def test_the_list_is_by_cursor_and_the_refused_rows_can_be_had(tmp_path, django_assert_num_queries):
    for number in range(3):
        ingest = ingest_file(write_lines(tmp_path / f"{number}.jsonl", [concur_row(number), b"broken\n"]))
    client = client_with("reader", "read")
    client.get("/api/v1/ingests/")
    with django_assert_num_queries(3):
        page = client.get("/api/v1/ingests/?limit=2").json()
    assert set(page) == {"next", "previous", "results"}
    assert page["results"][0]["id"] == str(ingest.pk)
    lines = b"".join(client.get(page["results"][0]["refused_file"]).streaming_content).splitlines()
    assert json.loads(lines[0])["_raw"] == "broken"
