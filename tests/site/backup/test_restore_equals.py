"""Tests that a restored site is the one that was backed up: rows, files and counts; on and between databases."""

import hashlib
from pathlib import Path

import pytest
from django.conf import global_settings
from django.db import connection
from django.test import Client

from concur_site.backup.restore import restore
from concur_site.backup.tables import DERIVED
from concur_site.backup.take import take_backup
from datasets_app.export.store import ALIAS
from datasets_app.models import Export, Ingest, Review, Sample, Task
from tests.factories import make_sample
from tests.faults.hand import counts
from tests.site.backup.backups_by_hand import contents, manifest, rows
from tests.site.backup.demo_site import BACKUPS

pytestmark = pytest.mark.django_db(transaction=True)
INGESTS = "datasets_app_ingest"


def quiet(_: str) -> None:
    pass


@pytest.fixture(scope="module", params=sorted(BACKUPS.glob("*.zip")), ids=lambda path: path.stem)
def source(request) -> Path:
    return request.param


def test_a_restored_site_is_its_source(source, data_folder, tmp_path, settings):
    settings.PASSWORD_HASHERS = global_settings.PASSWORD_HASHERS
    restored = restore(source, quiet, replace=True)
    again = take_backup(tmp_path / "again.zip", quiet, with_secret_key=False)
    first, second = manifest(source), manifest(again.path)
    assert {name: table["rows"] for name, table in first["tables"].items()} == {
        name: table["rows"] for name, table in second["tables"].items()
    }
    assert restored.rows == again.rows > 800
    for table in first["tables"]:
        without = "path" if table == INGESTS else ""  # leads into the data folder
        assert rows(source, table, without=without) == rows(again.path, table, without=without), table
    files = {name: sha for name, sha in first["members"].items() if name.startswith("files/")}
    assert len(files) > 5
    assert files == {name: sha for name, sha in second["members"].items() if name.startswith("files/")}
    check_by_the_models(data_folder)


def check_by_the_models(data_folder: Path) -> None:
    """Check through the ORM and the pages, which know nothing of backups."""
    upload = Ingest.objects.get(file_name="rows.jsonl")
    assert Path(upload.path).is_relative_to(data_folder)
    assert hashlib.sha256(Path(upload.path).read_bytes()).hexdigest() == upload.sha256
    for file in Export.objects.exclude(format="zip").select_related("release"):
        path = data_folder / "exports" / file.release.name / file.path
        assert hashlib.sha256(path.read_bytes()).hexdigest() == file.sha256
    assert Review.objects.filter(comment="kept: \\N, a tab\tand\na line, ünïcode").count() == 3
    assert counts() == [], "facets count what is there"
    make_sample(Task.objects.first())
    assert counts() == [], "triggers are back, and no number is given twice"
    assert Client().login(username="ada", password="ada")
    found = Sample.objects.filter(task__name__startswith="relu_plus").count()
    assert found >= 2


def test_a_backup_leaves_no_table_and_no_column_out_but_those_that_the_database_computes(backup_path):
    tables = manifest(backup_path)["tables"]
    tables["datasets_app_sample"]["columns"].append("claim_ratio")
    with connection.cursor() as cursor:
        there = {
            name: {column.name for column in connection.introspection.get_table_description(cursor, name)}
            for name in connection.introspection.table_names(cursor)
            if not name.startswith((DERIVED, "sqlite_")) and name != "django_migrations"
        }
    assert there == {name: set(table["columns"]) for name, table in tables.items()}


def test_the_secret_key_travels_with_the_site_or_is_asked_for(data_folder, tmp_path, settings):
    (data_folder / "secret-key").write_text(settings.SECRET_KEY)
    with_key = take_backup(tmp_path / "with.zip", quiet)
    assert contents(with_key.path)["files/secret-key"].decode() == settings.SECRET_KEY
    assert settings.SECRET_KEY not in contents(with_key.path)["manifest.json"].decode()
    without = take_backup(tmp_path / "without.zip", quiet, with_secret_key=False)
    (data_folder / "secret-key").write_text("another")
    [note] = restore(without.path, quiet, replace=True).notes
    assert "CONCUR_SECRET_KEY" in note
    assert restore(with_key.path, quiet, replace=True).notes == []
    assert (data_folder / "secret-key").read_text() == settings.SECRET_KEY


def test_a_backup_says_that_it_leaves_out_what_is_in_a_bucket(tmp_path, settings):
    said = []
    plain = take_backup(tmp_path / "plain.zip", said.append)
    settings.STORAGES = settings.STORAGES | {ALIAS: {}}
    taken = take_backup(tmp_path / "bucket.zip", said.append)
    assert "bucket" not in manifest(plain.path)["left_out"]
    assert "its own means" in manifest(taken.path)["left_out"]["bucket"]
    assert sum("bucket" in line for line in said) == 1
