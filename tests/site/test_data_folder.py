"""Tests that a command says where no site is, or no tables are, and leaves nothing there."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core import management
from django.db import OperationalError

from concur_site.__main__ import main
from concur_site.data_folder import missing_site, needing_site

ROOT = Path(__file__).resolve().parent.parent.parent


def manage(folder: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    given = {k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "DJANGO_SETTINGS_MODULE")}
    return subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), *words],
        env={**given, "CONCUR_DATA_DIR": str(folder), **more},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("words", [("doctor",), ("token", "create", "admin"), ("ingest", "rows.jsonl")])
def test_a_command_without_a_site_says_so_and_creates_nothing(words, tmp_path):
    folder = tmp_path / "data"
    done = manage(folder, *words)
    assert done.returncode == 1
    assert done.stderr == (
        f"There is no site in {folder}: run `make run`, or set CONCUR_DATA_DIR to the folder of yours.\n"
    )
    assert not folder.exists()


def test_commands_that_make_a_site_or_need_none_are_not_held_back(tmp_path, monkeypatch):
    monkeypatch.setenv("CONCUR_DATA_DIR", str(tmp_path))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    assert missing_site(["verify", "--all"])
    for words in (["up"], ["prepare"], ["migrate"], ["restore", "x"], ["variables"], ["token", "--help"], []):
        assert missing_site(words) == ""
    assert {"token", "doctor", "backup", "ingest", "verify", "host"} <= needing_site()


def test_a_database_elsewhere_is_asked_itself(tmp_path, monkeypatch):
    monkeypatch.setenv("CONCUR_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("DATABASE_URL", "postgresql://user:password@host/name")
    assert missing_site(["token", "create", "admin"]) == ""


@pytest.mark.parametrize(
    "words",
    [
        ("leaderboard",),
        ("createsuperuser", "--noinput"),
        pytest.param(("token", "create", "admin"), marks=pytest.mark.long),
        pytest.param(("backup", "backups"), marks=pytest.mark.long),
    ],
)
def test_a_database_without_tables_is_said_in_a_sentence_with_what_to_do(words, tmp_path):
    address = f"sqlite:///{tmp_path / 'empty.sqlite3'}"
    done = manage(
        tmp_path,
        *words,
        DATABASE_URL=address,
        DJANGO_SUPERUSER_USERNAME="ada",
        DJANGO_SUPERUSER_EMAIL="a@b.org",
    )
    assert done.returncode == 1
    assert done.stderr.endswith(
        "The database has no tables yet: run `manage.py prepare`, which makes them, or `make run`.\n"
    )
    assert "Traceback" not in done.stderr


def test_a_database_that_does_not_answer_is_said_in_a_sentence_without_its_password(tmp_path):
    done = manage(tmp_path, "leaderboard", DATABASE_URL="postgresql://ada:secret@127.0.0.1:9/concur")
    assert done.returncode == 1
    assert done.stderr.startswith("The database does not answer: ")
    assert done.stderr.endswith(". Start it, or correct DATABASE_URL.\n")
    assert "secret" not in done.stderr


def test_a_setting_that_is_wrong_is_a_sentence_and_no_traceback(tmp_path):
    done = manage(tmp_path, "variables", REDIS_URL="redis+socket:///redis.sock")
    assert done.returncode == 1
    assert done.stderr == "REDIS_URL does not begin with one of: redis://, rediss://, unix://\n"


@pytest.mark.django_db
def test_an_error_of_a_database_with_all_its_tables_is_not_explained_away(monkeypatch):
    def fail(_):
        raise OperationalError("the disk is full")

    monkeypatch.setattr(sys, "argv", ["manage.py", "variables"])
    monkeypatch.setattr(management, "execute_from_command_line", fail)
    with pytest.raises(OperationalError, match="the disk is full"):
        main()
