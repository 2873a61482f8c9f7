"""Tests the upgrade of earlier versions' demo sites: their backups, restored by this version into an empty folder."""

import os
import sqlite3
import subprocess
import sys

import pytest

from datasets_app.curate.versions import site_version
from tests.live import ROOT
from tests.site.backup.backups_by_hand import altered, change_manifest, manifest
from tests.site.backup.demo_site import BACKUPS

pytestmark = pytest.mark.any_database
EARLIER, NEWEST = sorted(BACKUPS.glob("older/*-sqlite.zip")), sorted(BACKUPS.glob("*-sqlite.zip"))
# The oldest site goes through every migration that those after it go through: they are left to `make test-all`.
RELEASES = [
    *EARLIER[:1],
    *NEWEST,
    *(pytest.param(path, marks=pytest.mark.long) for path in EARLIER[1:]),
]


def manage(folder, *arguments):
    environment = {
        name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")
    }
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env={**environment, "CONCUR_DATA_DIR": str(folder)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def before_the_last_of_auth(about):
    """Make the backup one of a version that lacked the newest migration of django.contrib.auth."""
    about["migrations"]["auth"].remove("0012_alter_user_first_name_max_length")


def test_there_is_a_demo_site_of_this_site_version():
    made = {path.name for path in BACKUPS.glob(f"{site_version()}-*.zip")}
    command = ".venv/bin/python -m tests.site.backup.demo_site"
    assert made == {f"{site_version()}-{name}.zip" for name in ("sqlite", "postgresql")}, (
        f"make them: {command}"
    )


@pytest.mark.parametrize("release", RELEASES, ids=lambda path: path.stem)
def test_an_older_site_is_brought_up_to_date(release, tmp_path):
    older = altered(release, tmp_path / "older.zip", change_manifest(before_the_last_of_auth), honest=True)
    folder = tmp_path / "data"
    done = manage(folder, "restore", str(older))
    assert done.returncode == 0, done.stderr
    assert "bringing the tables up to date" in done.stderr
    total = sum(table["rows"] for table in manifest(release)["tables"].values())
    assert f"restored {total:,} rows" in done.stdout
    with sqlite3.connect(folder / "concur.sqlite3") as connection:
        names = "SELECT count(*) FROM django_migrations WHERE app = 'auth'"
        assert connection.execute(names).fetchone() == (len(manifest(release)["migrations"]["auth"]),)
        columns = {row[1] for row in connection.execute("PRAGMA table_info(datasets_app_candidate)")}
        assert {"cost", "logprobs"} <= columns
        triggers = "SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'concur%'"
        assert connection.execute(triggers).fetchone()[0] > 10
    again = manage(folder, "restore", str(older), "--replace")
    assert "an older version" in again.stderr, "tables that are newer are not changed back"
