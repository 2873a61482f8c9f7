"""The export actions write through the same code as releases do."""

import io
import json

import pyarrow.parquet
import pytest
from django.urls import reverse

from datasets_app.admin import export
from datasets_app.models import AuditEntry, Release
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
    assert "at most 1 are written at once" in answer.content.decode()


def test_a_release_that_is_not_done_is_refused_with_a_sentence(administrator):
    release = Release.objects.create(name="soon", recipe_name="concur", definition={})
    path = reverse("admin:datasets_app_release_changelist")
    answer = act(administrator, "export_jsonl", release, path=path)
    assert "Release soon is queued" in answer.content.decode()
