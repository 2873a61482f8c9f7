"""Brings a site back from a backup: everything is checked first, and then all of it is in place or nothing is."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.core.management.color import no_style
from django.db import DatabaseError, connection, transaction

from concur_site import env
from concur_site.backup import files, keys, rows
from concur_site.backup.backup_file import BackupError, BackupFile
from concur_site.backup.schema import Wanted
from concur_site.backup.tables import Table, tables_of
from concur_site.health import probe
from datasets_app.db import triggers
from datasets_app.db.text_index import index

Say = Callable[[str], None]
INGESTS = "datasets_app_ingest"  # whose paths lead into the data folder
MOST_NAMED = 5


@dataclass
class Restored:
    rows: int
    files: int
    notes: list[str] = field(default_factory=list)


def check_backup(path: Path) -> BackupFile:
    """Return the backup if every byte of it is what was stored and this version knows its tables."""
    backup = BackupFile(path)
    Wanted(backup.manifest)
    backup.check()
    return backup


def restore(path: Path, say: Say, *, replace: bool = False) -> Restored:
    """Replace the site by the backup's. Raises BackupError; the site is then as it was before."""
    say("checking the backup")
    backup = check_backup(path)
    wanted = Wanted(backup.manifest)
    refuse_running_site()
    with files.Staged() as stage:
        empty = site_is_empty()
        if not empty and not replace:
            raise BackupError(
                "This site has data already, which a restore deletes: name an empty CONCUR_DATA_DIR (and an empty "
                "database, where DATABASE_URL is set), or give --replace. Nothing was changed."
            )
        wanted.prepare(empty)
        tables = matching_tables(wanted, backup)
        say("copying the files")
        stage.fetch(backup)
        say("copying the tables")
        with all_or_nothing(backup):
            total = load(tables, backup)
            finish_rows(backup, wanted)
            stage.exchange()
    ContentType.objects.clear_cache()
    if not wanted.is_current:
        say("bringing the tables up to date")
        call_command("migrate", interactive=False, verbosity=0)
    return Restored(total, int(backup.manifest["files"]), notes(backup))


# --- Refusals ----------------------------------------------------------------------------------------------------


def refuse_running_site() -> None:
    if probe.ask(settings.PORT) is not None:
        raise BackupError(
            "The site runs: stop it first, its workers too, since they would write into what is restored. "
            "Nothing was changed."
        )
    if connection.vendor == "postgresql" and (others := other_programs()):
        raise BackupError(
            f"Other programs are connected to the database ({', '.join(others[:MOST_NAMED])}): stop the site and its "
            "workers first. Nothing was changed."
        )


def other_programs() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(nullif(application_name, ''), 'process ' || pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend' "
            "AND leader_pid IS NULL ORDER BY 1"
        )
        return [name for (name,) in cursor.fetchall()]


def site_is_empty() -> bool:
    """Return whether there is no account, no task and no file."""
    there = set(connection.introspection.table_names())
    with connection.cursor() as cursor:
        for name in {"auth_user", "datasets_app_task"} & there:
            cursor.execute(f"SELECT 1 FROM {connection.ops.quote_name(name)} LIMIT 1")  # noqa: S608
            if cursor.fetchone():
                return False
    return not any(True for name in files.FOLDERS for _ in files.regular_files(files.folder(name)))


def matching_tables(wanted: Wanted, backup: BackupFile) -> list[Table]:
    """Return the tables at the backup's state, their columns in its order. Raises BackupError if it has others."""
    stored = {name: tuple(about["columns"]) for name, about in backup.manifest["tables"].items()}
    tables = {table.name: table for table in tables_of(wanted.apps())}
    differing = set(tables) ^ set(stored)
    differing |= {
        name for name in set(tables) & set(stored) if set(tables[name].columns) != set(stored[name])
    }
    if differing:
        raise BackupError(
            f"The backup's tables are not those of its migrations ({', '.join(sorted(differing)[:MOST_NAMED])}): a "
            "version between two releases made it. Restore it with that version. Nothing was changed."
        )
    return [tables[name].in_order(columns) for name, columns in sorted(stored.items())]


# --- Rows --------------------------------------------------------------------------------------------------------


@contextmanager
def all_or_nothing(backup: BackupFile) -> Iterator[None]:
    """One transaction, without checks of keys between tables until its end."""
    try:
        with connection.constraint_checks_disabled(), transaction.atomic():
            yield
    except DatabaseError as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise BackupError(
            f"The database did not take the rows of {backup.path} ({first}). Nothing was changed."
        ) from error


def load(tables: list[Table], backup: BackupFile) -> int:
    """Replace the rows of all tables. Return how many there are now."""
    rows.fix_forms()
    triggers.before_migrate(connection.alias)
    empty(tables)
    total = 0
    for table in tables:
        with backup.stream(table.member) as stream:
            count = rows.load_rows(table, stream)
        stored = backup.manifest["tables"][table.name]
        if count != stored["rows"]:
            raise backup.damaged(f"{table.name} has {count:,} rows instead of {stored['rows']:,}")
        if table.numbered:
            rows.continue_from(table, int(stored["last_number"]))
        total += count
    return total


def empty(tables: list[Table]) -> None:
    names = [table.name for table in tables]
    with connection.cursor() as cursor:
        for statement in connection.ops.sql_flush(no_style(), names):
            cursor.execute(statement)


def finish_rows(backup: BackupFile, wanted: Wanted) -> None:
    """Adapt paths, check the keys between tables, and build the derived tables again."""
    relocate(str(backup.manifest["data_folder"]))
    connection.check_constraints()
    if wanted.is_current:  # otherwise the migrations that follow do it
        index.run(connection, index.sql_for(connection).EMPTY)
        triggers.after_migrate(connection.alias, plan=["restored"])


def relocate(former: str) -> None:
    """Let the paths of uploads lead into this data folder."""
    here = str(settings.DATA_DIR)
    if former == here:
        return
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {INGESTS} SET path = %s || substr(path, %s) WHERE substr(path, 1, %s) = %s",  # noqa: S608
            [here, len(former) + 1, len(former) + 1, former + os.sep],
        )


# --- What to say -------------------------------------------------------------------------------------------------


def notes(backup: BackupFile) -> list[str]:
    """Return what an operator has to know or to do afterwards."""
    key = backup.manifest["secret_key"]
    given = env.text("CONCUR_SECRET_KEY")
    path = Path(settings.DATA_DIR) / files.SECRET_KEY
    current = given or (path.read_text().strip() if path.exists() else "")
    if current and keys.fits(current, str(key["check"])):
        return []
    return [
        "The secret key is not the one of the site that was backed up: sign-ins, links for new passwords and the keys "
        "of hosts are invalid. Set CONCUR_SECRET_KEY to the former key, or run `manage.py host rotate NAME` for each "
        "host."
    ]
