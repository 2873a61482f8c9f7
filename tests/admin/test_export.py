"""Tests that the admin's export actions use the same code as releases."""

import io
import json

import pyarrow.parquet
import pytest
from django.urls import reverse
from django.utils import timezone

from datasets_app.admin import export
from datasets_app.models import AuditEntry, Release, ReleaseRow
from tests.factories import make_sample

pytestmark = pytest.mark.django_db
SAMPLES = "/admin/datasets_app/sample/"


def act(client, action, *rows, path=SAMPLES):
    return client.post(path, {"action": action, "_selected_action": [row.pk for row in rows]}, follow=True)


def test_chosen_samples_come_as_json_lines(administrator):
    chosen = [make_sample(), make_sample()]
    make_sample()
    answer = act(administrator, "export_jsonl", *chosen)
    rows = [json.loads(line) for line in b"".join(answer.streaming_content).splitlines()]
    assert {row["generated_code"] for row in rows} == {one.body.kernel_code for one in chosen}
    assert answer["Content-Disposition"] == 'attachment; filename="samples.jsonl"'
    assert AuditEntry.objects.get(action="samples.export").detail == {"format": "jsonl", "samples": 2}


def test_chosen_samples_come_as_parquet(administrator):
    answer = act(administrator, "export_parquet", make_sample())
    assert pyarrow.parquet.read_table(io.BytesIO(b"".join(answer.streaming_content))).num_rows == 1


def test_more_samples_than_a_request_should_write_are_refused_with_a_sentence(administrator, monkeypatch):
    monkeypatch.setattr(export, "MOST_SAMPLES", 1)
    answer = act(administrator, "export_jsonl", make_sample(), make_sample())
    assert "at most 1 can be exported here" in answer.content.decode()


def test_a_release_that_is_not_done_is_refused_with_a_sentence(administrator):
    release = Release.objects.create(name="soon", recipe_name="concur", definition={})
    path = reverse("admin:datasets_app_release_changelist")
    answer = act(administrator, "export_jsonl", release, path=path)
    assert "Release soon is queued" in answer.content.decode()


def test_the_files_of_a_finished_release_are_asked_for(administrator):
    release = make_release()
    path = reverse("admin:datasets_app_release_changelist")
    answer = act(administrator, "export_jsonl", release, path=path)
    assert [(file.format, file.split, file.state) for file in release.exports.all()] == [
        ("jsonl", "train", "queued")
    ]
    assert "Release first: 1 jsonl files, 0 written already" in answer.content.decode()
    assert AuditEntry.objects.get(action="release.export").actor_name.startswith("administrator")


def make_release():
    release = Release.objects.create(name="first", recipe_name="concur", definition={})
    ReleaseRow.objects.create(release=release, position=0, sample=make_sample(), split="train", snapshot={})
    counts = {"split_counts": {"train": 1}, "row_count": 1, "content_sha256": "0" * 64}
    Release.objects.filter(pk=release.pk).update(state="done", finished_at=timezone.now(), **counts)
    release.refresh_from_db()
    return release
