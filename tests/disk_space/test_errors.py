"""Tests of full-disk detection: by the codes of the system and the databases, never by an error's text."""

import errno
import os
import sqlite3

import psycopg
import pytest
from django.db import OperationalError, connection

from datasets_app import disk_space
from datasets_app.disk_space import errors


def sqlite_error(code: int) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("some text")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_the_systems_errors(number):
    assert disk_space.is_out_of_space(OSError(number, os.strerror(number)))


@pytest.mark.parametrize("number", [errno.EACCES, errno.ENOENT, errno.EIO])
def test_other_errors_of_the_system_are_not(number):
    assert not disk_space.is_out_of_space(OSError(number, "No space left on device"))


def test_sqlites_own_error_when_its_file_may_not_grow(tmp_path):
    database = sqlite3.connect(tmp_path / "small.sqlite3")
    database.execute("CREATE TABLE t (x)")
    database.execute("PRAGMA max_page_count=4")
    with pytest.raises(sqlite3.OperationalError) as raised:
        database.execute("INSERT INTO t VALUES (randomblob(100000))")
    assert disk_space.is_out_of_space(raised.value)


@pytest.mark.parametrize("code", [sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE, 14])
def test_a_write_error_of_sqlite_counts_while_the_disk_is_full(monkeypatch, code):
    monkeypatch.setattr(errors, "is_full", lambda: True)
    assert disk_space.is_out_of_space(sqlite_error(code))
    monkeypatch.setattr(errors, "is_full", lambda: False)
    assert not disk_space.is_out_of_space(sqlite_error(code))


@pytest.mark.parametrize("code", [sqlite3.SQLITE_BUSY, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CONSTRAINT])
def test_a_locked_or_read_only_database_does_not(monkeypatch, code):
    monkeypatch.setattr(errors, "is_full", lambda: True)
    assert not disk_space.is_out_of_space(sqlite_error(code))


def test_postgresqls_error():
    assert disk_space.is_out_of_space(psycopg.errors.DiskFull("could not extend file"))
    assert "database server" in disk_space.sentence(psycopg.errors.DiskFull())
    assert not disk_space.is_out_of_space(psycopg.errors.UniqueViolation())


def test_it_is_seen_through_what_was_raised_from_it():
    error = OperationalError("database or disk is full")
    error.__cause__ = sqlite_error(sqlite3.SQLITE_FULL)
    assert disk_space.is_out_of_space(error)
    assert not disk_space.is_out_of_space(OperationalError("database or disk is full"))
    assert not disk_space.is_out_of_space(None)


def test_the_sentence_says_which_disk_what_was_kept_and_what_to_do(settings):
    sentence = disk_space.sentence()
    assert "is full (" in sentence
    assert "Everything that was stored before is kept." in sentence
    assert "Free some space on that disk and try again: the site needs no restart." in sentence


def test_a_report_waits_for_room_and_is_stored_once(monkeypatch):
    monkeypatch.setattr("datasets_app.disk_space.refusals.LOOK_AGAIN_SECONDS", 0)
    tries = []

    def store():
        tries.append(1)
        if len(tries) < 3:
            raise OSError(errno.ENOSPC, "full")

    disk_space.when_there_is_room(store)
    assert len(tries) == 3


def test_any_other_fault_is_raised_at_once():
    def break_down():
        raise ValueError("ours")

    with pytest.raises(ValueError, match="ours"):
        disk_space.when_there_is_room(break_down)


@pytest.mark.django_db
@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="only PostgreSQL says so by itself")
def test_what_postgresql_raises_arrives_as_a_full_disk_through_django():
    with pytest.raises(OperationalError) as raised, connection.cursor() as cursor:
        cursor.execute("DO $$ BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = '53100'; END $$")
    assert disk_space.is_out_of_space(raised.value)
