"""Tests that a refused row is corrected on its page, and goes in as a file of its own under the same provenance."""

import json

import pytest

from datasets_app.ingest import Provenance, limits, run_ingest
from datasets_app.models import Ingest, Sample
from tests.factories import KERNEL
from tests.ingest.conftest import concur_row, ingest_file, workbench_row, write_lines

pytestmark = pytest.mark.django_db
FAULTY = "print('<b>no</b> model')\nprint(2)\n"


def refused(tmp_path, row, **fields):
    """Ingest a row that is refused; return it as it is stored."""
    ingest = ingest_file(write_lines(tmp_path / "rows.jsonl", [row]), **fields)
    return ingest.refused_rows.get()


def page_of(row):
    return f"/ingest/{row.ingest_id}/refused/{row.pk}/"


def fields_of(client, row):
    """Return the form's fields as a browser sends them: by position, with CRLF."""
    shown = client.get(page_of(row)).context["fields"]
    return {one.name: one.text.replace("\n", "\r\n") for one in shown}, {one.key: one.name for one in shown}


def test_the_reason_is_at_its_field_and_a_field_is_as_high_as_its_text(curator, tmp_path):
    row = refused(tmp_path, workbench_row(3, kernel_code=FAULTY))
    page = curator.get(page_of(row))
    fields = {one.key: one for one in page.context["fields"]}
    faulty, name = fields["kernel_code"], fields["task_name"]
    assert (faulty.lines, name.lines) == (3, 1)
    text = page.content.decode()
    assert f'aria-describedby="{faulty.name}-fault"' in text
    assert f'id="{faulty.name}-fault">{row.reason[0].upper()}' in text
    assert f"{name.name}-fault" not in text


def test_a_corrected_row_goes_in_under_the_provenance_of_its_file(curator, tmp_path):
    where = Provenance("ours", "https://example.org/x", "MIT")
    row = refused(tmp_path, workbench_row(3, kernel_code=FAULTY), provenance=where, device="H100")
    assert page_of(row) in curator.get(row.ingest.get_absolute_url()).content.decode()
    text = curator.get(page_of(row)).content.decode()
    assert "print(&#x27;&lt;b&gt;no&lt;/b&gt; model&#x27;)\nprint(2)" in text
    assert row.reason in text
    fields, names = fields_of(curator, row)
    answer = curator.post(page_of(row), {**fields, names["kernel_code"]: KERNEL.format(number=3)})
    again = Ingest.objects.exclude(pk=row.ingest_id).get()
    assert answer.headers["Location"] == again.get_absolute_url()
    assert (again.file_name, again.claimed_device) == ("rows.line-1.jsonl", "H100")
    assert run_ingest(again.pk).new_samples == 1
    sample = Sample.objects.select_related("source", "body").get()
    assert (sample.source.name, sample.source.licence) == ("ours", "MIT")
    assert sample.body.reasoning == "Fuse them, 3."


def test_a_value_that_is_no_text_stays_what_it_is(curator, tmp_path):
    row = refused(tmp_path, concur_row(4, generated_code=FAULTY))
    fields, names = fields_of(curator, row)
    assert fields[names["speedup_over_eager"]] == "1.5"
    answer = curator.post(
        page_of(row), {**fields, names["speedup_over_eager"]: "fast", names["generated_think"]: "my words"}
    )
    text = answer.content.decode()
    assert (answer.status_code, "speedup_over_eager is not JSON" in text) == (400, True)
    assert "my words" in text
    curator.post(page_of(row), {**fields, names["generated_code"]: KERNEL.format(number=4)})
    again = Ingest.objects.exclude(pk=row.ingest_id).get()
    assert (run_ingest(again.pk).new_samples, Sample.objects.get().claimed_speedup) == (1, 1.5)


def test_a_column_that_the_row_lacks_is_asked_for(curator, tmp_path):
    lacking = {key: value for key, value in workbench_row(5).items() if key != "kernel_code"}
    row = refused(tmp_path, lacking, format_name="workbench")
    fields, names = fields_of(curator, row)
    assert fields[names["kernel_code"]] == ""
    curator.post(page_of(row), {**fields, names["kernel_code"]: KERNEL.format(number=5)})
    assert run_ingest(Ingest.objects.exclude(pk=row.ingest_id).get().pk).new_samples == 1


def test_a_line_that_is_no_json_is_corrected_as_it_was(curator, tmp_path):
    line = json.dumps(concur_row(6))
    row = refused(tmp_path, line.removesuffix("}").encode() + b"\n", format_name="concur")
    _, names = fields_of(curator, row)
    assert list(names) == ["_raw"]
    curator.post(page_of(row), {names["_raw"]: line})
    assert run_ingest(Ingest.objects.exclude(pk=row.ingest_id).get().pk).new_samples == 1


def test_a_row_that_is_not_kept_whole_is_corrected_in_the_file(curator, tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "MAX_RAW_CHARS", 300)
    row = refused(tmp_path, workbench_row(7, kernel_code=FAULTY))
    text = curator.get(page_of(row)).content.decode()
    assert "kept in part" in text
    assert "<textarea" not in text
    assert curator.post(page_of(row), {}).status_code == 400
    assert Ingest.objects.count() == 1


def test_only_curators_correct_and_a_row_of_another_ingest_is_not_found(curator, annotator, tmp_path):
    row = refused(tmp_path, workbench_row(8, kernel_code=FAULTY))
    assert annotator.get(page_of(row)).status_code == 403
    assert page_of(row) not in annotator.get(row.ingest.get_absolute_url()).content.decode()
    other = ingest_file(write_lines(tmp_path / "other.jsonl", [workbench_row(9)]))
    assert curator.get(f"/ingest/{other.pk}/refused/{row.pk}/").status_code == 404
