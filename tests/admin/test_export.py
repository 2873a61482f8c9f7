"""Tests of the admin's exports: rows with chosen columns and format, and the file of a release's split."""

import csv
import io
import json
from dataclasses import replace

import pyarrow.parquet
import pytest
from django.urls import reverse

from datasets_app.admin import export
from datasets_app.admin.triples import SampleAdmin
from datasets_app.export import FORMATS
from datasets_app.export.finish import finish_files
from datasets_app.export.tables import TABLES
from datasets_app.models import AuditEntry, Export, Release, TableExport
from datasets_app.review import submit_review
from eval_app.request.verify import request_verification
from tests.curate.store import frozen, passed
from tests.factories import acting, make_sample, make_user

pytestmark = pytest.mark.django_db
SAMPLES = "/admin/datasets_app/sample/"
REVIEWS = "/admin/datasets_app/review/"


@pytest.fixture(autouse=True)
def export_folder(settings, tmp_path):
    settings.EXPORT_DIR = tmp_path


def act(client, *rows, path=SAMPLES, **form):
    sent = {"action": "export_rows", "_selected_action": [row.pk for row in rows], **form}
    return client.post(path, sent)


def content(answer):
    assert answer.status_code == 200, answer.content[:500]
    return b"".join(answer.streaming_content)


def test_the_action_asks_for_columns_and_format_first(administrator):
    page = act(administrator, make_sample()).content.decode()
    assert "Export 1 sample<" in page
    assert 'name="column" value="generated_code" checked' in page
    assert {f'value="{name}"' in page for name in ("csv", "jsonl", "parquet")} == {True}


def test_selected_samples_come_as_json_lines_with_the_chosen_columns(administrator):
    chosen = [make_sample(), make_sample()]
    make_sample()
    answer = act(administrator, *chosen, format="jsonl", column=["id", "generated_code"])
    rows = [json.loads(line) for line in content(answer).splitlines()]
    assert {row["generated_code"] for row in rows} == {one.body.kernel_code for one in chosen}
    assert {tuple(row) for row in rows} == {("generated_code", "id")}
    assert answer["Content-Disposition"] == 'attachment; filename="samples.jsonl"'
    detail = AuditEntry.objects.get(action="samples.export").detail
    assert detail == {"format": "jsonl", "columns": ["id", "generated_code"], "samples": 2}


def test_selected_samples_come_as_parquet_with_every_column(administrator):
    names = [column.name for column in TABLES["samples"].columns]
    answer = act(administrator, make_sample(), format="parquet", column=names)
    table = pyarrow.parquet.read_table(io.BytesIO(content(answer)))
    assert (table.num_rows, table.column_names) == (1, names)


def test_reviews_come_as_csv_in_which_no_spreadsheet_computes(administrator):
    comment = '=HYPERLINK("http://elsewhere")'
    review = submit_review(make_sample(), acting(make_user("annotator", "ben")), "accept", comment=comment)
    columns = ["reviewer", "verdict", "scores", "comment"]
    answer = act(administrator, review, path=REVIEWS, format="csv", column=columns)
    [row] = csv.DictReader(io.StringIO(content(answer).decode()))
    assert row == {"reviewer": "ben", "verdict": "accept", "scores": "", "comment": f"'{comment}"}


@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("kind", ["review", "verification", "task"])
def test_reviews_verifications_and_tasks_are_exported_with_every_column(administrator, kind, format):
    sample, people = make_sample(), acting(make_user("curator"))
    rows = {
        "review": lambda: submit_review(sample, people, "accept"),
        "verification": lambda: request_verification([sample], actor=people)[0],
        "task": lambda: sample.task,
    }
    names = [column.name for column in TABLES[f"{kind}s"].columns]
    path = f"/admin/datasets_app/{kind}/"
    answer = act(administrator, rows[kind](), path=path, format=format, column=names)
    assert content(answer)


def test_no_column_and_an_unknown_format_are_refused_with_a_sentence_and_what_was_chosen(administrator):
    sample = make_sample()
    page = act(administrator, sample, format="csv")
    assert (page.status_code, "Choose at least one column" in page.content.decode()) == (400, True)
    page = act(administrator, sample, format="xls", column=["id"])
    assert (page.status_code, "is not a format" in page.content.decode()) == (400, True)
    assert 'value="id" checked' in page.content.decode()
    assert 'value="generated_code" checked' not in page.content.decode()


