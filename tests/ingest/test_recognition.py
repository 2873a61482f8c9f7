"""Tests that the upload request does not parse a file; a child process with limits does so later."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from datasets_app.models import Ingest
from tests.bounded import spinning
from tests.ingest.conftest import ingest_file, workbench_row, write_lines

pytestmark = pytest.mark.django_db


def test_an_upload_is_stored_without_a_look_into_it(curator, monkeypatch):
    def refused(*_):
        raise AssertionError("the request looks into the file")

    monkeypatch.setattr("datasets_app.ingest.peek.call", refused)
    monkeypatch.setattr("datasets_app.ingest.source_file.SourceFile.peek", refused)
    file = SimpleUploadedFile("rows.jsonl", json.dumps(workbench_row(1)).encode())
    assert curator.post("/ingest/", {"files": [file]}).status_code == 302
    ingest = Ingest.objects.get()
    assert (ingest.state, ingest.format) == ("queued", "")


def test_a_look_beyond_its_seconds_fails_the_ingest_with_the_reason(tmp_path, settings, monkeypatch):
    monkeypatch.setattr("datasets_app.ingest.peek.peek_in_child", spinning.never_done)
    settings.LOOK_SECONDS = 0.1
    ingest = ingest_file(write_lines(tmp_path / "rows.jsonl", [workbench_row(1)]))
    assert ingest.state == "failed"
    assert ingest.error == "The first rows of the file could not be read: it took longer than 0.1 s."


def test_a_look_beyond_its_memory_fails_the_ingest_with_the_reason(tmp_path, settings):
    settings.LOOK_MEMORY_BYTES = 4 * 2**20
    ingest = ingest_file(write_lines(tmp_path / "rows.jsonl", [workbench_row(1, reasoning="x" * 12_000_000)]))
    assert ingest.state == "failed"
    assert ingest.error == "The first rows of the file could not be read: it needed more than 4 MB of memory."
