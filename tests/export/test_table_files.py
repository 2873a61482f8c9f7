"""Tests of tables as files: what curators reach, chosen rows, progress, a lost worker, who may see a file."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from datasets_app.accounts.actor import COMMAND
from datasets_app.export import table_files
from datasets_app.export.tables import TABLES, WRITABLE, TableError
from datasets_app.ingest import withdraw_sample
from datasets_app.jobs import job_row
from datasets_app.models import AuditEntry, Honeypot, Sample, TableExport
from datasets_app.review import submit_review
from tests.conftest import signed_in
from tests.factories import acting, make_sample, make_user
from tests.verifications import verified

pytestmark = pytest.mark.django_db


def ask(client, table, **form):
    columns = [column.name for column in TABLES[table].columns]
    return client.post("/exports/", {"table": table, "format": "jsonl", "column": columns, **form})


def rows_of(client, export):
    answer = client.get(f"{export.get_absolute_url()}file/")
    return [json.loads(line) for line in b"".join(answer.streaming_content).splitlines()]


@pytest.mark.parametrize("table", TABLES)
def test_a_curator_exports_a_whole_table_and_waits_for_it_with_progress(curator, table):
    sample, gone = make_sample(), make_sample()
    verified(sample, "passed")
    for one in (sample, gone):
        submit_review(one, acting(make_user("annotator")), "accept")
    withdraw_sample(gone, COMMAND, "copied")
    answer = ask(curator, table)
    export = TableExport.objects.get()
    assert answer["Location"] == export.get_absolute_url()
    page = curator.get(export.get_absolute_url()).content.decode()
    assert "waiting for a worker" in page
    assert f"<h1>{table.capitalize()} as {WRITABLE[export.format].title}</h1>" in page
    assert curator.get(f"{export.get_absolute_url()}file/").status_code == 404
    table_files.run_table_export(export.pk)
    export.refresh_from_db()
    rows = rows_of(curator, export)
    expected = {str(pk) for pk in TABLES[table].rows().values_list("pk", flat=True)}
    assert {str(row["id"]) for row in rows} == expected
    assert len(expected) == {"samples": 1, "reviews": 2, "verifications": 1, "tasks": 2}[table]
    assert (export.state, export.done, export.total) == ("done", len(rows), len(rows))
    assert export.sha256 in curator.get(export.get_absolute_url()).content.decode()
    assert AuditEntry.objects.get(action=f"{table}.export").detail[table] == "all"


@pytest.mark.parametrize("table", ["samples", "reviews", "verifications"])
def test_a_whole_table_has_nothing_of_honeypots_and_chosen_rows_are_written_as_chosen(curator, table):
    sample, honeypot = make_sample(), make_sample()
    Honeypot.objects.create(sample=honeypot, answer="cheat", family="copies", explanation="copies")
    for one in (sample, honeypot):
        verified(one, "passed")
        submit_review(one, acting(make_user("annotator")), "accept")
    assert "Honeypots are left out" in curator.get("/exports/", {"table": table}).content.decode()
    ask(curator, table)
    export = TableExport.objects.get()
    table_files.run_table_export(export.pk)
    of_sample = "id" if table == "samples" else "sample"
    assert [row[of_sample] for row in rows_of(curator, export)] == [str(sample.pk)]
    every_row = TABLES[table].model.objects.all()
    chosen = table_files.request_table(table, [of_sample], "jsonl", every_row, COMMAND)
    table_files.run_table_export(chosen.pk)
    assert chosen.total == 2


def test_chosen_rows_are_those_of_the_moment_of_asking(curator, monkeypatch):
    monkeypatch.setattr(table_files, "CHUNK_ROWS", 2)
    chosen = [make_sample() for _ in range(5)]
    export = table_files.request_table("samples", ["id"], "jsonl", Sample.objects.all(), COMMAND)
    make_sample()
    table_files.run_table_export(export.pk)
    export.refresh_from_db()
    assert export.total == 5
    assert [row["id"] for row in rows_of(signed_in("administrator"), export)] == sorted(
        str(one.pk) for one in chosen
    )
    assert not table_files.ids_of(export).exists()


def test_a_worker_that_dies_leaves_no_half_file_and_the_next_one_writes_it(monkeypatch):
    make_sample()
    export = table_files.request_table("samples", ["id"], "csv", None, COMMAND)
    read = TABLES["samples"].read

    def die(rows, columns):
        yield from read(rows, columns)
        raise KeyboardInterrupt

    monkeypatch.setitem(TABLES, "samples", replace(TABLES["samples"], read=die))
    with pytest.raises(KeyboardInterrupt):
        table_files.run_table_export(export.pk)
    assert not table_files.file_of(export).exists()
    monkeypatch.undo()
    TableExport.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert job_row.requeue_expired(TableExport) == [export]
    table_files.run_table_export(export.pk)
    assert table_files.file_of(export).read_text().count("\n") == 2


def test_a_file_is_its_curator_s_and_administrators_and_nobody_else_s(curator, administrator, reader):
    make_sample()
    ask(curator, "tasks")
    address = TableExport.objects.get().get_absolute_url()
    statuses = [client.get(address).status_code for client in (curator, administrator, signed_in("curator"))]
    assert statuses == [200, 200, 404]
    assert reader.get("/exports/").status_code == reader.get(address).status_code == 403
    assert ask(reader, "tasks").status_code == 403


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"column": []}, "Choose at least one column"),
        ({"format": "xls"}, "is not a format"),
        ({"column": ["password"]}, "There is no column"),
    ],
)
def test_what_cannot_be_exported_is_refused_in_a_sentence(curator, form, sentence):
    answer = ask(curator, "reviews", **form)
    assert (answer.status_code, sentence in answer.content.decode()) == (400, True)
    assert not TableExport.objects.exists()


def test_an_unknown_table_is_refused():
    with pytest.raises(TableError, match="is not a table"):
        table_files.request_table("users", ["id"], "csv", None, COMMAND)


def test_files_are_kept_for_a_week(curator, monkeypatch):
    make_sample()
    ask(curator, "tasks")
    export = TableExport.objects.get()
    table_files.run_table_export(export.pk)
    monkeypatch.setattr(table_files, "KEPT_SECONDS", -1)
    table_files.forget_old_files()
    assert "kept for a week" in curator.get(export.get_absolute_url()).content.decode()
    assert curator.get(f"{export.get_absolute_url()}file/").status_code == 404