@pytest.mark.parametrize("path", [SAMPLES, f"{SAMPLES}?o=1"])
def test_more_rows_than_a_request_writes_are_left_to_a_worker_whatever_the_filter(
    administrator, monkeypatch, path
):
    samples = [make_sample(), make_sample()]
    monkeypatch.setattr(SampleAdmin, "table", replace(TABLES["samples"], most_rows=1))
    assert "A worker writes this many" in act(administrator, *samples, path=path).content.decode()
    answer = act(administrator, *samples, path=path, format="csv", column=["id"])
    made = TableExport.objects.get()
    assert answer["Location"] == made.get_absolute_url()
    assert (made.state, made.total, made.columns) == ("queued", 2, ["id"])
    page = act(administrator, *samples, path=path, format="csv").content.decode()
    assert "Choose at least one column" in page


def test_the_admin_is_not_open_to_curators(curator):
    assert act(curator, make_sample(), format="csv", column=["id"]).status_code in (302, 403)


def export_address(release):
    return reverse("admin:datasets_app_release_export", args=[release.pk])


@pytest.fixture
def release():
    passed()
    return frozen("first")


def split_of(release):
    return next(name for name, count in release.split_counts.items() if count)


@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_a_release_and_a_split_are_chosen_and_the_file_comes(administrator, release, format):
    finish_files(release)
    listed = administrator.get("/admin/datasets_app/release/").content.decode()
    assert export_address(release) in listed
    split = split_of(release)
    assert f'value="{split}"' in administrator.get(export_address(release)).content.decode()
    answer = administrator.post(export_address(release), {"split": split, "format": format})
    file = Export.objects.get(release=release, format=format, split=split)
    assert len(content(answer)) == file.size_bytes
    assert answer["Content-Disposition"].startswith("attachment")


def test_a_split_of_several_files_leads_to_each(administrator, monkeypatch):
    monkeypatch.setattr(type(FORMATS["parquet"]), "rows_a_file", 2)
    for _ in range(3):
        passed()
    release = frozen("first", {"version": 1, "rules": []})
    finish_files(release)
    form = {"split": split_of(release), "format": "parquet"}
    page = administrator.post(export_address(release), form, follow=True).content.decode()
    files = Export.objects.filter(release=release, **form)
    assert len(files) == 2
    assert all(reverse("release-file", args=[release.name, file.path]) in page for file in files)


def test_a_file_that_is_not_written_yet_is_waited_for_with_its_progress(administrator, release):
    Export.objects.filter(release=release).delete()
    split = split_of(release)
    answer = administrator.post(export_address(release), {"split": split, "format": "jsonl"})
    assert answer.status_code == 302
    page = administrator.get(answer["Location"])
    assert page["Refresh"] == export.REFRESH_SECONDS
    assert "0 of 1" in page.content.decode()
    finish_files(release)
    page = administrator.get(answer["Location"])
    assert "Refresh" not in page
    file = Export.objects.get(release=release, format="jsonl", split=split)
    assert reverse("release-file", args=[release.name, file.path]) in page.content.decode()


@pytest.mark.parametrize(
    "sent", [{"split": "none", "format": "jsonl"}, {"split": "train", "format": "xls"}, {}]
)
def test_a_split_or_a_format_that_is_none_is_refused_with_a_sentence(administrator, release, sent):
    page = administrator.post(export_address(release), sent)
    assert (page.status_code, "errornote" in page.content.decode()) == (400, True)


def test_a_release_that_is_not_done_says_so_and_one_that_is_not_there_is_404(administrator):
    release = Release.objects.create(name="soon", recipe_name="concur", definition={})
    assert "soon is queued" in administrator.get(export_address(release)).content.decode()
    address = export_address(release).replace(f"/{release.pk}/", "/999999/")
    assert administrator.get(address).status_code == 404


def test_a_number_of_thousands_of_digits_is_no_release(administrator):
    assert administrator.get(f"/admin/datasets_app/release/{'9' * 5000}/export/").status_code == 404
