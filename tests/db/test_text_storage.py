"""Tests of the form in which PostgreSQL stores long texts."""

import pytest
from django.db import connection

from datasets_app.db import text_storage
from datasets_app.db.triggers import after_migrate
from tests.factories import make_sample, make_task

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite stores texts as they are"),
]


def texts():
    return [(table, column) for table, columns in text_storage.TEXTS.items() for column in columns]


def test_texts_are_not_compressed_in_the_way_that_takes_long():
    task = make_task("class Model: pass\n" * 2000)
    make_sample(task, reasoning="a thread per row " * 1000, kernel="class ModelNew: pass\n" * 500)
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT pg_column_compression(pytorch_code) FROM datasets_app_taskbody
               UNION SELECT pg_column_compression(reasoning) FROM datasets_app_samplebody
               UNION SELECT pg_column_compression(kernel_code) FROM datasets_app_samplebody"""
        )
        assert {form for (form,) in cursor.fetchall()} <= {"lz4", None}


def test_migrating_leaves_texts_uncompressed_where_the_server_has_no_lz4(monkeypatch):
    monkeypatch.setattr(text_storage, "has_lz4", lambda connection: False)
    after_migrate("default")
    present = text_storage.forms(connection)
    assert {present[text] for text in texts()} == {("e", "")}


def test_texts_that_have_their_form_are_left_alone(monkeypatch):
    """A table whose rows wait for their foreign keys' check cannot be altered."""
    monkeypatch.setattr(text_storage, "has_lz4", lambda connection: False)
    after_migrate("default")
    make_sample()
    after_migrate("default")
    assert text_storage.statements(connection) == []


def test_a_server_that_has_lz4_is_asked_for_it_in_every_text(monkeypatch):
    monkeypatch.setattr(text_storage, "has_lz4", lambda connection: True)
    asked = " ".join(text_storage.statements(connection))
    assert all(f"ALTER {column} SET COMPRESSION lz4" in asked for _, column in texts())
